# gzip and zlib as TensorFlow's writer gives them, .idx as tfrecord2idx does
data=${T2_DATA:-$T2_ROOT/../shared/data}/goldens/formats/tfrecord
[ -d "$data" ] || { echo "no goldens/formats/tfrecord in T2_DATA" >&2; exit 77; }
for name in four compressible none; do
    tfrec merge --quiet -o plain "$data/$( [ -f "$data/$name.tfrecord" ] && echo $name.tfrecord || echo $name.tfrecord.gz)"
    tfrec merge --quiet --compress=gzip -o a.gz plain
    cmp a.gz "$data/$name.tfrecord.gz"
    tfrec merge --quiet --compress=zlib -o a.zlib plain
    cmp a.zlib "$data/$name.tfrecord.zlib"
    tfrec merge --quiet --compress=bgzip -o a.bgzip plain
    gzip -dc <a.bgzip | cmp - plain
done
cp "$data/four.tfrecord" .
tfrec index --dali four.tfrecord
cmp four.tfrecord.idx "$data/four.tfrecord.idx"
# every real file: index, count, one shard set and back
for file in "$data"/../../../tfrecord-samples/*.tfrecord*; do
    name=$(basename "$file")
    tfrec merge --quiet -o plain "$file"
    cp "$file" "$name"
    tfrec index --binary "$name" >/dev/null
    [ "$(tfrec cat --raw --framed "$name" | cksum)" = "$(cksum <plain)" ]
    tfrec split --quiet --shards=3 --compress=bgzip -o "x-$name" "$name"
    tfrec merge --quiet -o back "x-$name@3"
    cmp back plain
    n=$(tfrec count --json "$name" | sed 's/.*"records": \([0-9]*\), "bytes": [0-9]*}$/\1/')
    echo "$n $name"
    [ "$n" = 0 ] || [ "$(tfrec get --raw -1 "$name" | cksum)" = "$(tfrec tail --raw -n 1 "$name" | cksum)" ]
done
