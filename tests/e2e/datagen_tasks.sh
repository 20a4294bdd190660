# Tasks in any order, at one time, killed and run again, on any threads: joined, the same bytes as one process.
i=0
while [ $i -lt 3000 ]; do i=$((i + 1)); echo "line $i with words$((i % 97)) and $((i * 7919 % 1009))"; done >text
head -50 text >dev
. "$T2_ROOT/tests/e2e/stop_at.subr"
killed_at=2
run=
make_grammar() { $run t2t-datagen --quiet --problem=translate_ende_numbers --max_cases=5000 --num_shards=7 "$@"; }
make_text() { $run t2t-datagen --quiet --name=mine --train=text,text --dev=dev,dev --vocab_size=300 --num_shards=5 "$@"; }
make_global() { $run t2t-datagen --quiet --name=mine --train=text,text --dev=dev,dev --vocab_size=300 --num_shards=5 --shuffle=global --max_memory=128M "$@"; }
make_filter() { $run t2t-datagen --quiet --name=mine --train=text,text --dev=dev,dev --vocab_size=300 --num_shards=5 --max_tokens=14 "$@"; }
make_algorithm() { $run t2t-datagen --quiet --problem=algorithmic_reverse_binary40 --max_cases=2000 "$@"; }
for kind in grammar text global filter algorithm; do
    rm -rf whole d
    "make_$kind" --data_dir=whole 2>/dev/null
    # one after the other, backwards
    for task in 2 1 0; do
        "make_$kind" --data_dir=d --task=$task/3 --num_threads=$((task + 1)) 2>/dev/null
        [ -z "$(find d -name '*.manifest.json')" ]
    done
    [ "$(find d -name '*.part-*' | wc -l)" = 3 ]
    "make_$kind" --data_dir=d --join
    diff -r whole d
    "make_$kind" --data_dir=d --task=1/3
    "make_$kind" --data_dir=d --join
    diff -r whole d
    # at one time, one of them killed and run again
    rm -rf d
    for task in 0 1 2 3; do
        [ $task != 2 ] || run="stop_at $killed_at KILL"
        "make_$kind" --data_dir=d --task=$task/4 2>"err$task" &
        eval "pid$task=$!"
        run=
    done
    for task in 0 1 3; do
        eval "wait \$pid$task" || { cat "err$task"; exit 1; }
    done
    # shellcheck disable=SC2154
    wait "$pid2" && echo "$kind: not killed" && exit 1
    killed_at=$((killed_at + 3))
    "make_$kind" --data_dir=d --task=2/4 2>/dev/null
    "make_$kind" --data_dir=d --join
    diff -r whole d
done
# what is missing is said
rm -rf d
make_text --data_dir=d --task=1/2
make_text --data_dir=d --join 2>err && exit 1
grep "has no part of 'mine' with the first shard: a task is missing" err
make_text --data_dir=d --task=0/3 2>/dev/null
make_text --data_dir=d --join 2>err && exit 1
grep "is not made yet: a task is missing" err
make_text --data_dir=d --task=2/3 2>/dev/null
make_text --data_dir=d --task=1/3 2>/dev/null
make_text --data_dir=d --join 2>err && exit 1
grep "both have made 'mine-train-00001-of-00005', they are of another number of tasks" err
rm d/mine.part-*-of-00002.json
make_text --data_dir=d --join 2>err
make_text --data_dir=whole2 2>/dev/null
diff -r whole2 d
# the original's flags
rm -rf d
make_text --data_dir=d --task_id_start=0 --task_id_end=4 2>/dev/null
make_text --data_dir=d --task_id=5
make_text --data_dir=d --task_id=4
make_text --data_dir=d --join
diff -r whole2 d
make_text --data_dir=d --task=3/3 2>err && exit 1
grep -e "--task='3/3': must be I/N" err
make_text --data_dir=d --task_id=6 2>err && exit 1
grep "shards 6 to 6 of 6" err
make_text --data_dir=d --task=0/2 --overwrite 2>err && exit 1
grep "remove the data set first" err
# as mpirun starts them
rm -rf d
OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 t2t-datagen --quiet --name=mine --train=text,text --dev=dev,dev --vocab_size=300 --num_shards=5 --data_dir=d 2>/dev/null &
pid=$!
PMI_RANK=1 PMI_SIZE=2 t2t-datagen --quiet --name=mine --train=text,text --dev=dev,dev --vocab_size=300 --num_shards=5 --data_dir=d 2>/dev/null
wait $pid
diff -r whole2 d
if command -v mpirun >/dev/null; then
    rm -rf d
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n 2 t2t-datagen --quiet --name=mine \
        --train=text,text --dev=dev,dev --vocab_size=300 --num_shards=5 --data_dir=d 2>err || { cat err; exit 1; }
    diff -r whole2 d
fi
