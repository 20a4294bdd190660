# tfrec's commands that write files of records: every fault ends in the right bytes or in a message (fault_at.subr)
. "$T2_ROOT/tests/e2e/fault_sweep_tfrec.subr"
(cd start && tfrec split --quiet --shards=2 -o x a.tfrecord && { cat a.tfrecord && printf 'something else' && cat b.tfrecord; } >damaged.tfrecord)
sweep_commands tfrec <<'END'
index --quiet --with=label a.tfrecord
split --quiet --shards=3 -o y a.tfrecord
merge --quiet --compress=gzip -o y.gz a.tfrecord b.tfrecord
merge --quiet --compress=bgzip -j 2 -o y.gz a.tfrecord.gz b.tfrecord
reshard --quiet --shards=3 -o z x@2
filter --quiet --where=label==3 -o y.tfrecord a.tfrecord b.tfrecord
project --quiet --keep=id,text -o y.tfrecord a.tfrecord
dedup --quiet -o y.tfrecord a.tfrecord b.tfrecord
sort --quiet --by=label --max_memory=1M -o y.tfrecord a.tfrecord b.tfrecord
shuffle --quiet --seed=3 --max_memory=1M -o y.tfrecord a.tfrecord b.tfrecord
shuffle --quiet --seed=3 -o y@2 a.tfrecord b.tfrecord
END
job() { $run tfrec salvage --quiet -o y.tfrecord damaged.tfrecord >stdout || [ $? = 1 ]; }
swept
