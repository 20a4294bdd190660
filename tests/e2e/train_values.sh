# Tables of numbers and texts to numbers, sets of labels and classes: made, trained with the same bits for any number
# of threads and as data shards, evaluated, predicted.
. "$T2_ROOT/tests/e2e/train_common.subr"

# y = 2 a - b + 1, and which of three things hold
awk 'BEGIN {
    for (i = 0; i < 600; i++) {
        a = (i * 37 % 101 - 50) / 25; b = (i * 53 % 97 - 48) / 24
        file = i < 500 ? "train" : "dev"
        if (i == 0 || i == 500) print "a,b,y" >(file ".csv")
        printf "%.4f,%.4f,%.4f\n", a, b, 2 * a - b + 1 >(file ".csv")
        set = (a > 0 ? ",\"up\"" : "") (b > 0 ? ",\"far\"" : "") (a > b ? ",\"more\"" : "")
        printf "{\"x\": [%.4f, %.4f], \"y\": [%s]}\n", a, b, substr(set, 2) >(file ".jsonl")
        printf "%s %s\t%d\n", (a > 0 ? "high" : "low"), (b > 0 ? "far" : "near"), (a > 0) + 2 * (b > 0) >(file ".tsv")
        printf "%.4f\t%.4f\t%s\n", a, b, (a > b ? "yes" : "no") >(file ".classes.tsv")
    }
}'
make_set() { # name, kind, flags
    t2t-datagen --quiet --name="$1" --kind="$2" --data_dir=data --train_shards=2 "$3" "$4" $5
}
make_set numbers table2real --train=train.csv --dev=dev.csv ''
make_set sets table2labels --train=train.jsonl --dev=dev.jsonl --jsonl=x:y
make_set texts text2real --train=train.tsv --dev=dev.tsv --vocab_type=character
make_set classes table2class --train=train.classes.tsv --dev=dev.classes.tsv ''
t2t-datagen --quiet --check=data >/dev/null

printf 'layers:\n- dense: {units: 12, activation: relu}\n- dense: $classes\n' >net.yaml
fit() { # problem, model, output, flags
    problem=$1 model=$2 out=$3
    shift 3
    t2t-trainer --quiet --problem="$problem" --data_dir=data --output_dir="$out" --model="$model" \
        --hparams_set=basic_fc_small --train_steps=200 --eval_steps=100 --local_eval_frequency=200 \
        --hparams='batch_size=50,num_hidden_layers=0,optimizer=adam,learning_rate_schedule=constant,learning_rate_constant=0.03' \
        "$@"
}
score() { # output, name
    sed -n "/\"eval\"/s/.*\"$2\": *\([^,}]*\).*/\1/p" "$1/metrics.jsonl" | tail -n 1
}
at_least() { # value, bound
    awk -v x="$1" -v y="$2" 'BEGIN { exit !(x + 0 >= y) }' || { echo "$1 is below $2" >&2; return 1; }
}
fit numbers basic_fc_relu one --num_threads=1
fit numbers basic_fc_relu two --num_threads=2
cmp one/model-200.safetensors two/model-200.safetensors
at_least "$(score one r_squared)" 0.999
at_least 0.05 "$(score one rmse)"
# two data shards: the same scores of the same variables
fit numbers basic_fc_relu shards --worker_gpu=2
at_least "$(score shards pearson)" 0.999
fit sets net.yaml sets --eval_metrics=sigmoid_accuracy,sigmoid_cross_entropy_one_hot
at_least "$(score sets binary_accuracy)" 0.95
at_least "$(score sets set_recall)" 0.9
# what is asked for is the loss by another name, and comes after a start of one's own, too
[ "$(score sets sigmoid_cross_entropy_one_hot | cut -c1-6)" = "$(score sets loss | cut -c1-6)" ]
at_least "$(score sets sigmoid_precision_one_hot)" 0.9
[ -z "$(score sets roc_auc)$(score one log_poisson)" ]
t2t-trainer --quiet --problem=numbers --data_dir=data --output_dir=one --model=basic_fc_relu --schedule=evaluate \
    --eval_metrics=log_poisson,two_class_log_likelihood >said
