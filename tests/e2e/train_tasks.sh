# Several problems in one run: a language model with a translation and classes behind it; two translations into each
# other, which the id at the end of the source tells apart; shares; a run that goes on has the same bits; refusals.
. "$T2_ROOT"/tests/e2e/train_common.subr
fail() {
    echo "$*" >&2
    exit 1
}
awk 'BEGIN {
    srand(3)
    split("one two three four five six", en, " ")
    split("eins zwei drei vier funf sechs", de, " ")
    for (i = 0; i < 1200; i++) {
        n = 2 + int(rand() * 3); a = b = ""
        for (k = 0; k < n; k++) { w = int(rand() * 6) + 1; a = a (k ? " " : "") en[w]; b = b (k ? " " : "") de[w] }
        print a >"all.en"; print b >"all.de"
        print (n > 3 ? "long" : "short") "\t" a >"all.tsv"
    }
}'
head -n 1000 all.en >train.en && tail -n 200 all.en >dev.en
head -n 1000 all.de >train.de && tail -n 200 all.de >dev.de
cat all.en all.de >both.txt
make_data() { t2t-datagen --quiet --data_dir=data --num_shards=2 "$@" 2>>datagen.log || fail "$(cat datagen.log)"; }
make_data --name=words --kind=text2self --train=both.txt --dev_percent=5 --vocab_size=60
vocab=$(echo data/vocab.words.*)
make_data --name=ende --train=train.en,train.de --dev=dev.en,dev.de --vocab="$vocab"
make_data --name=deen --train=train.de,train.en --dev=dev.de,dev.en --vocab="$vocab"
make_data --name=kinds --kind=text2class --train=all.tsv --tsv=2,1 --dev_percent=10 --vocab="$vocab"
small=hidden_size=32,filter_size=64,num_heads=2,num_hidden_layers=1,batch_size=512,learning_rate_constant=1.0,learning_rate_warmup_steps=40

run() { # folder, problems, hparams, flags
    out=$1 problems=$2 hparams=$3
    shift 3
    t2t-trainer --problem="$problems" --data_dir=data --output_dir="$out" --hparams_set=transformer_tiny --hparams="$small$hparams" \
        --num_threads=1 --local_eval_frequency=40 "$@" 2>"$out.log" || return
}

# two directions: one model, which learns both, and is told by the problem which
run both ende+deen ,multiproblem_schedule_threshold=0.5 --train_steps=300 --local_eval_frequency=300 || fail "$(cat both.log)"
for pair in "ende en de" "deen de en"; do
    set -- $pair
    t2t-decoder --quiet --problem="$1" --data_dir=data --output_dir=both --decode_from_file=dev."$2" --decode_to_file=out."$3" 2>err || fail "$(cat err)"
    right=$(paste -d'|' out."$3" dev."$3" | awk -F'|' '$1 == $2 { n++ } END { print n + 0 }')
    [ "$right" -gt 150 ] || fail "$1: $right of 200 lines are right: $(paste out."$3" dev."$3" | head -n 5)"
done
t2t-decoder --quiet --data_dir=data --output_dir=both --decode_from_file=dev.en --decode_to_file=first.de
cmp first.de out.de || fail "the first problem is not what is meant without --problem"

# a language model of all; in one go, and killed between
run whole words+ende ,multiproblem_mixing_schedule=exponential,multiproblem_schedule_max_examples=500 --train_steps=60
run pieces words+ende ,multiproblem_mixing_schedule=exponential,multiproblem_schedule_max_examples=500 --train_steps=60 --pause_at_step=23
fails 2 run pieces words+ende '' --train_steps=60 && says pieces.log "multiproblem_mixing_schedule" || exit 1
run pieces words+ende ,multiproblem_mixing_schedule=exponential,multiproblem_schedule_max_examples=500 --train_steps=60 || fail "$(cat pieces.log)"
cmp whole/model-60.safetensors pieces/model-60.safetensors || fail "a run that goes on has other bits"
grep -q '"problem": "words+ende"' whole/state-60.json || fail "$(cat whole/state-60.json)"
t2t-decoder --quiet --problem=ende --data_dir=data --output_dir=whole --decode_from_file=dev.en --decode_to_file=lm.de 2>err || fail "$(cat err)"
[ "$(wc -l <lm.de)" = 200 ] || fail "lines: $(wc -l <lm.de)"

# labels of classes are ids behind the vocabulary and the three problems
run classes words+ende+kinds ,multiproblem_per_task_threshold=1+1+8 --train_steps=40 || fail "$(cat classes.log)"
grep -q "vocabulary $(($(wc -l <"$vocab") + 3 + 2))\$" classes.log || fail "$(cat classes.log)"
n=$(cat data/words-dev-* data/ende-dev-* data/kinds-dev-* | tfrec count - | awk '{ print $1 }')
grep -q "step 40  dev: .* ($n sequences" classes.log || fail "not all $n are evaluated: $(cat classes.log)"
n=$(cat data/ende-dev-* | tfrec count - | awk '{ print $1 }')
run second words+ende ,multiproblem_target_eval_only=true --train_steps=20 || fail "$(cat second.log)"
grep -q "step 20  dev: .* ($n sequences" second.log || fail "not $n are evaluated: $(cat second.log)"

# what does not go together
fails 2 run other ende+words '' && grep -q "problem 'words' cannot be trained on with others" other.log || fail "$(cat other.log)"
fails 2 run other ende+ende '' && grep -q "names 'ende' twice" other.log || fail "$(cat other.log)"
# what is behind an id counts for more than what is in front of it: the first loss is linear in the weight
for weight in 0 0.5 1; do
    run weigh$weight words+ende+kinds ,multiproblem_reweight_label_loss=true,multiproblem_label_weight=$weight --train_steps=1 \
        --log_step_count_steps=1 || fail "$(cat weigh$weight.log)"
    sed -n 's/.*"train", "step": 1, "loss": \([^,]*\),.*/\1/p' weigh$weight/metrics.jsonl >>weighed
done
paste -s -d' ' weighed | awk '{ d = ($1 + $3) / 2 - $2; exit !(d < 1e-3 && d > -1e-3 && ($1 - $3) ^ 2 > 1e-6) }' || fail "losses: $(cat weighed)"

fails 2 run other words+ende ,multiproblem_per_task_threshold=1+2+3 && says other.log "must be 2 weights" || exit 1
fails 2 run other words+ende ,multiproblem_mixing_schedule=never && says other.log "constant, exponential, pretrain" || exit 1
fails 2 run other ende+deen ,multiproblem_reweight_label_loss=true && says other.log "for a first problem without inputs" || exit 1
fails 2 run other words+ende ,multiproblem_reweight_label_loss=true,multiproblem_label_weight=2 && says other.log "between 0 and 1" || exit 1
t2t-datagen --quiet --name=alien --train=train.en,train.de --dev=dev.en,dev.de --vocab_size=40 --data_dir=data --num_shards=1 2>>datagen.log
fails 2 run other words+alien '' && says other.log "of another vocabulary" || exit 1
[ ! -e other ] || fail "a refused run left a folder"
