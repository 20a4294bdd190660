# append: what does not fit changes nothing
. "$T2_ROOT/tests/cli/tfrec/edit_set.inc"
identity d/* >before
refuse() {
    code=0
    "$@" || code=$?
    echo "exit $code"
}
examples 7 7 '' good.tfrecord
echo '{"inputs":[1],"label":1.5}' | tfrec convert --quiet --to=tfrecord -o float.tfrecord -
echo '{"inputs":[1],"labels":1}' | tfrec convert --quiet --to=tfrecord -o other.tfrecord -
echo '{"inputs":[1]}' | tfrec convert --quiet --to=tfrecord -o less.tfrecord -
refuse tfrec append d good.tfrecord float.tfrecord
refuse tfrec append d other.tfrecord
refuse tfrec append d less.tfrecord
refuse tfrec append --split=test d good.tfrecord
refuse tfrec append d
refuse tfrec append good.tfrecord d
refuse tfrec append d nothing.tfrecord
{ cat good.tfrecord; printf x; } >cut.tfrecord
refuse tfrec append d cut.tfrecord
mkdir empty
refuse tfrec append empty good.tfrecord
cp d/x.manifest.json d/y.manifest.json
refuse tfrec append d good.tfrecord
rm d/y.manifest.json
identity d/* >after
cmp before after
ls -A d
# ids beyond the vocabulary, where the manifest knows it
sed 's/^ "features"/ "vocabularies": {"inputs": {"size": 21}},\n&/' d/x.manifest.json >m && mv m d/x.manifest.json
examples 20 21 '' ids.tfrecord
refuse tfrec append d ids.tfrecord
