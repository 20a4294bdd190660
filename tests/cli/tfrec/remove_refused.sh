# remove: what is refused changes nothing
. "$T2_ROOT/tests/cli/tfrec/edit_set.inc"
identity d/* >before
refuse() {
    code=0
    "$@" || code=$?
    echo "exit $code"
}
refuse tfrec remove d
refuse tfrec remove --where='label ==' d
refuse tfrec remove --records=3,14 d
refuse tfrec remove --records=x d
refuse tfrec remove --split=test --records=3 d
refuse tfrec remove --duplicates_of=d/x-train-00001-of-00003 d
refuse tfrec remove --duplicates_of=ten.tfrecord --max_memory=100 d
refuse tfrec remove --records=3 d d
refuse tfrec remove --records=3 ten.tfrecord
identity d/* >after
cmp before after
# a file that is not what the manifest says
cp d/x-train-00000-of-00003 whole
cp ten.tfrecord d/x-train-00000-of-00003
refuse tfrec remove --records=3 d
# damage
cp whole d/x-train-00000-of-00003
printf 'x' | dd of=d/x-train-00000-of-00003 bs=1 seek=20 conv=notrunc 2>/dev/null
refuse tfrec remove --records=3 d
ls -A d
