# Flags of one's own text that contradict each other or the files.
try() {
    rc=0
    t2t-datagen --quiet --data_dir=d --name=x "$@" 2>&1 || rc=$?
    echo "exit code $rc"
}
printf 'a\tb\n' >p.tsv
printf 'a\n' >a.txt
printf 'one\tpos\ntwo\t\n' >l.tsv
try --train=p.tsv --kind=text2image
try --train=p.tsv --tsv=1,2 --csv=1,2
try --train=p.tsv --tsv=en,de
try --train=p.tsv --tsv=1
try --train=p.tsv --classes=a,b
try --train=l.tsv --kind=text2class
try --train=l.tsv --kind=text2class --classes=neg,pos
try --train=l.tsv --kind=text2class --source_vocab_size=5 --target_vocab_size=5
try --train=a.txt --kind=text2self --source_vocab_size=5 --target_vocab_size=5
try --train='n=p.tsv;p.tsv' --mix=n:1
try --train='n=p.tsv;m=p.tsv' --mix=n:1
try --train='n=p.tsv' --mix=m:1
try --train='n=p.tsv' --mix=n:0
try --train='n=p.tsv' --mix=n:1,n:2
try --train=p.tsv --max_ratio=0.1
try --train=p.tsv --min_length=5 --max_length=2
try --train=p.tsv --inputs_script=Elvish
try --train=p.tsv --drop_duplicates=yes
try --train=p.tsv --vocab_type=ids
try --train=p.tsv --vocab_type=ids --vocab_size=5
try --train=p.tsv --vocab_type=tokens --vocab=p.tsv
try --train=p.tsv --vocab_type=words
try --train=p.tsv --packed_length=-1
try --train=p.tsv --clean=en
try --train=p.tsv --clean=inputs --kind=text2class
try --train=p.tsv --min_length=9
ls
