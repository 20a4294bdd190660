# The bytes of every rewriting command do not depend on threads, on memory, or on how the input came.
# shellcheck source=tests/e2e/external_common.subr
. "$T2_ROOT/tests/e2e/external_common.subr"
records 60000 a.tfrecord
rewrite() { # output, then the command
    o=$1
    shift
    tfrec "$@" --quiet -o "$o-1" -j 1 a.tfrecord >"$o-1.txt"
    tfrec "$@" --quiet -o "$o-2" -j 2 a.tfrecord >"$o-2.txt"
    tfrec "$@" --quiet -o "$o-3" -j 3 - <a.tfrecord | sed "s/'-'/'a.tfrecord'/" >"$o-3.txt"
    for i in 2 3; do
        cmp "$o-1" "$o-$i"
        cmp "$o-1.txt" "$o-$i.txt"
    done
}
rewrite filter filter --where='label < 5 || text =~ "7$"'
rewrite project project --drop=label --rename=id:number
for memory in 1G 1M; do
    rewrite shuffle-$memory shuffle --seed=5 --max_memory=$memory
    rewrite sort-$memory sort --by='label:desc,len(inputs)' --max_memory=$memory
    rewrite dedup-$memory dedup --max_memory=$memory
done
for c in shuffle sort dedup; do cmp $c-1G-1 $c-1M-1; done
tfrec diff --set a.tfrecord shuffle-1M-1
tfrec diff --set --max_memory=1M a.tfrecord sort-1M-1
[ "$(tfrec filter --count --where='1' dedup-1M-1)" = 54000 ]
tfrec filter --where='label == 3' -j 1 a.tfrecord >rows-1
tfrec filter --where='label == 3' -j 2 a.tfrecord >rows-2
cmp rows-1 rows-2
tfrec filter --quiet --where='1' -o all@7 -j 2 a.tfrecord
tfrec diff 'all@7' a.tfrecord
