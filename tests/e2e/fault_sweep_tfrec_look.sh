# tfrec's commands that print: every fault ends in the right bytes or in a message (fault_at.subr)
. "$T2_ROOT/tests/e2e/fault_sweep_tfrec.subr"
(
    cd start || exit 1
    head -c 500 a.tfrecord >cut.tfrecord
    tfrec merge --quiet --compress=bgzip -o c.tfrecord.gz a.tfrecord
)
sweep_commands tfrec <<'END'
count a.tfrecord b.tfrecord a.tfrecord.gz c.tfrecord.gz
head -n 3 a.tfrecord.gz
tail -n 3 c.tfrecord.gz
sample -n 4 --seed=1 a.tfrecord
cat -j 2 a.tfrecord.gz b.tfrecord
get 3 -1 b.tfrecord
get 3 -1 a.tfrecord
schema a.tfrecord
schema --format=parsing_spec -o spec.py a.tfrecord
stats --json a.tfrecord
report -o x.html a.tfrecord
raw -n 2 a.tfrecord
diff a.tfrecord a.tfrecord.gz
diff --set a.tfrecord c.tfrecord.gz
filter --where=label==3 --count a.tfrecord b.tfrecord
END
tells_on_stdout=1 # damage is what verify prints
sweep_commands tfrec <<END
verify a.tfrecord a.tfrecord.gz b.tfrecord
END
tells_on_stdout=0
job() { $run tfrec cat - <a.tfrecord >"$job_output"; }
sweep 'tfrec cat - <a.tfrecord'
swept
