# index --manifest: a data set made elsewhere becomes one that knows itself
. "$T2_ROOT/tests/cli/tfrec/edit_set.inc"
sed 's/"version": .*/"version": .../' d/x.manifest.json
tfrec count --json d/x.manifest.json
rm d/x.manifest.json
tfrec index --manifest=words --json d
tfrec index -j 1 --manifest --quiet d/x-train@3
refuse() {
    code=0
    "$@" || code=$?
    echo "exit $code"
}
refuse tfrec index --manifest=words d
refuse tfrec index --manifest=words d/x-train@3
refuse tfrec index --manifest --dali d
refuse tfrec index --manifest -
refuse tfrec index --manifest=a/b ten.tfrecord
refuse tfrec index --manifest=all ten.tfrecord d/x-train@3
ls -A d
