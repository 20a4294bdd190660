#!/bin/sh
# mk/deb.sh - Debian packages of the build: t2t.c, libtfrecord0, libtfrecord-dev, python3-t2t-tfrecord.
#
# From the environment: BUILD (build/release), TOOLS, VERSION, PAGES (build: man pages and completion), OUT
# (build/deb), CC; DEBFULLNAME and DEBEMAIL name the maintainer, else the last commit's author does.
# Nothing is compiled here and nothing needs root.  The dates are the last commit's, so that the same build
# gives the same packages.
set -eu
cd "$(dirname "$0")/.."
: "${BUILD:=build/release}" "${VERSION:=$(cat VERSION)}" "${PAGES:=build}" "${OUT:=build/deb}"
export BUILD VERSION PAGES
for program in dpkg-deb dpkg-shlibdeps dpkg-architecture strip; do
    command -v $program >/dev/null || { echo "no $program: apt-get install dpkg-dev binutils" >&2 && exit 1; }
done
arch=$(dpkg --print-architecture)
multiarch=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
[ -n "${SOURCE_DATE_EPOCH:-}" ] || SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y VERSION)
export SOURCE_DATE_EPOCH
name=${DEBFULLNAME:-$(git log -1 --format=%an 2>/dev/null || echo 't2t.c authors')}
mail=${DEBEMAIL:-$(git log -1 --format=%ae 2>/dev/null || echo "nobody@$(hostname -f)")}
umask 022

mkdir -p "$OUT"
rm -f "$OUT"/*.deb
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trees=$work/source/debian # as dpkg-shlibdeps expects it
mkdir -p "$trees"

# ---- what is in which package --------------------------------------------------------------------

# Installs parts into the tree of a package.
stage() { # package, part...
    package=$1
    shift
    NOTE=no DESTDIR=$trees/$package PREFIX=/usr LIBDIR=lib/$multiarch PYTHON=/usr/bin/python3 PYTHONDIR=lib/python3/dist-packages \
        ZSH_FOLDER=vendor-completions sh mk/install.sh "$@"
}
stage t2t.c tools translate plugin
stage libtfrecord-dev tfrecord
stage python3-t2t-tfrecord python
mkdir -p "$trees/libtfrecord0/usr/lib/$multiarch"
mv "$trees/libtfrecord-dev/usr/lib/$multiarch/libtfrecord.so.0" "$trees/libtfrecord0/usr/lib/$multiarch"
chmod 644 "$trees/libtfrecord0/usr/lib/$multiarch/libtfrecord.so.0"
find "$trees/t2t.c/usr/lib" -name 'lib*.so.*' -exec chmod 644 {} + 2>/dev/null || true
rm "$trees/t2t.c/usr/share/doc/t2t.c/LICENSE" # it is in the file copyright
gzip -9n "$trees"/t2t.c/usr/share/man/man1/*.1
strip --strip-unneeded --remove-section=.comment --remove-section=.note "$trees"/t2t.c/usr/bin/* \
    "$trees/libtfrecord0/usr/lib/$multiarch"/*.so.*
printf 'libtfrecord 0 libtfrecord0 (>= %s)\n' "$VERSION" >"$work/shlibs"
printf 'activate-noawait ldconfig\n' >"$work/triggers"

# Python's caches are made and removed with the package.
cat >"$work/postinst" <<'P'
#!/bin/sh
set -e
if [ "$1" = configure ] && command -v py3compile >/dev/null; then
    py3compile -p python3-t2t-tfrecord
fi
P
cat >"$work/prerm" <<'P'
#!/bin/sh
set -e
if command -v py3clean >/dev/null; then
    py3clean -p python3-t2t-tfrecord
fi
P

mkdir "$trees/t2t.c/DEBIAN" "$trees/libtfrecord0/DEBIAN" # by these dpkg-shlibdeps knows a package's tree

# ---- what they need ------------------------------------------------------------------------------

printf 'Source: t2t.c\n\nPackage: t2t.c\nArchitecture: any\n' >"$trees/control"
needs() { # file...
    (cd "$work/source" && dpkg-shlibdeps -O --warnings=1 "$@") | sed 's/^shlibs:Depends=//'
}

# The packages of libraries that are opened at run time, as far as this machine has them.
opened() {
    for so in libarchive.so.13 libcurl.so.4 libedit.so.2 libisal.so.2 'libdnnl.so.[0-9]*' libmicrohttpd.so.12 libopenblas.so.0; do
        dpkg-query -S "*/$so" 2>/dev/null | sed -n '1s/[:,].*//p'
    done | sort -u | paste -sd, | sed 's/,/, /g'
}

