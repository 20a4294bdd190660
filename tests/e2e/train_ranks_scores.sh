# Scores of --eval_metrics on several ranks are those of one process, also those of all examples together (ROC AUC, BLEU
# of the corpus, matches of whole sets): the ranks' predictions are gathered.
# With sanitizers by name: the tests of metrics and train_ranks_saves.sh run the same code
. "$T2_ROOT/tests/e2e/train_common.subr"
. "$T2_ROOT/tests/e2e/ranks.subr"
need_mpirun
data data 600

evaluated() { sed -n 's/\("kind": "eval".*\), "seconds.*/\1/p' "$1/metrics.jsonl" | tail -n 1; }
# evaluate RUN FLAGS: by one process, by two and by three ranks, with the same scores to the last digit; those in $line
evaluate() {
    run=$1
    shift
    for n in 1 2 3; do
        rm -rf "$run.$n"
        cp -r "$run" "$run.$n"
        # shellcheck disable=SC2086
        $mpirun $options -n $n t2t-trainer --data_dir=data --output_dir="$run.$n" --schedule=evaluate --num_threads=1 "$@" >/dev/null 2>>"$run.log"
        evaluated "$run.$n" >"scores.$n"
    done
    cmp scores.1 scores.2
    cmp scores.1 scores.3
    line=$(cat scores.1)
}
has() { # names that the line has as numbers
    for name; do
        case $line in *"\"$name\": "[-0-9]*) ;; *) echo "no $name in $line" >&2 && return 1 ;; esac
    done
}

train text 60 --num_threads=1 --worker_gpu=3 --schedule=train --hparams=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=1,batch_size=512,learning_rate_constant=1
evaluate text --eval_steps=3 --problem=translate_ende_numbers \
    --eval_metrics=sacrebleu_score,approx_sari_score,approx_bleu_score,rouge_2_fscore,rouge_L_fscore,edit_distance
has sacrebleu_score approx_sari_score approx_bleu_score rouge_2_fscore rouge_L_fscore edit_distance

awk 'BEGIN {
    for (i = 0; i < 400; i++) {
        a = (i * 37 % 101 - 50) / 25; b = (i * 53 % 97 - 48) / 24
        file = i < 300 ? "train" : "dev"
        set = (a > 0 ? ",\"up\"" : "") (b > 0 ? ",\"far\"" : "")
        printf "{\"x\": [%.4f, %.4f], \"y\": [%s]}\n", a, b, substr(set, 2) >(file ".jsonl")
    }
}'
t2t-datagen --quiet --name=sets --kind=table2labels --data_dir=data --train=train.jsonl --dev=dev.jsonl --jsonl=x:y
t2t-trainer --quiet --problem=sets --data_dir=data --output_dir=sets --model=basic_fc_relu --hparams_set=basic_fc_small \
    --train_steps=20 --worker_gpu=3 --num_threads=1 --schedule=train --hparams=batch_size=20,num_hidden_layers=1,hidden_size=8
evaluate sets --eval_steps=4 --problem=sets \
    --eval_metrics=roc_auc,sigmoid_precision_one_hot,sigmoid_recall_one_hot,sigmoid_cross_entropy_one_hot
has roc_auc sigmoid_recall_one_hot set_precision
