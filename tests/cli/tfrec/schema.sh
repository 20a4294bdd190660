# every format of a small set; the same for any number of threads
printf '%s\n' '{"ids":[3,1],"label":[7],"score":[0.5],"text":["a<b"]}' \
    '{"ids":[4,5,1],"label":[7],"score":[1.5],"text":["é"]}' \
    '{"ids":[4,5,1],"label":[7],"score":[1.5],"text":["é"]}' \
    '{"ids":[9],"label":[-2],"text":["a<b"]}' | tfrec convert --to=tfrecord -o a.tfrecord --quiet -
for format in table json pbtxt tfds parsing_spec; do
    echo "== $format"
    tfrec schema --quiet -j 1 --format=$format a.tfrecord | tee one
    tfrec schema --quiet -j 2 --format=$format -o two a.tfrecord
    cmp one two
done