# ---- packages ------------------------------------------------------------------------------------

# Documents that every package has: licence and changelog.  The repository is its own package ("native"), so
# its version has no revision behind it.
documents() { # package
    doc=$trees/$1/usr/share/doc/$1
    mkdir -p "$doc"
    {
        printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: t2t.c\n\n'
        printf 'Files: *\nCopyright: %s\nLicense: Expat\n' "$(sed -n 's/^Copyright (c) //p' LICENSE)"
        sed -e '1,/^Copyright/d' LICENSE | sed -e '1{/^$/d}' -e 's/^$/./' -e 's/^/ /'
    } >"$doc/copyright"
    printf 't2t.c (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md of t2t.c.\n\n -- %s <%s>  %s\n' \
        "$VERSION" "$name" "$mail" "$(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.gz"
}

# Further fields of the control file on stdin, the description last.
package() { # package, architecture, section, [maintainer's file]...
    package=$1 architecture=$2 section=$3
    shift 3
    documents "$package"
    mkdir -p "$trees/$package/DEBIAN"
    {
        printf 'Package: %s\nSource: t2t.c\nVersion: %s\nArchitecture: %s\nMaintainer: %s <%s>\n' "$package" "$VERSION" \
            "$architecture" "$name" "$mail"
        printf 'Installed-Size: %s\nSection: %s\nPriority: optional\n' "$(du -k --apparent-size -s "$trees/$package/usr" | cut -f1)" "$section"
        cat
    } >"$trees/$package/DEBIAN/control"
    (cd "$trees/$package" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) >"$trees/$package/DEBIAN/md5sums"
    for file in "$@"; do
        case $file in p*) mode=755 ;; *) mode=644 ;; esac
        install -m $mode "$work/$file" "$trees/$package/DEBIAN/$file"
    done
    find "$trees/$package" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group -Zxz --build "$trees/$package" "$OUT" >/dev/null
    echo "$OUT/${package}_${VERSION}_$architecture.deb"
}

recommends=$(opened)
package t2t.c "$arch" science triggers <<C
Depends: $(needs "$trees"/t2t.c/usr/bin/*)
${recommends:+Recommends: $recommends
}Description: Tensor2Tensor's data preparation and training, in C
 Raw text becomes a subword vocabulary and shuffled TFRecord files; a
 Transformer or a convolutional network trains from them on the CPU,
 translates files or names what is on images, and is scored. The flags,
 file names and formats are those of Tensor2Tensor; neither Python nor
 TensorFlow is needed.
 .
 Also tfrec, which looks into, checks, repairs and converts TFRecord files,
 t2t-vocab for vocabularies, and headers for problems of one's own.
C
package libtfrecord0 "$arch" libs shlibs triggers <<C
Multi-Arch: same
Depends: $(needs "$trees/libtfrecord0/usr/lib/$multiarch/libtfrecord.so.0")
Description: library for TFRecord files
 Reads records by order and by number, parses and builds messages of
 tf.train.Example, writes files that are plain or compressed. Checksums of
 all records are verified.
C
package libtfrecord-dev "$arch" libdevel <<C
Multi-Arch: same
Depends: libtfrecord0 (= $VERSION)
Description: library for TFRecord files (development)
 Reads records by order and by number, parses and builds messages of
 tf.train.Example, writes files that are plain or compressed.
 .
 This package has the header, the link for the linker and the file for
 pkg-config.
C
package python3-t2t-tfrecord all python postinst prerm <<C
Depends: libtfrecord0 (>= $VERSION), python3:any
Recommends: python3-numpy
Description: TFRecord files in Python without TensorFlow
 Records by order and by number, messages of tf.train.Example as arrays of
 NumPy, batches, data sets for PyTorch; over libtfrecord, without a compiler
 and without protobuf.
C
