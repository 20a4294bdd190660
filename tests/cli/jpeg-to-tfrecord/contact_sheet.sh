# a page of images: of folders, with or without converting them, and of records
# shellcheck source=tests/cli/jpeg-to-tfrecord/images.inc
. "$T2_ROOT/tests/cli/jpeg-to-tfrecord/images.inc"
size() { od -An -tu1 -j 16 -N 8 "$1"; } # width and height of a PNG file
try() {
    echo "== $*"
    jpeg-to-tfrecord --quiet "$@" 2>&1 || echo "exit $?"
}
try --image_dir=photos --contact_sheet=page.png
size page.png
try --image_dir=photos --contact_sheet=again.png --output_dir=out --on_error=skip -j1
cmp page.png again.png && echo "same bytes"
ls out
try --contact_sheet=records.png --records=out --pipeline=mnist --sheet_pictures=3
size records.png
jpeg-to-tfrecord --quiet --image_dir=photos --contact_sheet=- 2>/dev/null | cmp - page.png && echo 'stdout: same bytes'
try --image_dir=photos --contact_sheet=x.png --pipeline=resnet 2>&1 | cut -c 1-100
try --image_dir=photos --contact_sheet=x.png --sheet_pictures=0
try --image_dir=photos --contact_sheet=/dev/null/x.png
try --records=out
try --records=nothing --contact_sheet=x.png
try --records=out --contact_sheet=x.png --image_dir=photos
ls x.png 2>/dev/null || echo "no page"
