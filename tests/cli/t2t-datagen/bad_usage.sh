try() {
    rc=0
    t2t-datagen --data_dir=d "$@" || rc=$?
    echo "exit code $rc"
}
try --train=a.en,a.de
try --train=a.en --name=x
try --train=a.en,a.de --name='My Corpus'
try --train=a.en,a.de --name=translate_ende_numbers
try --train=a.en,a.de --name=x --vocab_size=100 --source_vocab_size=50
try --train=a.en,a.de --name=x --source_vocab_size=50
try --train=a.en,a.de --name=x --vocab_size=-1
try --train=a.en,a.de --name=x --num_shards=200000
try --train=a.en,a.de --name=x --num_shards=2 --train_shards=3
try --train=a.en,a.de --name=x --random_seed=x
try --dev=a.en,a.de --name=x
try --problem=translate_ende_numbers more
printf 'a\nb\n' >list
printf '#version: 0.2\na b</w>\n' >codes
try --train=a.en,a.de --name=x --vocab=list --oov_token=c
try --train=a.en,a.de --name=x --vocab=codes --oov_token=a
try --train=a.en,a.de --name=x --source_vocab=codes
ls
