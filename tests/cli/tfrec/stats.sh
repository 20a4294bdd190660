# tables and JSON of a small set with a vocabulary and a duplicate; the same for any number of threads
printf '%s\n' '{"ids":[3,1],"label":[7],"score":[0.5],"text":["a<b"]}' \
    '{"ids":[4,5,1],"label":[7],"score":[1.5],"text":["é"]}' \
    '{"ids":[4,5,1],"label":[7],"score":[1.5],"text":["é"]}' \
    '{"ids":[9],"label":[-2],"text":["a<b"]}' | tfrec convert --to=tfrecord -o a.tfrecord --quiet -
printf '<pad>\n<EOS>\nthe\ncat\n<UNK>\nsat\n' >vocab
for flags in "" "--json" "--vocab=vocab --top=1" "--vocab=vocab --json"; do
    echo "== $flags"
    # shellcheck disable=SC2086 # flags are words
    tfrec stats --quiet -j 1 $flags a.tfrecord | tee one
    # shellcheck disable=SC2086
    tfrec stats --quiet -j 2 $flags a.tfrecord >two
    cmp one two
done
