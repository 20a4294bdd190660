# tfrec convert, from and to everything: every fault ends in the right bytes or in a message (fault_at.subr)
. "$T2_ROOT/tests/e2e/fault_sweep_tfrec.subr"
. "$T2_ROOT/tests/e2e/train_common.subr"
draw_greys start/greys
(
    cd start || exit 1
    rm greys/*/[123]?.bmp greys/*/[6-9].bmp
    tfrec convert --quiet -o a.csv a.tfrecord
    tfrec convert --quiet -o a.tar a.tfrecord
    tfrec convert --quiet -o a.bagz a.tfrecord
    tfrec convert --quiet -o greys.tfrecord greys
    tfrec project --quiet --keep=id,inputs -o i.tfrecord a.tfrecord
    tfrec convert --quiet -o i.npz i.tfrecord
)
sweep_commands tfrec <<'END'
convert --quiet -o y.jsonl a.tfrecord.gz
convert --quiet -o y.tfrecord rows.jsonl
convert --quiet -o y.csv a.tfrecord
convert --quiet -o y.tfrecord a.csv
convert --quiet -o y.tar a.tfrecord
convert --quiet -o y.tfrecord a.tar
convert --quiet -o y.bagz a.tfrecord
convert --quiet --to=tfrecord -o y@2 a.bagz
convert --quiet -o y.npz i.tfrecord
convert --quiet -o y.tfrecord i.npz
convert --quiet --compress=gzip -o y.gz greys
convert --quiet --to=images -o y greys.tfrecord
END
swept
