# t2t-vocab stats: a line that would take more than its share of --max_memory, or of what there is, is refused with its
# place before it is encoded (it took ten times its length); lines that may be that long stay below the limit.
printf 'a\nb\nab\n' | t2t-vocab build --quiet --target_size=10 -o v -
head -c 40000000 /dev/zero | tr '\0' a >long.txt
head -c 3500000 /dev/zero | tr '\0' a >short.txt
for i in 1 2 3 4 5 6 7 8 9 10; do echo "$i" && cat short.txt && echo; done >short10.txt
printf '{"text":["' >long.jsonl && cat long.txt >>long.jsonl && printf '"]}\n' >>long.jsonl
tfrec convert --quiet --from=jsonl --to=tfrecord -o long.tfrecord long.jsonl

refuses() { # what it says, command
    says=$1
    shift
    if "$@" >out 2>log; then exit 1; fi
    grep -q "$says" log || { cat log && exit 1; }
}
refuses "'long.txt': line 1, from byte 0 on, is longer than 4.2 MB, which is what one line may have of --max_memory" \
    t2t-vocab stats --max_memory=64M --vocab=v long.txt
refuses "'long.tfrecord': record 0 is longer than 4.2 MB, which is what one may have of --max_memory: raise it" \
    t2t-vocab stats --max_memory=64M --vocab=v --feature=text long.tfrecord
case ${T2_BUILD:-} in */asan | */tsan) echo "memory of sanitizers is another" >&2; exit 77 ;; esac
[ -x /usr/bin/time ] || { echo "no /usr/bin/time" >&2; exit 77; }
/usr/bin/time -f %M -o kb t2t-vocab stats --quiet --max_memory=64M -j 1 --vocab=v short10.txt >out
grep -q '350000[0-9] tokens' out
kb=$(tail -n 1 kb)
[ "$kb" -lt 200000 ] || { echo "$kb kB" && exit 1; }
