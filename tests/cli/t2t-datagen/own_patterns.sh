# Patterns of names: the same as the files one by one, in every format, of pairs, in a problem file.
mkdir p
for i in 2 1 3; do
    seq $((i * 100)) $((i * 100 + 40)) | sed 's/.*/a sentence & of text/' >p/$i.en
    sed 's/sentence/Satz/' p/$i.en >p/$i.de
    paste p/$i.en p/$i.de >p/$i.tsv
    sed 's/.*/{"inputs": "&", "targets": "T &"}/' p/$i.en >p/$i.jsonl
    sed 's/.*/"&","T, &"/' p/$i.en >p/$i.csv
done
set_of() { # DIR FLAGS...
    dir=$1
    shift
    t2t-datagen --quiet --name=x --vocab_size=200 --num_shards=2 --data_dir="$dir" "$@" 2>/dev/null
    (cd "$dir" && sha256sum x-* vocab.*)
}
same() { # PATTERN FILES
    rm -rf a b
    set_of a --train="$1" --dev=p/1.tsv >a.sums
    set_of b --train="$2" --dev=p/1.tsv | cmp - a.sums
    echo "$1: the same as $2"
}
same 'p/*.tsv' p/1.tsv,p/2.tsv,p/3.tsv
same 'p/*.csv' p/1.csv,p/2.csv,p/3.csv
same 'p/*.jsonl' p/1.jsonl,p/2.jsonl,p/3.jsonl
same 'p/*.en,p/*.de' p/1.en,p/1.de,p/2.en,p/2.de,p/3.en,p/3.de
same 'p/[12].tsv;p/3.?n,p/3.de' p/1.tsv,p/2.tsv,p/3.en,p/3.de
mkdir usr
printf 'train: ["[12].tsv"]\ndev: "*3.tsv"\nvocab_size: 200\ntrain_shards: 2\n' >usr/mine.yaml
t2t-datagen --quiet --problem=mine --t2t_usr_dir=usr --tmp_dir=p --data_dir=c 2>/dev/null
grep -c '"role": "pairs"' c/mine.manifest.json
t2t-datagen --quiet --name=y --train='p/*.x' --dev=p/1.tsv --tsv=1,2 --data_dir=d || echo $?
t2t-datagen --quiet --name=y --train='p/*.en,p/1.de' --dev=p/1.tsv --data_dir=d || echo $?
