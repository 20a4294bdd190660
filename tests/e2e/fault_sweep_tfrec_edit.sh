# tfrec's commands that change a finished data set: every fault ends in the right bytes or in a message (fault_at.subr)
. "$T2_ROOT/tests/e2e/fault_sweep_tfrec.subr"
(
    cd start || exit 1
    mkdir d
    tfrec reshard --quiet --shards=2 -o d/x-train a.tfrecord
    tfrec reshard --quiet --shards=1 -o d/x-dev b.tfrecord
    tfrec index --quiet --manifest d >/dev/null
)
same_stdout=0 # the second time nothing is left to do
sweep_commands tfrec <<'END'
append --quiet d b.tfrecord
remove --quiet --where=label==3 d
relabel --quiet --feature=label --map=1:2,2:1 d
relabel --quiet --set=inputs=4,4 --where=label==1 --split=train d
END
tells_on_stdout=1 # damage is what verify prints
sweep_commands tfrec <<END
verify --quiet d
END
swept
