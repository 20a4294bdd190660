# Text of one's own that is not two files side by side: tables, labels, one side, ids, mixtures, filters.
make_set() { # name, split, flags: the records of one split
    name=$1 split=$2
    shift 2
    t2t-datagen --quiet --name="$name" --data_dir=d --train_shards=1 "$@" 2>&1 | grep -v 'smaller vocabulary' || :
    echo "$name:"
    tfrec cat "d/$name-$split-00000-of-00001" | LC_ALL=C sort
}

printf '{"t": {"en": "one", "de": "eins"}}\n{"t": {"en": "one", "de": "eins"}}\n{"t": {"en": "two"}}\n' >a.jsonl
make_set jsonl train --train=a.jsonl --dev=a.jsonl --jsonl=t.en,t.de --drop_duplicates=pairs --vocab_type=character

printf 'id,text,label\n1,"good, ""very""",pos\n2,bad,neg\n3,fine,pos\n' >b.csv
make_set classes dev --kind=text2class --train=b.csv --dev=b.csv --csv=text,label --vocab_type=character
grep -A3 '"labels":' d/classes.manifest.json | tr -d ' \n'
echo

printf 'a b a\nc a\n' >m.txt
make_set self dev --kind=text2self --train=m.txt --dev=m.txt --vocab_type=tokens
cat d/vocab.self.tokens

printf '5 6\t7 1\n8\t9\n' >ids.tsv
make_set ids dev --train=ids.tsv --dev=ids.tsv --vocab_type=ids --vocab_size=10

printf 'w%s\n' 1 2 3 4 >w.txt
printf 'v\n' >v.txt
t2t-datagen --quiet --name=mixed --kind=text2self --train='w=w.txt;v=v.txt' --dev=v.txt --mix=w:2,v:1 \
    --vocab_type=character --train_shards=1 --data_dir=d
echo mixed:
tfrec cat d/mixed-train-00000-of-00001 | LC_ALL=C sort

printf 'a long line\nx\n' >f.txt
make_set filtered train --kind=text2self --train=f.txt --dev=f.txt --min_length=2 --max_tokens=20 \
    --targets_prefix='> ' --vocab_type=character

printf 'A house is red.\tEin Haus ist rot.\nno sentence\tkein Satz\n' >c.tsv
make_set clean train --train=c.tsv --dev=c.tsv --clean=inputs --vocab_type=character

# What was made with other flags is another data set.
t2t-datagen --quiet --name=filtered --kind=text2self --train=f.txt --dev=f.txt --min_length=1 --max_tokens=20 \
    --targets_prefix='> ' --vocab_type=character --train_shards=1 --data_dir=d 2>&1 || echo "exit code $?"
