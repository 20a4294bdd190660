# every real file, TensorFlow's goldens and what Tensor2Tensor wrote: every command, on one thread and on two
. "$T2_ROOT/tests/cli/tfrec/matrix.inc"
data=${T2_DATA:-$T2_ROOT/../shared/data}
[ -d "$data/tfrecord-samples" ] || { echo "no tfrecord-samples in T2_DATA" >&2; exit 77; }
for file in "$data"/tfrecord-samples/* "$data"/goldens/formats/tfrecord/*.tfrecord* "$data"/goldens/formats/events/*; do
    case $file in *.md | *.idx) continue ;; esac
    echo "== ${file##*/}"
    matrix "$file"
done
# one file of each kind of data set
for run in "$data"/reference-runs/*; do
    file=$(find "$run" -type f -name '*-of-0*' -size -300k | sort | head -n 1)
    [ -n "$file" ] || continue
    echo "== ${run##*/}: ${file##*/}"
    matrix "$file"
done
