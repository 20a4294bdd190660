# the same bytes for any number of threads, in every format
seq 0 20000 | sed 's/.*/{"id":&,"text":"line & of many, with a comma","ids":[&,7,3],"f":&.5}/' >a.jsonl
for to in tfrecord csv tar npz bag bagz; do
    tfrec convert -j 1 --quiet -o one.$to a.jsonl
    tfrec convert -j 2 --quiet -o two.$to a.jsonl
    cmp one.$to two.$to
    tfrec convert -j 2 --quiet --list_separator=' ' -o back.tfrecord one.$to
    tfrec convert -j 1 --quiet --list_separator=' ' -o again.tfrecord two.$to
    cmp back.tfrecord again.tfrecord
    [ $to = tar ] || cmp one.tfrecord back.tfrecord
done
tfrec convert -j 3 --quiet -o back.jsonl one.tfrecord
tfrec convert -j 1 --quiet -o again.jsonl one.tfrecord
cmp back.jsonl again.jsonl
