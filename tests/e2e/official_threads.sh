# The same bytes for any number of threads and any memory; with --search, and with text of one's own.
. "$T2_ROOT/tests/e2e/official_common.subr"
raw raw 3000
for n in 1 2 7; do
    pair d$n/newstest2014 5
    data_download --quiet --data_dir=d$n --raw_dir=raw --num_threads=$n --search --shuffle_memory=${n}0K
    sums d$n >sums$n
    t2t-datagen --quiet --layout=official --name=mine --train=raw/commoncrawl.de-en.en,raw/commoncrawl.de-en.de \
        --dev=raw/dev/newstest2013.en,raw/dev/newstest2013.de --vocab_size=300 --train_shards=7 --raw_dir=raw \
        --data_dir=m$n -j $n
    sums m$n >own$n
done
cmp sums1 sums2
cmp sums1 sums7
cmp own1 own2
cmp own1 own7
[ "$(find m1 -name 'mine-train-0000?-of-00007' | wc -l)" = 7 ]
[ -f m1/vocab.mine.300 ]
# pairs that are not equal: the last source may be, the others may not
echo 'a line more' >>raw/training/europarl-v7.de-en.en
pair more/newstest2014 5
data_download --data_dir=more --raw_dir=raw 2>log
grep -q "1 of the train samples left out: a line that the other side does not have" log
echo 'eine Zeile mehr' >>raw/commoncrawl.de-en.de
rc=0
data_download --data_dir=more --raw_dir=raw 2>log || rc=$?
[ $rc = 1 ]
tail -n 1 log | grep -q "all pairs of the sources behind them would be shifted"
