# The road of images: a flowers-like folder of photographs, and the ImageNet sample, to shards, report and page;
# the batches are in tests/oracle/test_image_road.c.
T2_DATA=$(cd "${T2_DATA:-$T2_ROOT/../shared/data}" 2>/dev/null && pwd) || { echo "no T2_DATA" >&2; exit 77; }
sample=$T2_DATA/imagenet-sample
[ -d "$sample/train" ] || { echo "no imagenet-sample in T2_DATA" >&2; exit 77; }
i=0
for f in "$sample"/train/*/*; do # five classes, as flowers has
    class=$(echo daisy dandelion roses sunflowers tulips | cut -d ' ' -f $((i % 5 + 1)))
    mkdir -p "flowers/$class"
    cp "$f" "flowers/$class/"
    i=$((i + 1))
done
n=$(find flowers -type f | wc -l)

road() { # manifest, records, name of the page
    tfrec verify --quiet "$1"
    [ "$(tfrec count --quiet "$1" | sed -n '$s/^ *\([0-9]*\).*/\1/p')" = "$2" ]
    tfrec report --quiet -o report.html --pictures=10 "$1"
    [ "$(grep -o '<img [^>]*src="data:image/jpeg' report.html | wc -l)" -eq 16 ]
    jpeg-to-tfrecord --quiet --records="$1" --contact_sheet="$3" --sheet_pictures=6
    [ "$(od -An -tu1 -j 16 -N 8 "$3" | tr -s ' ')" = " 0 0 5 120 0 0 2 62" ]
}

jpeg-to-tfrecord --quiet --check=flowers --on_error=fail >/dev/null
jpeg-to-tfrecord --quiet --image_dir=flowers --validation_percent=20 --train_shards=4 --output_dir=tpu >/dev/null
road tpu/pictures.manifest.json "$n" tpu.png
t2t-datagen --quiet --name=flowers --image_dir=flowers --dev_percent=20 --train_shards=4 --data_dir=t2t
road t2t/flowers.manifest.json "$n" t2t.png
grep -q '<span class="v">0 daisy</span>' report.html # by the manifest: the records have numbers only
t2t-datagen --quiet --name=flowers --data_dir=t2t --preview=preview.png --preview_pictures=6
[ -s preview.png ]
jpeg-to-tfrecord --quiet --image_dir="$sample" --output_dir=imagenet >/dev/null
road imagenet/pictures.manifest.json "$(find "$sample" -name '*.JPEG' | wc -l)" imagenet.png
# killed and called again: the same records
. "$T2_ROOT/tests/e2e/stop_at.subr"
set -- t2t-datagen --quiet --name=flowers --image_dir=flowers --dev_percent=20 --train_shards=4
calls=$(calls_of "$@" --data_dir=counted)
for point in 5 50; do # per cent
    rc=0
    stop_at $((point * calls / 100 + 1)) KILL "$@" --data_dir=killed || rc=$?
    [ $rc = 137 ] || { [ $rc = 0 ] && [ $point -gt 5 ]; } # what the last one has left may need fewer calls
done
"$@" --data_dir=killed
for f in t2t/flowers-*; do cmp "$f" "killed/${f##*/}"; done
[ -z "$(find killed -name '*.incomplete')" ]
