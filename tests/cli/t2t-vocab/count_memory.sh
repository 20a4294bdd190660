# counts that do not fit into --max_memory go to disk: the same bytes for any limit, any number of threads
awk 'BEGIN { for (i = 0; i < 9000; i++) print "common words of line", i, "x" i * 7919 % 9000 "y and some that are again and again" }' >text.txt
t2t-vocab count --quiet -o want text.txt
mkdir tmp
for limit in 1 900K; do
    for n in 1 2; do
        t2t-vocab count -j$n --max_memory=$limit --tmp_dir=tmp -o have text.txt 2>log
        cmp want have
        [ $limit = 900K ] || grep -q 'joining [0-9]* sorted parts' log
    done
done
ls tmp
for task in 0 1 2; do t2t-vocab count --quiet --task=$task/3 --max_memory=1 -o part$task text.txt; done
t2t-vocab build --quiet --target_size=500 -o v text.txt
t2t-vocab build --quiet --target_size=500 --counts -o parts part0 part1 part2
cmp v parts
for n in 1 2; do
    t2t-vocab build --quiet -j$n --target_size=500 --max_memory=200M --tmp_dir=tmp -o limited text.txt
    cmp v limited
done
# the whole tree would take 19 MB: built without its rare nodes, the same bytes
t2t-vocab build --quiet -j1 --target_size=500 -o whole text.txt
t2t-vocab build --quiet -j1 --target_size=500 --max_memory=17M -o pruned text.txt
cmp whole pruned
t2t-vocab build --quiet -j1 --target_size=500 --max_memory=12M -o x text.txt || echo "exit $?"
# what cannot be built is refused, without reading everything
t2t-vocab build --quiet -j1 --target_size=500 --max_memory=300K -o x text.txt || echo "exit $?"
t2t-vocab build --quiet --target_size=500 --max_memory=300K -o x --counts want || echo "exit $?"
t2t-vocab count --tmp_dir=none -o x text.txt || echo "exit $?"
t2t-vocab build --tmp_dir=none -o x text.txt || echo "exit $?"
t2t-vocab count --max_memory=lots -o x text.txt || echo "exit $?"
ls x* 2>/dev/null || echo "nothing half-made"
