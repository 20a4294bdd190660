# Which shared libraries a tool needs to start, and what it says when one that it opens later is missing.
command -v readelf >/dev/null || { echo "no readelf: install binutils" >&2 && exit 77; }
case $T2_BUILD in
*/release) most='libz.so.1 libcrypto.so.3 libjansson.so.4 libm.so.6 libc.so.6' ;;
*/static) most='libm.so.6 libc.so.6' ;;
*) echo "an instrumented build needs its runtime, too" >&2 && exit 77 ;;
esac
text=libicuuc.so images='libjpeg.so libpng16.so libwebp.so' yaml=libyaml-0.so
case $T2_BUILD in */static) text='' images='' yaml='' ;; esac

# What a tool may need; versions are the distribution's.  ld-linux comes with the C library.
bad=0
for tool in "$T2_BUILD"/bin/*; do
    case ${tool##*/} in
    t2t-avg-all) allowed="$most $yaml" ;; # of models that are layer files
    jpeg-to-tfrecord) allowed="$most $images" ;;
    t2t-bleu | t2t-vocab | tfrec) allowed="$most $text" ;;
    *) allowed="$most $text $images $yaml" ;;
    esac
    for needed in $(readelf -d "$tool" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
        case $needed in ld-linux*) continue ;; esac
        case " $(printf '%s ' $allowed | sed 's/\.so[.0-9]*/.so/g')" in
        *" ${needed%%.so*}.so "*) ;;
        *) echo "${tool##*/} needs $needed" && bad=1 ;;
        esac
    done
    # and with all that these need in turn
    n=$(ldd "$tool" | grep -c '=>')
    [ "$n" -le 16 ] || { echo "${tool##*/} loads $n shared libraries" && bad=1; }
    ! ldd "$tool" | grep -E 'curl|krb5|ldap|libarchive|xml2' || bad=1
done
[ $bad = 0 ]
# Plug-ins see the program's own functions; what is linked statically is not for the libraries that are opened.
! nm -D --defined-only "$T2_BUILD/bin/t2t-datagen" | grep -E ' (EVP_|inflate|json_|u_|png_|jpeg_)' | head -n 3 | grep .
nm -D --defined-only "$T2_BUILD/bin/t2t-datagen" | grep -q ' dg_register$'

# A library that is not one stands in front of the system's.
mkdir hidden
for so in libcurl.so.4 libcurl-gnutls.so.4 libarchive.so.13 libisal.so.2; do : >hidden/$so; done
without() {
    LD_LIBRARY_PATH=$PWD/hidden "$@"
}
without t2t-trainer --version >version
grep -q '^opened when needed: no libarchive (apt-get install libarchive13)' version || { cat version && exit 1; }

# Without ISA-L, gzip is read by zlib.
printf 'a b c\n' | gzip >x.gz
without t2t-vocab count -o counts x.gz
grep -q b counts

# Without libcurl nothing can be downloaded, and without libarchive no archive be read; both say what brings it.
if t2t-datagen --version | grep -q libcurl.so; then
    without t2t-datagen --fetch=http://127.0.0.1:9/x --tmp_dir=t 2>err && exit 1
    grep -q 'libcurl cannot be opened: apt-get install libcurl4' err || { cat err && exit 1; }
    [ "$(t2t-datagen --fetch=http://127.0.0.1:9/x --download_retries=1 --download_wait=0 --tmp_dir=t 2>&1 | grep -c 'cannot be opened')" = 0 ]
fi
mkdir raw
printf x >x
for tar in raw/ILSVRC2012_img_train.tar raw/ILSVRC2012_img_val.tar; do tar cf $tar x; done
printf 'n01440764\n' >raw/synset_labels.txt
without jpeg-to-tfrecord --raw_data_dir=raw --output_dir=out 2>err && exit 1
grep -q 'libarchive cannot be opened: apt-get install libarchive13' err || { cat err && exit 1; }
