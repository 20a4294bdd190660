# Records of another program that say which targets count (targets_mask): what does not count is not learned, and
# evaluations say the loss and masked_neg_log_perplexity of the rest, the other scores of all.
export PATH="$PWD:$PATH"
mkdir data all
rows() { # n, mask of position p of the targets: an expression of awk
    awk -v n="$1" "BEGIN {
        for (i = 0; i < n; i++) {
            t = m = \"\"; len = 3 + i % 4
            for (p = 0; p < len; p++) { t = t (50 + (i * 7 + p * (p < 2 ? i % 5 : 1)) % 9) \",\"; m = m ($2) \",\" }
            printf \"{\\\"inputs\\\":[%d,%d,1],\\\"targets\\\":[%s1],\\\"targets_mask\\\":[%s1]}\\n\", 40 + i % 9, 40 + i % 7, t, m
        }
    }"
}
records() { # data_dir, split, n, mask
    rows "$3" "$4" | tfrec convert --quiet --to=tfrecord -o "$1/mine-$2-00000-of-00001" -
}
records data train 200 'p >= 2'
records data dev 40 'p >= 2'
records all train 200 1
records all dev 40 1
fit() { # data_dir, output, flags
    d=$1 o=$2
    shift 2
    t2t-trainer --quiet --problem=mine --data_dir="$d" --output_dir="$o" --train_steps=100 --hparams_set=transformer_tiny \
        --hparams=hidden_size=16,filter_size=16,num_heads=2,num_hidden_layers=1,batch_size=256,learning_rate_warmup_steps=20,learning_rate_constant=0.3 \
        --eval_metrics=masked_neg_log_perplexity "$@"
}
score() { # output, key
    sed -n "/\"eval\"/s/.*\"$2\": *\([^,}]*\).*/\1/p" "$1/metrics.jsonl" | tail -n 1
}
score_of_training() { # output: targets that were learned
    sed -n 's/.*"train".*"target_tokens": *\([0-9]*\).*/\1/p' "$1/metrics.jsonl" | awk '{ n += $1 } END { print n }'
}
fit data masked
fit data masked2 --worker_gpu=2 --hparams=hidden_size=16,filter_size=16,num_heads=2,num_hidden_layers=1,batch_size=128,learning_rate_warmup_steps=20,learning_rate_constant=0.3
fit all all

# Where all count, both scores are one; where not, what counts is learned, and the rest is not.  The loss of bytes
# is twice that of ids.
[ "$(score all masked_neg_log_perplexity)" = "$(score all neg_log_perplexity)" ]
for run in masked masked2; do
    awk -v m="$(score $run masked_neg_log_perplexity)" -v n="$(score $run neg_log_perplexity)" -v l="$(score $run loss)" \
        'BEGIN { exit !(m > -1.5 && n < m - 0.5 && l < -2 * m + 0.5 && l > -2 * m - 0.5) }' ||
        { grep '"eval"' $run/metrics.jsonl >&2; exit 1; }
done
# 2 targets of each of 200 records do not count: 1100 count of 1500 in an epoch, and the same of the batches
awk -v a="$(score_of_training all)" -v m="$(score_of_training masked)" 'BEGIN { exit !(m / a < 0.7 && m / a > 0.5) }'

# damage is named by record, and what does not go with masks is said
says() { # text, command: fails so
    text=$1 code=0
    shift
    "$@" 2>log >out </dev/null || code=$?
    [ $code != 0 ] && grep -q -- "$text" log || { echo "exit code $code of $*:" >&2; cat log >&2; exit 1; }
}
mkdir bad
cp all/mine-dev-* bad
{
    rows 3 1
    echo '{"inputs":[40,1],"targets":[50,51,1],"targets_mask":[1,3,1]}'
} | tfrec convert --quiet --to=tfrecord -o bad/mine-train-00000-of-00001 -
says "mine-train-00000-of-00001': record 3 .*: targets_mask\[1\] is 3, not 0 or 1" fit bad none
says 'records have a targets_mask' fit data none \
    --hparams=hidden_size=16,filter_size=16,num_heads=2,num_hidden_layers=1,pack_dataset=true,max_length=64
says 'cannot be trained on with others: its records have a targets_mask' t2t-trainer --quiet --problem=mine+mine --data_dir=data --output_dir=none --hparams_set=transformer_tiny
[ ! -e none ]
