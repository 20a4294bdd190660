# Killed at any point while it unpacks, compiles, builds the vocabulary or writes shards, the same command goes
# on, and everything is as if it had not been killed; nothing half-made has a final name.
. "$T2_ROOT/tests/e2e/stop_at.subr"
mkdir pack tmp
seq 1 30000 | awk '{ print "Sentence number " $1 " of many words " $1 % 97 "." }' >pack/train.en
seq 1 30000 | awk '{ print "Satz Nummer " $1 " aus vielen W\303\266rtern " $1 % 89 "." }' >pack/train.vi
head -n 200 pack/train.en >pack/tst2012.en
head -n 200 pack/train.vi >pack/tst2012.vi
tar -C pack -czf tmp/train-en-vi.tgz train.en train.vi
tar -C pack -czf tmp/dev-2012-en-vi.tgz tst2012.en tst2012.vi
make_set() { # in the folder: data, tmp
    cd "$1" && $run t2t-datagen --quiet --problem=translate_envi_iwslt32k --data_dir=data --tmp_dir=tmp --offline --train_shards=5 2>/dev/null
}
hashes() { (cd "$1" && find . -type f ! -name '*.lock' -exec sha256sum {} + | sort -k2); }
mkdir whole
cp -r tmp whole
run=calls_of
calls=$(make_set whole)

seed=7
for round in 1 2 3 4 5 6 7 8 9 10 11 12; do
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    [ $((round % 4)) != 1 ] || { rm -rf killed && mkdir killed && cp -r tmp killed; }
    run="stop_at $((1 + seed / 65536 % 95 * calls / 100)) KILL" rc=0
    (make_set killed) || rc=$?
    case $rc in
    137) ;;
    0) [ $((round % 4)) != 1 ] ;; # what the last one has left may need fewer calls
    *) exit $rc ;;
    esac
    # what has its name is complete
    for f in train.en train.vi translate_envi_iwslt32k-compiled-train.lang1 translate_envi_iwslt32k-compiled-train.lang2; do
        [ ! -e killed/tmp/$f ] || cmp killed/tmp/$f whole/tmp/$f
    done
done
run=
(make_set killed)
hashes whole >wanted
hashes killed | diff wanted -

# two runs with one tmp_dir: they take turns at unpacking and compiling
mkdir two
cp -r tmp two
make_half() { # number of the run
    cd two && exec t2t-datagen --quiet --problem=translate_envi_iwslt32k --data_dir="data$1" --tmp_dir=tmp --offline --train_shards=5 2>"log$1"
}
(make_half 1) &
first=$!
(make_half 2)
wait $first
for f in whole/data/translate_envi_iwslt32k-* whole/data/vocab.* whole/tmp/*; do
    name=${f##*/}
    case $f in
    whole/tmp/*) cmp "$f" "two/tmp/$name" ;;
    *) cmp "$f" "two/data1/$name" && cmp "$f" "two/data2/$name" ;;
    esac
done
