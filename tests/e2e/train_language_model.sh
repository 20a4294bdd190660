# A language model from one text file by one command: perplexities in the log, metrics.jsonl and the events, the
# same for any batch size and as --score_file has them; a text that is continued; prompts that are continued.
fail() {
    echo "$*" >&2
    exit 1
}
awk 'BEGIN {
    srand(7)
    split("the cat;a dog;the old man;my friend;every small bird", who, ";")
    split("sees;likes;wants;hears", does, ";")
    for (i = 0; i < 1500; i++) {
        w = int(rand() * 5) + 1
        print who[w], does[int(rand() * 4) + 1], who[w % 5 + 1], "and", who[w], int(rand() * 100000), "times ."
    }
}' >corpus.txt
small=hidden_size=32,filter_size=64,num_heads=2,num_hidden_layers=1,batch_size=1024,learning_rate_constant=1.0,learning_rate_warmup_steps=20

train() {
    t2t-trainer --text=corpus.txt --output_dir=run --num_threads=1 --local_eval_frequency=20 "$@" 2>log || fail "$(cat log)"
}
train --train_steps=20 --hparams_set=transformer_tiny --hparams=$small
train --train_steps=60
grep -q "'text' is complete, nothing to do" log || fail "the data are made twice: $(cat log)"
[ -f run/data/text.manifest.json ] || fail "no data in run/data"
grep -q "dev: perplexity [0-9.]*  per word [0-9.]*  per byte [0-9.]*  ([0-9]* ids, [0-9]* words, [0-9]* bytes)" log || fail "$(cat log)"
of() { sed -n "s/.*\"kind\": \"eval\", \"step\": $1,.*\"$2\": \([^,}]*\).*/\1/p" run/metrics.jsonl; }
awk -v a="$(of 20 word_perplexity)" -v b="$(of 60 word_perplexity)" 'BEGIN { exit !(a > b && b > 1) }' || fail "$(cat run/metrics.jsonl)"
tfrec events run/eval/* >events
for tag in perplexity word_perplexity byte_perplexity bits_per_byte; do grep -q "t2t/$tag" events || fail "no t2t/$tag"; done

# what is evaluated does not depend on the size of batches
for size in 300 1024 8192; do
    t2t-trainer --quiet --problem=text --data_dir=run/data --output_dir=run --schedule=evaluate --batch_size=$size |
        sed -n 's/.*dev: \(perplexity.*\)/\1/p' | sed 's/\([.][0-9]\{4\}\)[0-9]*/\1/g' >scores.$size
    [ -s scores.$size ] || fail "no perplexity of batch_size $size"
    cmp scores.300 scores.$size || fail "$(cat scores.*)"
done

# lines by themselves: the lines that were held out are of the text, and their losses give the same perplexity
t2t-datagen --quiet --name=lines --kind=text2self --train=corpus.txt --dev_percent=5 --vocab_size=300 --num_shards=2 --data_dir=lines 2>log
t2t-trainer --quiet --problem=lines --data_dir=lines --output_dir=by_line --num_threads=1 --train_steps=30 --hparams_set=transformer_tiny \
    --hparams=$small 2>log || fail "$(cat log)"
t2t-trainer --quiet --problem=lines --data_dir=lines --output_dir=by_line --schedule=evaluate >said
words=$(sed -n 's/.*, words = \([0-9]*\),.*/\1/p' said)
tfrec convert --quiet --to=jsonl -o - lines/lines-dev-* | sed 's/.*"targets":\[\([0-9,]*\),1\].*/\1/; s/,/ /g' >ids
t2t-vocab decode --vocab="$(echo lines/vocab.lines.*)" ids >held.txt
while read -r line; do grep -qxF "$line" corpus.txt || fail "'$line' is no line of the text"; done <held.txt
[ $(($(wc -w <held.txt) + $(wc -l <held.txt))) = "$words" ] || fail "$words words, but the lines have $(wc held.txt)"
grep -q ", bytes = $(wc -c <held.txt | tr -d ' ')$" said || fail "$(cat said) $(wc held.txt)"
t2t-decoder --quiet --data_dir=lines --output_dir=by_line --score_file=held.txt --decode_to_file=losses
paste losses ids | awk -v words="$words" '{ sum += $1 * NF } END { printf "%.3f\n", exp(sum / words) }' >by_lines
sed -n 's/.*word_perplexity = \([0-9.]*\),.*/\1/p' said | awk '{ printf "%.3f\n", $1 }' | cmp - by_lines || fail "$(cat said by_lines)"

# prompts are continued; the same seed draws the same
printf 'the cat likes\nmy friend\n' >prompts
draw() {
    t2t-decoder --quiet --data_dir=run/data --output_dir=run --decode_from_file=prompts --decode_to_file="$1" --random_seed="$2" \
        --decode_hparams=beam_size=1,extra_length=10 \
        --hparams=sampling_method=random,sampling_temp=0.8,sampling_keep_top_k=20,sampling_keep_top_p=0.95 2>err || fail "$(cat err)"
    [ ! -s err ] || fail "$(cat err)"
    [ "$(wc -l <"$1")" = 2 ] || fail "$(cat "$1")"
}
draw one 1
draw again 1
draw other 2
cmp one again
if cmp -s one other; then fail "two seeds draw the same: $(cat one)"; fi

# another text under the same name is refused
echo "one more line" >>corpus.txt
if t2t-trainer --text=corpus.txt --output_dir=run --train_steps=61 2>log; then fail "another text is taken for the same"; fi
grep -q "corpus.txt\|another" log || fail "$(cat log)"
if t2t-trainer --text=nowhere.txt --output_dir=new --hparams_set=transformer_tiny 2>log; then fail "a text that is not there"; fi
grep -q -- "--text: there is no file 'nowhere.txt'" log || fail "$(cat log)"
