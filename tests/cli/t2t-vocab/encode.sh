# lines to ids, pieces and JSON; line N stays line N whatever the lines hold; any threads, any input
# shellcheck source=tests/cli/t2t-vocab/texts.inc
. "$T2_ROOT/tests/cli/t2t-vocab/texts.inc"
t2t-vocab build --quiet --target_size=100 -o v text.txt
printf 'the house\n\n größte_x \\ 日\nunknown: \360\237\230\200\t\r\n' >lines.txt
t2t-vocab encode --vocab=v <lines.txt
t2t-vocab encode --vocab=v --as=pieces lines.txt
t2t-vocab encode --vocab=v --json lines.txt
t2t-vocab encode --vocab=v --add_eos lines.txt
t2t-vocab encode --vocab=v --json --add_eos lines.txt | tail -n 1
t2t-vocab encode --vocab=bytes lines.txt
# ids come back as the same text
for n in 1 2; do t2t-vocab encode --vocab=v -j$n -o ids$n text.txt lines.txt; done
cmp ids1 ids2 && echo "threads: same bytes"
cat text.txt lines.txt >both.txt
t2t-vocab decode --vocab=v ids1 | cmp - both.txt && echo "decoded: same bytes"
# other inputs
printf 'x\tthe house\n' | t2t-vocab encode --vocab=v --column=2
printf '{"t":"the house"}\n' >t.jsonl
t2t-vocab encode --vocab=v --field=t t.jsonl
tfrec convert --quiet --to=tfrecord -o t.tfrecord t.jsonl
t2t-vocab encode --vocab=v --feature=t t.tfrecord
gzip -c lines.txt | t2t-vocab encode --vocab=v | head -n 1
# a line feed in a text makes no other lines of it
printf '{"t":"the\\nhouse"}\n{"t":""}\n{"t":"the"}\n' | t2t-vocab encode --vocab=v --field=t --json
# no end of line at the end, no line at all
printf 'the' | t2t-vocab encode --vocab=v
t2t-vocab encode --vocab=v </dev/null
# words of a list; what has no entry becomes <UNK>
printf '<pad>\n<EOS>\nthe\nhouse\n<UNK>\n' >list
echo 'the red house' | t2t-vocab encode --vocab=list --add_eos
# a byte that is not UTF-8 counts as U+FFFD; what the originals' readers refuse is only refused when counting
printf 'the \377 house\n' | t2t-vocab encode --vocab=v | t2t-vocab decode --vocab=v | od -An -tx1
# other words when letters are others
printf 'a\352\236\257b\n' >new.txt
for u in 5.2 11; do t2t-vocab encode --vocab=v --unicode=$u new.txt; done
