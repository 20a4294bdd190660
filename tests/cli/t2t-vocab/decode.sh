# ids to text: separators, ids out of range, <EOS>, threads
# shellcheck source=tests/cli/t2t-vocab/texts.inc
. "$T2_ROOT/tests/cli/t2t-vocab/texts.inc"
t2t-vocab build --quiet --target_size=100 -o v text.txt
ids=$(echo 'the house' | t2t-vocab encode --vocab=v)
echo "$ids 1 $ids" >ids.txt
t2t-vocab decode --vocab=v ids.txt
t2t-vocab decode --vocab=v --stop_at_eos <ids.txt
# shellcheck disable=SC2086 # one number each
{
    printf '[%s]\n' "$(echo $ids | sed 's/ /, /g')"
    printf '%s\t' $ids && echo
    echo
    echo "0 $ids 999999 -5 $ids"
} | t2t-vocab decode --vocab=v
t2t-vocab encode --vocab=v -o all.ids text.txt
for n in 1 2; do t2t-vocab decode --vocab=v -j$n -o text$n all.ids; done
cmp text1 text2 && cmp text1 text.txt && echo "threads: same bytes, and those of the text"
gzip -c all.ids | t2t-vocab decode --vocab=v | cmp - text.txt && echo "gzip: the same"
# pieces and JSON; blanks in pieces are only told apart in JSON
echo 'the house on hill' | t2t-vocab encode --vocab=v --as=pieces | t2t-vocab decode --vocab=v --from=pieces
t2t-vocab encode --vocab=v --json text.txt >all.json
t2t-vocab decode --vocab=v --from=json -j2 all.json | cmp - text.txt && echo "JSON: the same"
sed 's/"ids": [^]]*], //' all.json | t2t-vocab decode --vocab=v --from=json | cmp - text.txt && echo "pieces: the same"
printf '{"pieces":["the_","<EOS>_","house_"]}\n{"ids":[]}\n' | t2t-vocab decode --vocab=v --from=json --stop_at_eos
# every valid text comes back: bytes that end lines apart, all control characters, planes, escapes
awk 'BEGIN { for (i = 1; i < 128; i++) if (i != 10) printf "%c%s", i, i % 16 ? "" : "\n"; print ""
    print "\\u \\\\u_ \\1234; <pad> <EOS>_ <pad>_ \\9999999999; \\; _"; print " a  b "; print "_"; print "\\" }' >odd.txt
printf 'e\314\201 \342\200\250 \302\205 \357\273\277 \360\237\221\251\342\200\215\360\237\232\200 \364\217\277\277\n' >>odd.txt
t2t-vocab encode --vocab=v odd.txt | t2t-vocab decode --vocab=v | cmp - odd.txt && echo "odd text: the same"
printf '%s\n' '104 107' '1 104 0 2 999' | t2t-vocab decode --vocab=bytes | od -An -tx1
