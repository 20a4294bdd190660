# What wiki_revision* cannot take, and dumps that are none.
try() {
    rc=0
    t2t-datagen --quiet --problem=wiki_revision --data_dir=d --tmp_dir=dumps "$@" || rc=$?
    echo "$rc"
}
try
mkdir dumps
echo "no dump" >dumps/x-pages-meta-history1.xml
try --wiki_revision_percent_identical_examples=4
try --max_cases=3
try --shuffle=global
try --num_threads=1 --max_memory=128M
try --wiki_revision_vocab_file=none
try --test_shards=2
try --wiki_revision_num_train_shards=1 --wiki_revision_num_dev_shards=0
ls d
