# Model Garden's BERT from YAML: sentence_prediction, pretraining and squad learn what is in made-up records, are
# evaluated, continued with the bits of a straight run, and give the same run in plain flags; the same for any
# number of threads.  A registered problem has the name squad, too; here the shards say what they are.
mkdir data
# a row is [CLS] (1), words (4 on), [SEP] (2); its label is whether word 4 is there.  What is masked (3) is word 6
# then, else 7.  The answer is from there to the last word, or at [CLS].
awk -v seed=7 'function r(n) { seed = (seed * 16807) % 2147483647; return seed % n }
function list(a, n, from,   s, i) { s = ""; for (i = 0; i < 16; i++) s = s (i ? "," : "") (i < n ? a[i] : 0); return s }
BEGIN {
    for (row = 0; row < 400; row++) {
        n = 6 + r(11); label = r(2)
        for (i = 0; i < 16; i++) { id[i] = 5 + r(12); mask[i] = 1; type[i] = i > 2 }
        id[0] = 1; id[2] = id[n - 1] = 2
        begin = 0
        if (label) { begin = 4 + r(n - 5); id[begin] = 4 }
        file = row < 320 ? "train" : "dev"
        printf "{\"input_ids\":[%s],\"input_mask\":[%s],\"segment_ids\":[%s],\"label_ids\":[%d]}\n", \
            list(id, n), list(mask, n), list(type, n), label >("classes-" file ".jsonl")
        printf "{\"input_ids\":[%s],\"input_mask\":[%s],\"segment_ids\":[%s],\"start_positions\":[%d],\"end_positions\":[%d]}\n", \
            list(id, n), list(mask, n), list(type, n), begin, label ? n - 2 : 0 >("squad-" file ".jsonl")
        masked = label ? 6 : 7; id[3] = 3
        printf "{\"input_ids\":[%s],\"input_mask\":[%s],\"segment_ids\":[%s],\"masked_lm_positions\":[3,0],\"masked_lm_ids\":[%d,0],\"masked_lm_weights\":[1.0,0.0],\"next_sentence_labels\":[%d]}\n", \
            list(id, n), list(mask, n), list(type, n), masked, label >("masked-" file ".jsonl")
    }
}'
for set in classes masked squad; do
    for split in train dev; do
        tfrec convert --quiet -o "data/$set-$split-00000-of-00001" --to=tfrecord "$set-$split.jsonl"
    done
done

cat >encoder.yaml <<'YAML'
task:
  model:
    encoder:
      bert: {vocab_size: 20, hidden_size: 16, num_layers: 1, num_attention_heads: 2, intermediate_size: 32,
        max_position_embeddings: 16, dropout_rate: 0.0, attention_dropout_rate: 0.0}
trainer:
  train_steps: 300
  steps_per_loop: 100
  summary_interval: 100
  checkpoint_interval: 150
  validation_interval: 300
  optimizer_config:
    learning_rate: {polynomial: {initial_learning_rate: 0.003, decay_steps: 300}}
    warmup: {polynomial: {warmup_steps: 20}}
YAML
cat >classes.yaml <<'YAML'
task:
  model: {num_classes: 2}
  train_data: {input_path: 'data/classes-train*', seq_length: 16, global_batch_size: 16}
  validation_data: {input_path: 'data/classes-dev*', seq_length: 16, global_batch_size: 16}
trainer: {best_checkpoint_export_subdir: best, best_checkpoint_eval_metric: cls_accuracy}
YAML
cat >masked.yaml <<'YAML'
task:
  model: {cls_heads: [{inner_dim: 12, num_classes: 2, dropout_rate: 0.0, name: next_sentence}]}
  train_data: {input_path: 'data/masked-train*', seq_length: 16, max_predictions_per_seq: 2, global_batch_size: 16}
  validation_data: {input_path: 'data/masked-dev*', seq_length: 16, max_predictions_per_seq: 2, global_batch_size: 16}
YAML
cat >answers.yaml <<'YAML'
task:
  train_data: {input_path: 'data/squad-train*', seq_length: 16, global_batch_size: 16}
  validation_data: {input_path: 'data/squad-dev*', seq_length: 16, is_training: false}
YAML
run() { # experiment, file, output folder, flags
    experiment=$1 file=$2 out=$3
    shift 3
    t2t-trainer --experiment="bert/$experiment" --config_file=encoder.yaml --config_file="$file.yaml" --model_dir="$out" "$@" \
        2>>"$out.log" || { cat "$out.log" >&2; exit 1; }
}
accuracy() {
    sed -n 's/.*dev: loss [0-9.]*.* accuracy \([0-9.]*\).*/\1/p' "$1.log" | tail -1
}
least() { # folder, accuracy
    awk -v a="$(accuracy "$1")" -v least="$2" 'BEGIN { exit !(a + 0 >= least) }' || { cat "$1.log" >&2; exit 1; }
}

run sentence_prediction classes one --num_threads=1
run sentence_prediction classes two --num_threads=2
least one 0.9
cmp one/model-300.safetensors two/model-300.safetensors
[ -f one/best/info.json ]
run sentence_prediction classes parts --params_override=trainer.train_steps=150
run sentence_prediction classes parts
cmp one/model-300.safetensors parts/model-300.safetensors
grep -v -e --output_dir -e --max_memory one/flags.txt | tr '\n' '\0' | xargs -0 sh -c 't2t-trainer "$@" --output_dir=plain 2>plain.log' sh
cmp one/model-300.safetensors plain/model-300.safetensors

run pretraining masked masked
least masked 0.9
t2t-trainer --experiment=bert/pretraining --params_override=masked/params.yaml --model_dir=again 2>again.log
cmp masked/model-300.safetensors again/model-300.safetensors

