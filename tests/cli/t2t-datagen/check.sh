# --check finds what no longer is as the manifest says; --info tells what a set holds.
t2t-datagen --quiet --problem=translate_ende_numbers --max_cases=3000 --num_shards=3 --data_dir=d
printf 'a\tx\nb\ty\nonly one\nc c\tz z\n' >pairs.tsv
t2t-datagen --quiet --name=mine --vocab_type=character --train=pairs.tsv --dev=pairs.tsv --num_shards=2 --data_dir=d
t2t-datagen --check=d
t2t-datagen --check=d --json
t2t-datagen --info --problem=mine --data_dir=d | sed 's/version [^,]*,/version VERSION,/'
t2t-datagen --info --problem=mine --data_dir=d --json
damaged() {
    rm -rf e && cp -r d e
    "$@"
    t2t-datagen --quiet --check=e || echo "exit code $?"
}
one_byte() { printf 'x' | dd of="$1" bs=1 seek=50 conv=notrunc 2>/dev/null; }
damaged one_byte e/mine-train-00000-of-00002
damaged rm e/mine-dev-00000-of-00001
damaged cp e/mine-train-00000-of-00002 e/mine-train-00001-of-00002
damaged one_byte e/vocab.translate_ende_numbers.1024.subwords
damaged one_byte e/translate_ende_numbers.dev.en
damaged sed -i 's/"max_length": 4/"max_length": 5/' e/mine.manifest.json
damaged sed -i 's/"size": 258/"size": 100/' e/mine.manifest.json
truncated() { truncate -s 1000 "$1"; }
damaged truncated e/mine.manifest.json | sed "s/json:[0-9:]*/json:LINE:COLUMN:/"
mkdir empty
t2t-datagen --check=empty || echo "exit code $?"
t2t-datagen --info --data_dir=d || echo "exit code $?"
t2t-datagen --info --problem=absent --data_dir=d || echo "exit code $?"
