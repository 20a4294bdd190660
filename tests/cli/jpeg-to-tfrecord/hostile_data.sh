# The lists and the files of goldens/hostile: what its expected.json says, but for quotes, which are read here (RFC 4180).
hostile=$T2_DATA/goldens/hostile
[ -d "$hostile/csv" ] || { echo "no goldens/hostile in T2_DATA" >&2; exit 77; }
mkdir images
gif='GIF89a\1\0\1\0\200\0\0\1\2\3\4\5\6,\0\0\0\0\1\0\1\0\0\2\2D\1\0;'
for name in a.jpg b.jpg a,1.jpg 'blüte 1.jpg'; do printf "$gif" >"images/$name"; done
printf 'daisy\nroses\n' >labels
for f in "$hostile"/csv/*; do
    name=${f##*/}
    cp "$f" "$name"
    echo "== $name"
    jpeg-to-tfrecord --quiet --train_csv="$name" --image_dir=images --labels_file=labels --output_dir=out \
        --overwrite 2>&1 | grep -v '^train: ' || true
    [ ! -e out/train-00000-of-00001 ] || tfrec cat --quiet --fields=image/filename,image/class/synset out/train-00000-of-00001
    rm -rf out
done
cp -r "$hostile/pictures" hostile
jpeg-to-tfrecord --quiet --check=hostile | sed 's/  */ /g' || true
