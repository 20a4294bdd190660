# relabel: other values; records that do not change keep their bytes
. "$T2_ROOT/tests/cli/tfrec/edit_set.inc"
tfrec relabel --dry_run --feature=label --map=1:7 d
echo "-- two values swapped at once"
tfrec relabel --feature=label --map=1:2,2:1 d
content
echo "-- a condition"
before=$(identity d/x-train-0000[12]* d/x-dev*)
tfrec relabel --set=label=9 --where='inputs[0] == 1' --split=train d
[ "$before" = "$(identity d/x-train-0000[12]* d/x-dev*)" ] || echo "other shards were touched"
content
tfrec relabel --json --set=inputs=4,4 --where='label == 9' d
tfrec cat d | sed -n 2p
echo "-- nothing changes"
tfrec relabel --set=label=4,4 --where='label == 77' d
tfrec relabel --feature=label --map=0:0 d
grep -E '"(command|records_(before|after)|m(ax|in)_(value|length))"' d/x.manifest.json
refuse() {
    code=0
    "$@" || code=$?
    echo "exit $code"
}
refuse tfrec relabel --feature=label d
refuse tfrec relabel --feature=label --map=1:2 --set=label=3 d
refuse tfrec relabel --feature=lable --map=1:2 d
refuse tfrec relabel --feature=label --map=1:x d
refuse tfrec relabel --set=label d
refuse tfrec relabel --set=label=1 --split=test d
refuse tfrec relabel --set=label=1
rm -r d
. "$T2_ROOT/tests/cli/tfrec/edit_set.inc"
cp -r d e
tfrec relabel -j 1 --quiet --feature=label --map=0:100 d
cp -r d one
rm -r d && mv e d
tfrec relabel -j 2 --quiet --feature=label --map=0:100 d
diff -r one d
