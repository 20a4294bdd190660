# Orders of the records: the original's, over all shards, or that of the text; never a matter of threads or memory.
i=0
while [ $i -lt 999 ]; do i=$((i + 1)); echo "$i"; done >n
# the numbers of a set, shard by shard; of ids, since a character is its byte and 2
records() {
    tfrec head -n 999 "$1"/mine-train-0000?-of-00004 | sed 's/.*"targets":\[\([0-9,]*\),1\].*/\1/' |
        awk -F, '{ s = ""; for (i = 1; i <= NF; i++) s = s ($i - 50); print s }'
}
make_set() { d=$1; shift; t2t-datagen --quiet --name=mine --vocab_type=character --train=n,n --dev=n,n --num_shards=4 --data_dir="$d" "$@"; }
for how in t2t global none; do
    make_set $how-1 --shuffle=$how --num_threads=1
    make_set $how-3 --shuffle=$how --num_threads=3 --max_memory=128M --shuffle_memory=1000
    diff -r $how-1 $how-3
    echo "$how: $(records $how-1 | head -5 | tr '\n' ' ')"
    records $how-1 | sort -n | cmp - n
    tfrec count $how-1/mine-train-* | awk '{ print $1 }' | tr '\n' ' '
    echo
    grep '"shuffle"' $how-1/mine.manifest.json || true
done
# the shard of a number: in turn, but for global
for how in t2t global none; do
    tfrec head -n 999 $how-1/mine-train-00001-of-00004 | wc -l
    records $how-1 | sed -n '251,500p' | awk '$1 % 4 == 2' | wc -l
done
make_set global-1 --shuffle=none || echo "exit code $?"
make_set d --shuffle=sort || echo "exit code $?"
make_set d --shuffle=none --layout=official || echo "exit code $?"
make_set d --max_memory=1M --num_threads=2 || echo "exit code $?"