grep -q 'pearson = .*, log_poisson = .*, two_class_accuracy = .*, two_class_log_likelihood = ' said
tfrec events sets | grep -q 'metrics-sets/targets/sigmoid_recall_one_hot'
code=0
t2t-trainer --problem=sets --data_dir=data --output_dir=none --model=net.yaml --hparams_set=basic_fc_small --eval_metrics=rmse 2>log || code=$?
[ "$code" = 2 ]
grep -q "'rmse' is not said of such targets; there are binary_accuracy, " log
fit classes net.yaml classes
at_least "$(score classes accuracy)" 0.95

# predictions of the dev split are as good as the evaluation said
cut -d, -f1,2 dev.csv >in.csv
t2t-decoder --quiet --data_dir=data --output_dir=one --decode_from_file=in.csv --decode_to_file=out.csv
tail -n +2 dev.csv | paste -d, - out.csv |
    awk -F, '{ s += ($3 - $4) ^ 2 } END { exit !(NR == 100 && sqrt(s / NR) < 0.05) }'
t2t-decoder --quiet --data_dir=data --output_dir=sets --decode_from_file=in.csv --decode_to_file=labels
grep -qxF 'far|up' labels || grep -qxF 'far|more|up' labels
[ "$(wc -l <labels)" = 100 ]
cut -f1,2 dev.classes.tsv >in.tsv
t2t-decoder --quiet --data_dir=data --output_dir=classes --decode_from_file=in.tsv --decode_to_file=names
[ "$(sort -u names | tr '\n' ' ')" = 'no yes ' ]

# texts to a number
t2t-trainer --quiet --problem=texts --data_dir=data --output_dir=texts --model=transformer_encoder \
    --hparams_set=transformer_tiny --train_steps=150 --eval_steps=10 --local_eval_frequency=150 \
    --hparams=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=1,batch_size=512,learning_rate_schedule=constant,learning_rate_constant=0.003
cut -f1 dev.tsv >in.txt
t2t-decoder --quiet --data_dir=data --output_dir=texts --decode_from_file=in.txt --decode_to_file=out.txt
paste dev.tsv out.txt | awk -F'\t' '{ s += ($2 - $3) ^ 2 } END { exit !(NR == 100 && sqrt(s / NR) < 1) }'
# equal texts have equal answers, whatever is beside them
[ "$(paste -d' ' in.txt out.txt | sort -u | wc -l)" = "$(sort -u in.txt | wc -l)" ]

# the original's model for one number, before and after an interruption
learn() { # output, steps
    t2t-trainer --quiet --problem=texts --data_dir=data --output_dir="$1" --model=transformer_regressor \
        --hparams_set=transformer_tiny --train_steps="$2" --eval_steps=10 --local_eval_frequency=20 \
        --hparams=hidden_size=16,filter_size=24,num_heads=2,num_hidden_layers=1,batch_size=512,learning_rate_schedule=constant,learning_rate_constant=0.003
}
learn whole 40
learn parts 20
learn parts 40
cmp whole/model-40.safetensors parts/model-40.safetensors
t2t-decoder --quiet --data_dir=data --output_dir=whole --decode_from_file=in.txt --decode_to_file=out.txt
[ "$(grep -cE '^-?[0-9.e+-]+$' out.txt)" = 100 ]

refused() { # exit code, text, command...
    code=$1 text=$2
    shift 2
    fails "$code" "$@" 2>log
    says log "$text"
}
refused 1 'is of values' t2t-decoder --data_dir=data --output_dir=one --decode_interactive
refused 1 'does not read tables of numbers' t2t-trainer --problem=numbers --data_dir=data --output_dir=x \
    --model=resnet --hparams_set=resnet_50 --train_steps=1
