# convert: exact ones there and back; the ids stay
. "$T2_ROOT/tests/cli/t2t-vocab/small_subwords.inc"
same() {
    t2t-vocab verify --with=lines.txt "$1" "$2" | tail -n 1
}
echo "-- t2t, official"
t2t-vocab convert --to=official -o o.subwords a.subwords
head -n 3 o.subwords
same a.subwords o.subwords
t2t-vocab convert --to=t2t -o t.subwords o.subwords
cmp a.subwords t.subwords
t2t-vocab convert --from=t2t --to=official -o - a.subwords | cmp - o.subwords
t2t-vocab convert --to=t2t -o - a.subwords | cmp - a.subwords

echo "-- tiktoken, tokenizer.json"
awk 'BEGIN {
    c = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    for (i = 0; i < 256; ++i)
        print substr(c, int(i / 4) + 1, 1) substr(c, i % 4 * 16 + 1, 1) "== " i
    print "dGg= 256\ndGhl 257\nIGM= 258\nIGNh 259\nYXQ= 260" # th the, blank c, blank ca, at
}' >ranks.tiktoken
t2t-vocab convert --to=tokenizer.json -o r.json ranks.tiktoken
sed -n '/"merges"/,$p' r.json | tr -d ' \n'
echo
same ranks.tiktoken r.json
t2t-vocab convert --quiet --to=tiktoken -o back.tiktoken r.json
cmp ranks.tiktoken back.tiktoken
ls
