# remove: by condition, by number, because another set has them; only shards that lose are written
. "$T2_ROOT/tests/cli/tfrec/edit_set.inc"
tfrec index --quiet d >/dev/null
tfrec remove --dry_run --where='label == 2' d
before=$(identity d/x-train-00000* d/x-dev*)
echo "-- numbers"
tfrec remove --records=4,7-8 d
[ "$before" = "$(identity d/x-train-00000* d/x-dev*)" ] || echo "other shards were touched"
content
ls -A d
echo "-- the same again is not done twice: the numbers mean others now"
tfrec remove --records=4,7-8 d
echo "-- a condition, in one split"
tfrec remove --json --split=dev --where='label == 2' d
content
echo "-- duplicates of others"
examples 2 5 '' other.tfrecord
tfrec remove --duplicates_of=other.tfrecord d
content
tfrec remove --duplicates_of='d/x-dev-*' --split=train d
content
echo "-- nothing to remove"
tfrec remove --where='label == 77' d
echo "-- everything"
tfrec remove --where='has(label)' d/x.manifest.json
content
grep -E '"(command|records_(before|after)|n_values|kind)"' d/x.manifest.json
rm -r d
. "$T2_ROOT/tests/cli/tfrec/edit_set.inc"
cp -r d e
tfrec remove -j 1 --quiet --where='inputs[0] % 2 == 0' d
cp -r d one
rm -r d && mv e d
tfrec remove -j 2 --quiet --where='inputs[0] % 2 == 0' d
diff -r one d
