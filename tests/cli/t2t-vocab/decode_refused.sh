# lines that are no ids, wrong usage
printf '<pad>\n<EOS>\nthe\n' >list
no() { t2t-vocab decode "$@" <ids || echo "exit $?"; }
echo 2 >ids
no
no --vocab=nothing
no --vocab=list nothing
no --vocab=list -o /dev/null/out
no --vocab=list --output=/dev/full
printf 'a\nb\n' >words
no --vocab=words --stop_at_eos
for line in 'two' '2 - 2' '2147483648' '2;2' '1.5' '99999999999999999999999'; do
    printf '2\n%s\n' "$line" >ids
    no --vocab=list -o out
done
no --vocab=list --from=text
for line in '{"ids":2}' '{"ids":["the"]}' '{"ids":[2147483648]}' '{"pieces":[2]}' '{"pieces":["cat"]}' '[2]' '{"ids":['; do
    printf '{"ids":[2]}\n%s\n' "$line" >ids
    no --vocab=list --from=json -o out
done
printf 'the\nthe cat\n' >ids
no --vocab=list --from=pieces -o out
ls out* 2>/dev/null || echo none
