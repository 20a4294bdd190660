#!/bin/sh
# mk/probe.sh - which libraries are here?  Writes make variables to stdout; `probe.sh --report FILE`
# shows such a file to people.
#
# A library counts when a program that calls it compiles and links: a header alone does not.
# CC and PROBE_CFLAGS come from the environment; with PROBE_STATIC=1 a library is linked statically where
# its archive is there.
set -u

# name | required? | link flags | header and a call | Debian package | what for, what without
libraries() {
    cat <<'END'
ZLIB|yes|-lz|#include <zlib.h>~return zlibVersion() == 0;|zlib1g-dev|gzip streams, CRC
ICU|yes|-licuuc -licudata|#include <unicode/uchar.h>~return u_isalnum(65) == 0;|libicu-dev|Unicode classes of T2T's tokenizer
CRYPTO|yes|-lcrypto|#include <openssl/evp.h>~return EVP_sha256() == 0;|libssl-dev|SHA-256 and MD5
JANSSON|yes|-ljansson|#include <jansson.h>~return json_null() == 0;|libjansson-dev|reading JSON
YAML|yes|-lyaml|#include <yaml.h>~yaml_parser_t p; return yaml_parser_initialize(&p);|libyaml-dev|problem files, those of the program too, and experiments
JPEG|yes|-ljpeg|#include <stddef.h>~#include <stdio.h>~#include <jpeglib.h>~jpeg_crop_scanline(0, 0, 0); return jpeg_skip_scanlines(0, 0);|libjpeg62-turbo-dev|JPEG files, by libjpeg-turbo
PNG|yes|-lpng|#include <png.h>~return png_access_version_number() == 0;|libpng-dev|PNG files
WEBP|no|-lwebp|#include <webp/decode.h>~return WebPGetDecoderVersion() == 0;|libwebp-dev|WebP files
ARCHIVE|yes|-larchive|#include <archive.h>~return archive_version_number() == 0;|libarchive-dev|tar and zip archives of t2t-datagen; opened when needed
ONEDNN|no|-ldnnl|#include <oneapi/dnnl/dnnl.h>~return dnnl_version() == 0;|libdnnl-dev|matrix products, opened when needed (without: OpenBLAS)
OPENBLAS|no|-lopenblas|#include <cblas.h>~openblas_set_num_threads(1); return (int)cblas_sasum(0, 0, 1);|libopenblas-pthread-dev|matrix products, opened when needed (without: plain C, slow)
ISAL|no|-lisal|#include <isa-l.h>~static struct inflate_state s; isal_inflate_init(&s); return isal_inflate(&s);|libisal-dev|gunzip, faster; opened when needed (without: zlib)
CURL|no|-lcurl|#include <curl/curl.h>~return curl_easy_init() == 0;|libcurl4-openssl-dev|downloads; opened when needed (without: --offline only)
EDIT|no|-ledit|#include <stdio.h>~#include <histedit.h>~return el_init("p", stdin, stdout, stderr) == 0;|libedit-dev|editing lines of t2t-decoder --decode_interactive
MICROHTTPD|no|-lmicrohttpd|#include <microhttpd.h>~return MHD_is_feature_supported(MHD_FEATURE_EPOLL) == MHD_NO;|libmicrohttpd-dev|t2t-decoder --serve; opened when needed
CMOCKA|no|-lcmocka|#include <stdarg.h>~#include <stddef.h>~#include <setjmp.h>~#include <stdint.h>~#include <cmocka.h>~const struct CMUnitTest t[1] = {{0, 0, 0, 0, 0}}; return _cmocka_run_group_tests("t", t, 0, 0, 0);|libcmocka-dev|make check
END
}

if [ "${1:-}" = --report ]; then
    if grep -q '^PROBE_CC_FAILS' "$2"; then
        echo '  not looked for: the compiler cannot make a program (apt-get install gcc libc6-dev, or CC=clang)'
        exit 0
    fi
    libraries | while IFS='|' read -r name required _ _ package purpose; do
        if grep -q "^HAVE_$name := 1" "$2"; then
            state=found
            # what is opened at run time is not linked, whatever there is to link
            case $purpose in *opened*) ;; *) ! grep -q "^LDLIBS_$name := .*-Bstatic" "$2" || state=static ;; esac
            printf '  %-9s %-8s %s\n' "$name" "$state" "$purpose"
        else
            [ "$required" = yes ] && state=MISSING || state=absent
            printf '  %-9s %-8s %s: apt-get install %s\n' "$name" "$state" "$purpose" "$package"
        fi
    done
    exit 0
fi

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
links() { # flags, with the program in $tmp/p.c
    # shellcheck disable=SC2086 # both are lists of words
    ${CC:-gcc} ${PROBE_CFLAGS:-} "$tmp/p.c" -o "$tmp/p" $1 >"$tmp/log" 2>&1
}

echo "# Written by mk/probe.sh; delete to ask again."
printf 'int main(void) { return 0; }\n' >"$tmp/p.c"
if ! links ""; then
    echo "PROBE_CC_FAILS := 1"
    exit 0
fi
libraries | while IFS='|' read -r name required flags program package _; do
    printf '%s\n' "$program" | tr '~' '\n' >"$tmp/body"
    { grep '^#include' "$tmp/body"; echo 'int main(void) {'; grep -v '^#include' "$tmp/body"; echo '}'; } >"$tmp/p.c"
    # what the archive needs besides: ICU is written in C++, libpng calls zlib
    more=
    case $name in ICU) more='-lstdc++ -Wl,-Bdynamic -static-libgcc' ;; PNG) more=-lz ;; esac
    static="-Wl,-Bstatic $flags $more -Wl,-Bdynamic -lm"
    [ "${PROBE_STATIC:-}" = 1 ] && links "$static" || static=$flags
    if [ "$static" != "$flags" ] || links "$flags"; then
        printf 'HAVE_%s := 1\nLDLIBS_%s := %s\nSHARED_LDLIBS_%s := %s\n' "$name" "$name" "$static" "$name" "$flags"
    elif [ "$required" = yes ]; then
        printf 'MISSING += %s(%s)\n' "$name" "$package"
    fi
done

# Hundreds of test programs are linked, for each build: by a quick linker where there is one, and what
# debuggers read is compressed (of 16 MB a program 7 go).
printf 'int main(void) { return 0; }\n' >"$tmp/p.c"
quick='-fuse-ld=mold -Wl,--compress-debug-sections=zlib'
links "$quick" && echo "QUICK_LD := $quick"

# CPU variants: only where the compiler knows them.
printf '#include <immintrin.h>\nint main(void) { return 0; }\n' >"$tmp/p.c"
variants=generic
if printf '#ifdef __x86_64__\nx86\n#endif\n' | ${CC:-gcc} -E -P - 2>/dev/null | grep -q x86; then
    links "-mavx2 -mfma -mf16c" && variants="$variants avx2"
    links "-mavx512f -mavx512bw -mavx512vl -mavx512dq -mfma" && variants="$variants avx512"
fi
printf '#include <arm_neon.h>\nint main(void) { return 0; }\n' >"$tmp/p.c"
if printf '#ifdef __aarch64__\naarch64\n#endif\n' | ${CC:-gcc} -E -P - 2>/dev/null | grep -q aarch64; then
    links "" && variants="$variants neon"
    echo 'ONEDNN ?= no'
fi
echo "CPU_VARIANTS := $variants"
