# Dumps of page histories, packed in four ways, on any threads and by tasks: the same bytes; killed and run again too.
command -v python3 >/dev/null || { echo "no python3 to draw dumps" >&2; exit 77; }
mkdir plain packed
for i in 1 2 3 4; do
    python3 "$T2_ROOT/tests/support/make_page_histories.py" "plain/h$i-pages-meta-history$i.xml" $i 25
done
bzip2 -c plain/h1* >packed/h1-pages-meta-history1.xml.bz2
gzip -c plain/h2* >packed/h2-pages-meta-history2.xml.gz
xz -c plain/h3* >packed/h3-pages-meta-history3.xml.xz
cp plain/h4* packed
run=
make_set() { # DIR FLAGS...
    dir=$1
    shift
    $run t2t-datagen --quiet --problem=wiki_revision_packed256 --data_dir="$dir" --wiki_revision_num_train_shards=3 "$@"
}
make_set whole --tmp_dir=plain --num_threads=1 2>/dev/null
sums() { (cd "$1" && sha256sum wiki_revision_packed256-* vocab.*); }
sums whole >whole.sums
make_set threads --tmp_dir=packed --num_threads=4 --max_memory=600M 2>/dev/null
sums threads | diff whole.sums -
make_set prefix --wiki_revision_data_prefix=plain/h 2>/dev/null
diff -x '*.json' -r whole prefix
for task in 2 0 1; do
    make_set tasks --tmp_dir=plain --task=$task/3 2>/dev/null
done
make_set tasks --tmp_dir=plain --join 2>/dev/null
diff -r whole tasks
# a shard by its number, as the original's tasks
make_set one --tmp_dir=plain --task_id=1 2>/dev/null
cmp whole/wiki_revision_packed256-train-00001-of-00003 one/wiki_revision_packed256-train-00001-of-00003
cmp whole/stats_wiki_revision_packed256-train-00001-of-00003 one/stats_wiki_revision_packed256-train-00001-of-00003
# killed anywhere
. "$T2_ROOT/tests/e2e/stop_at.subr"
run=calls_of
calls=$(make_set counted --tmp_dir=plain 2>/dev/null)
for point in 2 20 50 80; do # per cent
    run="stop_at $((point * calls / 100 + 1)) KILL" rc=0
    make_set killed --tmp_dir=plain 2>/dev/null || rc=$?
    [ $rc = 137 ] || { [ $rc = 0 ] && [ $point -gt 20 ]; } # what the last one has left may need fewer calls
done
run=
make_set killed --tmp_dir=plain 2>/dev/null
diff -r whole killed
t2t-datagen --check=killed --quiet
# other flags are another data set
make_set killed --tmp_dir=plain --nowiki_revision_introduce_errors 2>err && exit 1
grep "made from something else (samples: " err
# a vocabulary of one's own
cp whole/vocab.wiki_revision.strip.32768 mine
make_set given --tmp_dir=plain --wiki_revision_vocab_file=mine 2>/dev/null
sums given | diff whole.sums -
# under mpirun
if command -v mpirun >/dev/null; then
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n 2 t2t-datagen --quiet \
        --problem=wiki_revision_packed256 --data_dir=mpi --tmp_dir=plain --wiki_revision_num_train_shards=3 2>err || { cat err; exit 1; }
    diff -r whole mpi
fi
