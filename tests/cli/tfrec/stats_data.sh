# real files: every command that understands a set, the same for any number of threads
samples=${T2_DATA:-$T2_ROOT/../shared/data}/tfrecord-samples
[ -d "$samples" ] || { echo "no tfrecord-samples in T2_DATA" >&2; exit 77; }
for name in chicago_taxi-train-00000-of-00012.gz imagenet-format.tfrecord \
    t2t-translate_ende_wmt32k-records-0-4470.tfrecord wmt14_ende_wpm_32k_test.tfrecord; do
    for command in "stats --json" "stats" "schema" "report -o -"; do
        # shellcheck disable=SC2086 # a command and its flags
        tfrec $command --quiet -j 1 "$samples/$name" >one
        # shellcheck disable=SC2086
        tfrec $command --quiet -j 3 "$samples/$name" >two
        cmp one two
    done
    tfrec schema --quiet "$samples/$name" | head -n 1
done
tfrec stats --quiet "$samples/t2t-translate_ende_wmt32k-records-0-4470.tfrecord"
