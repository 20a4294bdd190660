# A Transformer with memory across chunks: it learns what it can only remember; a run that is stopped in the middle of
# its texts and continued is the run that was not; evaluation does not depend on the size of batches; what it cannot do is refused.
fail() {
    echo "$*" >&2
    exit 1
}
# lines that repeat ten words of their own: a chunk of eight ids alone does not show the next one
awk 'BEGIN {
    srand(11)
    for (i = 0; i < 240; i++) {
        for (j = 0; j < 10; j++) word[j] = "w" int(rand() * 30)
        n = 40 + int(rand() * 50)
        line = word[0]
        for (j = 1; j < n; j++) line = line " " word[j % 10]
        print line
    }
}' >long.txt
t2t-datagen --quiet --name=long --kind=text2self --train=long.txt --dev_percent=10 --vocab_size=100 --num_shards=2 --data_dir=data 2>log
small=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=2,max_length=128,batch_size=1024
small=$small,split_targets_chunk_length=8,max_relative_position=16,learning_rate_warmup_steps=100
train() { # output_dir, memory items, flags
    out=$1 items=$2
    shift 2
    t2t-trainer --problem=long --data_dir=data --output_dir="$out" --model=transformer_memory \
        --hparams_set=transformer_wikitext103_l4k_memory_v0 --hparams=$small,num_memory_items="$items" --num_threads=1 \
        --local_eval_frequency=1000 "$@" 2>log || fail "$(cat log)"
}
train straight 16 --train_steps=37
train stopped 16 --train_steps=37 --pause_at_step=3
train stopped 16 --train_steps=37 --pause_at_step=20
train stopped 16 --train_steps=37
cmp straight/model-37.safetensors stopped/model-37.safetensors || fail "a run that was stopped differs"
cmp straight/optimizer-37.safetensors stopped/optimizer-37.safetensors || fail "a run that was stopped differs"

train remembers 16 --train_steps=400
train forgets 1 --train_steps=400
of() { sed -n "s/.*\"kind\": \"eval\".*\"$2\": \([^,}]*\).*/\1/p" "$1/metrics.jsonl" | tail -n 1; }
awk -v a="$(of remembers perplexity)" -v b="$(of forgets perplexity)" 'BEGIN { exit !(a > 1 && 2 * a < b) }' ||
    fail "perplexity $(of remembers perplexity) with memory, $(of forgets perplexity) without"
# the words and bytes are those of the lines that were held out, whatever chunks cut
tfrec convert --quiet --to=jsonl -o - data/long-dev-* | sed 's/.*"targets":\[\([0-9,]*\),1\].*/\1/; s/,/ /g' >ids
t2t-vocab decode --vocab="$(echo data/vocab.long.*)" ids >held.txt
[ "$(of remembers target_bytes)" = "$(wc -c <held.txt | tr -d ' ')" ] || fail "$(of remembers target_bytes) bytes, $(wc held.txt)"
[ "$(of remembers target_words)" = "$(($(wc -w <held.txt) + $(wc -l <held.txt)))" ] || fail "$(of remembers target_words) words, $(wc held.txt)"

refused() { # message, command
    want=$1
    shift
    if "$@" 2>err >out; then fail "$* is taken"; fi
    grep -qF "$want" err || fail "$(cat err)"
}
set -- t2t-trainer --problem=long --data_dir=data --output_dir=new --train_steps=3 --hparams_set=transformer_wikitext103_l4k_memory_v0
refused "in one process with one data shard" "$@" --model=transformer_memory --hparams=$small --worker_gpu=2
refused "split_targets_chunk_length=8 is not supported" "$@" --model=transformer --hparams=$small
# texts of a chunk are continued; where positions count anew with each chunk, no longer ones
refused "continues one to 8 at most" t2t-decoder --data_dir=data --output_dir=remembers --decode_from_file=long.txt
printf 'w1\nw2\n' >prompts
for seed in 3 3 4; do
    t2t-decoder --quiet --data_dir=data --output_dir=remembers --decode_from_file=prompts --decode_to_file=drawn.$seed \
        --decode_hparams=beam_size=1,extra_length=4,batch_size=64 --random_seed=$seed --hparams=sampling_method=random 2>log || fail "$(cat log)"
    [ "$(wc -l <drawn.$seed)" = 2 ] || fail "$(cat drawn.$seed)"
    [ ! -f kept ] || [ $seed = 4 ] || cmp kept drawn.$seed || fail "another text from the same seed"
    cp drawn.$seed kept
done
