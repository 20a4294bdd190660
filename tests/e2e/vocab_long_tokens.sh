# words of 100 kB among ordinary ones: building and encoding stay linear in time and memory, the text comes
# back, and the same bytes with threads and with little memory
# Not with sanitizers: their time and memory are others
[ -x /usr/bin/time ] || { echo "no /usr/bin/time" >&2; exit 77; }
awk 'BEGIN { for (i = 0; i < 30000; i++) print "ordinary words of line", i, "x" i * 7919 % 10007, "and some again and again" }' >short.txt
awk 'BEGIN {
    for (k = 0; k < 5; k++) {
        for (i = 0; i < 20000; i++) printf "%s", k == 0 ? "aaaaa" : k == 1 ? "abcab" : sprintf("%c%04d", 97 + k, i * (7919 + k) % 9973)
        print ""
    }
}' >tokens.txt
cat short.txt tokens.txt >long.txt
measure() { # name, command: milliseconds of CPU and kB of memory into variables of that name
    name=$1
    shift
    /usr/bin/time -f '%U %S %M' -o spent "$@"
    read -r user system kb <spent
    eval "${name}_ms=$(echo "$user $system" | awk '{ printf "%d", ($1 + $2) * 1000 }') ${name}_kb=$kb"
    eval "echo \"$name: \${${name}_ms} ms, \${${name}_kb} kB\""
}
measure build_short t2t-vocab build --quiet -j1 --target_size=2000 -o short.vocab short.txt
measure build_long t2t-vocab build --quiet -j1 --target_size=2000 -o long.vocab long.txt
measure encode_short t2t-vocab encode -j1 --vocab=long.vocab -o short.ids short.txt
measure encode_long t2t-vocab encode -j1 --vocab=long.vocab -o long.ids long.txt
# 500,000 characters more, at most 80 bytes each in the builder
# shellcheck disable=SC2154 # by eval
[ "$build_long_kb" -lt $((build_short_kb + 40000 + 10000)) ]
# shellcheck disable=SC2154
[ "$build_long_ms" -lt $((build_short_ms * 10 + 3000)) ]
# shellcheck disable=SC2154
[ "$encode_long_kb" -lt $((encode_short_kb + 20000)) ]
# shellcheck disable=SC2154
[ "$encode_long_ms" -lt $((encode_short_ms * 4 + 1000)) ]
t2t-vocab decode --vocab=long.vocab long.ids | cmp - long.txt
t2t-vocab build --quiet -j2 --target_size=2000 --max_memory=120M -o limited.vocab long.txt
cmp long.vocab limited.vocab
for task in 0 1; do t2t-vocab count --quiet --task=$task/2 --max_memory=300K -o part$task long.txt; done
t2t-vocab build --quiet --counts --target_size=2000 -o parts.vocab part0 part1
cmp long.vocab parts.vocab
