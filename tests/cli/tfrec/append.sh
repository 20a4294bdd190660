# append: new shards, old ones renamed with their bytes; the same again does nothing; history; -j
. "$T2_ROOT/tests/cli/tfrec/edit_set.inc"
examples 20 22 '' more.tfrecord
before=$(identity d/x-train-0000*)
tfrec append --dry_run d more.tfrecord
content
tfrec append d more.tfrecord
[ "$before" = "$(identity d/x-train-0000[012]*)" ] || echo "old shards were touched"
content
echo "-- the same again"
tfrec append d more.tfrecord
tfrec append --json d more.tfrecord
echo "-- and really again, in small shards, from a pipe, into dev"
tfrec append --again --json d/x.manifest.json more.tfrecord
cat more.tfrecord | tfrec append --split=dev --shard_size=60 d -
content
grep -E '"(command|records_(before|after))"' d/x.manifest.json
ls -A d
echo "-- any number of threads"
rm -r d
. "$T2_ROOT/tests/cli/tfrec/edit_set.inc" >/dev/null
cp -r d e
tfrec append -j 1 --quiet --shard_size=60 d more.tfrecord >one
cp d/x.manifest.json one.json
rm -r d && mv e d
tfrec append -j 2 --quiet --shard_size=60 d more.tfrecord >two
cmp one two
cmp one.json d/x.manifest.json
# an old index goes with its shard and stays fresh
tfrec index --quiet --binary d/x-train-00001-of-00006 >/dev/null
examples 30 30 '' last.tfrecord
tfrec append d last.tfrecord
tfrec count --json d/x-train-00001-of-00007 | sed 's/.*"by": "\([a-z]*\)".*/by \1/'
