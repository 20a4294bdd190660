try() {
    rc=0
    "$@" || rc=$?
    echo "exit code $rc"
}
try data_download --serch
try data_download --random_seed=-1
try data_download more
try t2t-datagen --layout=other
try t2t-datagen --search --problem=translate_ende_numbers
try t2t-datagen --layout=official --problem=translate_ende_numbers
try t2t-datagen --layout=official --vocab=x
try t2t-datagen --layout=official --invalid=drop
try t2t-datagen --layout=official --name=x --train=a.en,a.de --max_ratio=2
try t2t-datagen --layout=official --name=x --dev=a.en,a.de
try t2t-datagen --layout=official --name=x --train=a.tsv
try t2t-datagen --layout=official --name=x --train=a.en,a.de --test=a.en,a.de
try t2t-datagen --layout=official --name=wmt32k --train=a.en,a.de
try t2t-datagen --layout=official --name=x --train=a.en,a.de --vocab_size=-5
