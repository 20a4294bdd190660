# a page of images of a set that is there; of none; of text
# shellcheck source=tests/cli/jpeg-to-tfrecord/images.inc
. "$T2_ROOT/tests/cli/jpeg-to-tfrecord/images.inc"
size() { od -An -tu1 -j 16 -N 8 "$1"; } # width and height of a PNG file
try() {
    echo "== $*"
    t2t-datagen --quiet "$@" 2>&1 || echo "exit $?"
}
jpeg-to-tfrecord --quiet --image_dir=photos --output_dir=out --on_error=skip >/dev/null 2>&1
mkdir data
cp out/train-00000-of-00001 data/mine-train-00000-of-00001
try --problem=mine --data_dir=data --preview=page.png
size page.png
try --problem=mine --data_dir=data --preview=page2.png -j1
cmp page.png page2.png && echo "same bytes"
try --problem=mine --data_dir=data --preview=page2.png --preview_pipeline=cifar_train --preview_pictures=2
size page2.png
try --problem=mine --data_dir=data --preview=x.png --preview_pipeline=no 2>&1 | cut -c 1-80
try --problem=other --data_dir=data --preview=x.png | head -n 2 | cut -c 1-80
try --problem=translate_ende_numbers --data_dir=data --preview=x.png
try --problem='image_*' --data_dir=data --preview=x.png
try --data_dir=data --preview=x.png
ls x.png 2>/dev/null || echo "no page"
