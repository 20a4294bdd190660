# make deb: packages that lintian takes, whose tools, library and module work from where they were unpacked.
case ${T2_BUILD:?} in */release) ;; *) echo "packages are made of the release build" >&2 && exit 77 ;; esac
for program in dpkg-deb dpkg-shlibdeps dpkg-architecture; do
    command -v $program >/dev/null || { echo "no $program: install dpkg-dev" >&2 && exit 77; }
done
test -f "$T2_BUILD/lib/libtfrecord.so.0" || { echo "no libtfrecord.so.0: make lib-shared" >&2 && exit 77; }
TOOLS=$(cd "${T2_BUILD:?}/bin" && ls | tr '\n' ' ')
export TOOLS BUILD=$T2_BUILD PAGES=$PWD/pages DEBFULLNAME='A Tester' DEBEMAIL=tester@t2t.example
sh "$T2_ROOT/mk/pages.sh" man "$PAGES/man"
sh "$T2_ROOT/mk/pages.sh" completion "$PAGES/completion"
OUT=$PWD/deb sh "$T2_ROOT/mk/deb.sh" >names 2>err || { cat err && exit 1; }
[ "$(wc -l <names)" = 4 ]
[ ! -s err ] || { cat err && exit 1; }

# The same build gives the same packages.
OUT=$PWD/again sh "$T2_ROOT/mk/deb.sh" >/dev/null
for deb in deb/*.deb; do cmp "$deb" "again/${deb##*/}"; done

for deb in deb/*.deb; do dpkg-deb -x "$deb" root; done
needs=$(dpkg-deb -f deb/t2t.c_*.deb Depends)
case $needs in *libcurl* | *libarchive* | *krb5*) echo "needs $needs" && exit 1 ;; esac
(cd root && for deb in ../deb/*.deb; do dpkg-deb -I "$deb" md5sums | md5sum --quiet -c -; done)
printf 'a b c\nb c\n' >x
root/usr/bin/t2t-vocab count -o counts x
! readelf -S root/usr/bin/t2t-trainer | grep -q debug_info
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=root/usr/lib/python3/dist-packages T2T_TFRECORD_LIB=$(echo root/usr/lib/*/libtfrecord.so.0) \
    python3 -c 'import t2t_tfrecord; assert t2t_tfrecord.crc32c(b"123456789") == 0xe3069283'

if command -v lintian >/dev/null; then
    lintian --allow-root --fail-on error,warning deb/*.deb >found || { cat found && exit 1; }
fi
