# t2t-decoder --serve: 32 clients at once get what a file of their lines gets, byte for byte, though they come in
# batches of any composition; a newer checkpoint is taken up; what is accepted is answered after a signal.
. "$T2_ROOT/tests/e2e/train_common.subr"
. "$T2_ROOT/tests/e2e/serve_common.subr"

data data 400
train run 8

# lines of very different lengths, which the model, hardly trained, translates as long as it may
for i in $(seq 32); do
    seq -s ' ' "$i" $((i + i * i % 13)) >"line.$i"
done
cat line.? line.?? >lines
for f in line.? line.??; do
    printf '{"instances": ["%s"]}' "$(cat "$f")" >"body.${f#line.}"
done
settings=--decode_hparams=beam_size=2,extra_length=12,batch_size
# a batch of its own for each line is what results must not differ from
t2t-decoder --quiet --output_dir=run --data_dir=data $settings=1 --decode_from_file=lines --decode_to_file=want

serve --output_dir=run --data_dir=data $settings=8
clients=
for f in body.? body.??; do
    curl -sS --max-time 120 -o "answer.${f#body.}" --data-binary "@$f" "$predict" &
    clients="$clients $!"
done
for p in $clients; do
    wait "$p"
done
for f in answer.? answer.??; do
    sed -n 's/^{"predictions": \[{"outputs": \[[0-9, ]*\], "scores": [-0-9.e]*, "text": "\(.*\)"}\]}$/\1/p' "$f"
done >got
cmp want got || { diff want got | head >&2; cat answer.1 >&2; exit 1; }

# the same in one request, by rows and by columns; ids come back as ids, alone and in an Example
{
    printf '{"instances": ['
    sed 's/.*/"&"/' lines | paste -sd , -
    printf ']}'
} >all
answers 200 --data-binary @all "$predict"
grep -o '"text": "[^"]*"' answer | sed 's/^"text": "//; s/"$//' | cmp want -
sed 's/"instances"/"inputs"/' all >columns
answers 200 --data-binary @columns "${url}v1/models/transformer/versions/8:predict"
sed 's/.*"text": \["//; s/"\]}}$//; s/", "/\n/g' answer | cmp want -
answers 200 -d '{"instances": [[5, 6, 7, 1], {"input": {"b64": "ChQKEgoGaW5wdXRzEggaBgoEBQYHAQ=="}}, "  "]}' "$predict"
grep -qF ', {"outputs": [], "scores": 0, "text": ""}]}' answer
sed 's/^{"predictions": \[//; s/}, {/\n/g' answer | sed -n '1s/^{//p; 2p' | uniq | wc -l | grep -qx 1

answers 200 "${url}healthz"
answers 200 "$url"
grep -q '"name": "transformer"' answer
answers 200 "${url}v1/models/transformer"
grep -q '"state": "AVAILABLE"' answer
answers 200 "${url}v1/models/transformer/metadata"
grep -q '"signature_def"' answer
answers 200 "${url}metrics"
grep -q '^t2t_requests_total{code="200"} [1-9]' answer
grep -q '^t2t_instances_waiting 0$' answer
rows=$(sed -n 's/^t2t_batch_rows_sum //p' answer) batches=$(sed -n 's/^t2t_batch_rows_count //p' answer)
[ "$rows" -gt "$batches" ] || { echo "$batches batches of $rows rows: nothing was batched" >&2; exit 1; }

# short texts and a long one are in the model together: more than 4 of 5
above_4() {
    answers 200 "${url}metrics"
    echo $(($(sed -n 's/^t2t_batch_rows_count //p' answer) - $(sed -n 's/^t2t_batch_rows_bucket{le="4"} //p' answer)))
}
before=$(above_4)
answers 200 -d "{\"instances\": [\"1 2\", \"3 4\", \"5 6\", \"7 8\", \"$(seq -s ' ' 60)\"]}" "$predict"
[ "$(above_4)" -gt "$before" ] || { echo "a long text waited until the short ones had left" >&2; exit 1; }

# a newer checkpoint
train run 9
until answers 200 "${url}v1/models/transformer" && grep -q '"version": "9"' answer; do
    kill -0 $server
    sleep 0.2
done
t2t-decoder --quiet --output_dir=run --data_dir=data $settings=1 --decode_from_file=lines --decode_to_file=newer
answers 200 --data-binary @all "$predict"
grep -o '"text": "[^"]*"' answer | sed 's/^"text": "//; s/"$//' | cmp newer -
refuses 404 'Servable not found for request: Specific(transformer, 8)' -d '{}' "${url}v1/models/transformer/versions/8:predict"

# what was accepted is answered
curl -sS --max-time 120 -o last --data-binary @all "$predict" &
client=$!
while kill -0 $client 2>/dev/null && answers 200 "${url}metrics" && grep -q '^t2t_instances_waiting 0$' answer; do
    :
done
stop_server
wait $client && grep -o '"text": "[^"]*"' last | sed 's/^"text": "//; s/"$//' | cmp newer -