run squad answers answers
least answers 0.9
grep -q "'squad' is not the problem of that name here; by the shards in 'data' it is questions" answers.log

# questions, answered in the words of their texts; whatever the batch and the threads
awk 'BEGIN { print "[PAD]\n[CLS]\n[SEP]\n[MASK]"; for (i = 4; i < 17; i++) print "w" i; print "[UNK]\n##s" }' >vocab.txt
awk -v seed=11 'function r(n) { seed = (seed * 16807) % 2147483647; return seed % n }
BEGIN {
    printf "{\"data\":[{\"paragraphs\":["
    for (p = 0; p < 40; p++) {
        n = 4 + r(6); at = 1 + r(n - 1); text = answer = ""
        for (i = 0; i < n; i++) {
            word = i == at ? "W4" : "W" (5 + r(12))
            text = text (i ? "  " : "") word
            if (i >= at) answer = answer (i > at ? " " : "") word
        }
        printf "%s{\"context\":\"%s\",\"qas\":[{\"id\":\"q%d\",\"question\":\"w9\",\"answers\":[{\"text\":\"%s\",\"answer_start\":0}]}]}", \
            p ? "," : "", text, p, answer
    }
    print "]}]}"
}' >questions.json
ask() { # folder, keys, flags
    folder=$1 keys=$2
    shift 2
    mkdir "$folder"
    t2t-decoder --output_dir=answers --data_dir=data --decode_from_file=questions.json --decode_to_file="$folder/predictions.json" \
        --decode_hparams="vocab_file=vocab.txt$keys" --json "$@" >"$folder.json" 2>"$folder.log" || { cat "$folder.log" >&2; exit 1; }
}
ask all ,query_length=4 --num_threads=2
grep -q 'exact match [0-9.]* %, F1 [0-9.]* %, of 40 questions whose answers are known' all.log
sed 's/.*"exact_match": \([0-9.]*\),.*/\1/' all.json | awk '{ exit !($1 + 0 >= 0.8) }' || { cat all.log >&2; exit 1; }
grep -q '"q0": "W4' all/predictions.json
[ "$(grep -c '"probability"' all/nbest_predictions.json)" -gt 40 ]
ask ones ,query_length=4,batch_size=1 --num_threads=1
cmp all/predictions.json ones/predictions.json
cmp all/nbest_predictions.json ones/nbest_predictions.json
ask best ,query_length=4,n_best_size=1,max_answer_length=20,null_score_diff_threshold=3
grep -q 'null_score_diff_threshold has no meaning here for questions' best.log
[ "$(grep -c '"probability"' best/nbest_predictions.json)" -eq 40 ]
# SQuAD 2.0: "" is an answer, by a threshold
ask texts ,query_length=4,version_2_with_negative=true,null_score_diff_threshold=1e9
cmp all/predictions.json texts/predictions.json
[ "$(grep -c '^    "q[0-9]*": -*[0-9]' texts/null_odds_predictions.json)" -eq 40 ]
[ "$(grep -c '"text": ""' texts/nbest_predictions.json)" -eq 40 ]
grep -q '"HasAns_total": 40, "best_exact": [0-9.]*, "best_exact_thresh": .*"questions": 40' texts.json
ask none ,query_length=4,version_2_with_negative=true,null_score_diff_threshold=-1e9
[ "$(grep -c '": ""' none/predictions.json)" -eq 40 ]
grep -q 'exact match 0.00 %, F1 0.00 %' none.log
grep -q 'with null_score_diff_threshold=.* F1 would be' none.log
unanswered() { # text, flags
    text=$1
    shift
    ! t2t-decoder --output_dir=answers --data_dir=data --decode_from_file=questions.json --decode_to_file=no/predictions.json "$@" 2>no.log
    grep -q -e "$text" no.log || { cat no.log >&2; exit 1; }
}
unanswered 'need --decode_hparams=vocab_file=FILE'
unanswered 'no place for a text beside a question of 14' --decode_hparams=vocab_file=vocab.txt,query_length=14
unanswered 'is of questions' --keep_timestamp
{ cat vocab.txt; echo more; echo evenmore; } >large.txt
unanswered "'large.txt' has 21 entries, and the model knows 20" --decode_hparams=vocab_file=large.txt,query_length=4
[ ! -e no ]

# what does not fit is said
refused() { # text, experiment, file, flags
    text=$1 experiment=$2 file=$3
    shift 3
    ! t2t-trainer --experiment="bert/$experiment" --config_file=encoder.yaml --config_file="$file.yaml" --model_dir=no "$@" 2>no.log
    grep -q "$text" no.log || { cat no.log >&2; exit 1; }
}
refused "'input_ids' has 16 values, not 32" sentence_prediction classes --params_override=task.train_data.seq_length=32
refused 'num_classes must be at least 2' sentence_prediction classes --params_override=task.model.num_classes=1
refused 'input_ids\[[0-9]*\] is 1[0-9], but the vocabulary has 10' sentence_prediction classes --params_override=task.model.encoder.bert.vocab_size=10
refused 'needs records of masked sentences' pretraining masked --params_override="{task: {train_data: {input_path: 'data/classes-train*', use_next_sentence_label: false}, validation_data: {input_path: 'data/classes-dev*'}}}"

refused 'needs records of questions and texts' squad answers --params_override="{task: {train_data: {input_path: 'data/classes-train*'}, validation_data: {input_path: 'data/classes-dev*'}}}"

# neither is a text that is written, nor an image
for out in one masked; do
    ! t2t-exporter --output_dir="$out" --data_dir=data --export_dir="$out-onnx" --format=onnx 2>no.log
    grep -q 'only models that write text, or classify images' no.log || { cat no.log >&2; exit 1; }
done
