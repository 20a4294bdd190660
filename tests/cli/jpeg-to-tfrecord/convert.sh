# images to shards: by list and by folder; the same once more; drops; what is wrong
# shellcheck source=tests/cli/jpeg-to-tfrecord/images.inc
. "$T2_ROOT/tests/cli/jpeg-to-tfrecord/images.inc"
try() {
    echo "== $*"
    jpeg-to-tfrecord --quiet "$@" 2>&1 || echo "exit $?"
}
printf 'one\ntwo\n' >labels.txt
printf 'photos/a/one.gif,one\r\n"photos/with space/new\nline.gif",two\n"photos/with space/""\303\251"".gif",two\nphotos/a/two.bmp,three\n' >train.csv
try --train_csv=train.csv --labels_file=labels.txt --output_dir=csv
cat csv/pictures.dropped.jsonl
tfrec verify csv/pictures.manifest.json
tfrec stats csv/pictures.manifest.json >/dev/null && echo "stats: read"
try --train_csv=train.csv --labels_file=labels.txt --output_dir=csv
try --train_csv=train.csv --labels_file=labels.txt --output_dir=csv --train_shards=2
try --train_csv=train.csv --labels_file=labels.txt --output_dir=csv --train_shards=2 --overwrite
ls csv
try --image_dir=photos --output_dir=folder
try --image_dir=photos --output_dir=folder --on_error=skip
try --image_dir=photos --output_dir=task --on_error=skip --train_shards=2 --task=1/2
try --image_dir=photos --output_dir=task --on_error=skip --train_shards=2 --task=0/2 --json
echo 'nowhere.jpg,one' >missing.csv
try --train_csv=missing.csv --labels_file=labels.txt --output_dir=missing
try --image_dir=photos
try --image_dir=photos --output_dir=x --task=2/2
try --image_dir=photos --output_dir=x --layout=odd
try --image_dir=photos --output_dir=hdfs://bucket
try --image_dir=photos --raw_data_dir=photos --output_dir=x
