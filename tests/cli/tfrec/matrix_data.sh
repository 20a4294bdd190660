# real files: every command, on one thread and on two; matrix_slow.sh has all files
. "$T2_ROOT/tests/cli/tfrec/matrix.inc"
samples=${T2_DATA:-$T2_ROOT/../shared/data}/tfrecord-samples
[ -d "$samples" ] || { echo "no tfrecord-samples in T2_DATA" >&2; exit 77; }
for name in penguin-train-00000-of-00001.gz test_reads.fastq.tfrecord; do
    echo "== $name"
    matrix "$samples/$name"
done
