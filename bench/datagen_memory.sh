#!/bin/sh
# What t2t-datagen takes under --max_memory, of a text grown by bench/grow_text.py:
#   bench/datagen_memory.sh [MB [MAX_MEMORY [FOLDER]]]        2000 512M and a folder of its own
# One line per run: seconds, peak RSS (VmHWM, as /usr/bin/time -v says), the limit.  Exit code 1 when one is above.
# The first run builds the vocabulary; the second has one shard, which does not fit; the third deals at random.
set -eu
mb=${1:-2000} limit=${2:-512M} dir=${3:-$(mktemp -d)}
tool=${TOOL:-$(dirname "$0")/../build/release/bin/t2t-datagen}
[ -s "$dir/text.en" ] || python3 "$(dirname "$0")/grow_text.py" --mb "$mb" --out "$dir/text"
head -n 3000 "$dir/text.en" >"$dir/dev.en"
head -n 3000 "$dir/text.de" >"$dir/dev.de"
limit_kib=$(python3 -c 'import sys; n = sys.argv[1]; print(int(n[:-1]) << {"K": 0, "M": 10, "G": 20}[n[-1]])' "$limit")
bad=0
measure() {
    what=$1
    shift
    rm -rf "$dir/out"
    /usr/bin/time -f '%e %M' -o "$dir/time" "$tool" --quiet --name=grown --train="$dir/text.en,$dir/text.de" \
        --dev="$dir/dev.en,$dir/dev.de" --data_dir="$dir/out" --max_memory="$limit" "$@" || { bad=1; return; }
    read -r seconds kib <"$dir/time"
    verdict=within
    [ "$kib" -le "$limit_kib" ] || { verdict=ABOVE; bad=1; }
    echo "$what: $seconds s, peak $((kib / 1024)) MiB, $verdict the limit of $((limit_kib / 1024)) MiB"
}
measure 'vocabulary and 100 shards'
cp "$dir"/out/vocab.* "$dir/vocab" 2>/dev/null || exit 1
measure 'one shard' --vocab="$dir/vocab" --num_shards=1
measure 'global shuffle' --vocab="$dir/vocab" --shuffle=global
[ $# -ge 3 ] || rm -rf "$dir"
exit $bad
