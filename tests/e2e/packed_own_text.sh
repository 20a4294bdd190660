# Text of one's own, packed: records of several texts, which the trainer learns from.  A table by its columns; two problems
# with shards of the same names in one folder.
i=0
while [ $i -lt 300 ]; do i=$((i + 1)); printf 'line %d with words\tZeile %d mit W\303\266rtern\n' $i $((i * 7 % 50)); done >a.tsv
head -n 20 a.tsv >b.tsv
t2t-datagen --quiet --name=own --train=a.tsv --dev=b.tsv --packed_length=64 --vocab_size=300 --num_shards=2 --data_dir=d 2>err
for feature in inputs inputs_position inputs_segmentation targets targets_position targets_segmentation; do
    tfrec head -n 1 d/own-train-00000-of-00002 | grep -q "\"$feature\":\[" || { echo "no $feature"; exit 1; }
done
records=$(tr -d ' \n' <d/own.manifest.json | sed 's/.*"train":{[^}]*"records":\([0-9]*\).*/\1/')
[ "$records" -lt 100 ] || { echo "$records records of 300 lines"; exit 1; }
tfrec head -n 1 d/own-train-00000-of-00002 | grep -q '"inputs_segmentation":\[1,.*,2,'

t2t-trainer --quiet --problem=own --data_dir=d --output_dir=m --train_steps=12 --eval_steps=1 --num_threads=1 --log_step_count_steps=4 \
    --hparams_set=transformer_tiny \
    --hparams=hidden_size=16,filter_size=16,num_heads=2,num_hidden_layers=1,batch_size=256,max_length=64,learning_rate_constant=2.0,learning_rate_warmup_steps=8
loss() { sed -n "s/.*\"kind\": \"train\", \"step\": $1,.*\"loss\": \([^,]*\),.*/\1/p" m/metrics.jsonl; }
awk -v a="$(loss 4)" -v b="$(loss 12)" 'BEGIN { exit !(a > 0 && b > 0 && b < a) }' || { cat m/metrics.jsonl; exit 1; }

# squad and squad_concat have shards of the same names
cat >train-v1.1.json <<'END'
{"data": [{"paragraphs": [{"context": "some words in a context", "qas": [{"question": "which", "answers": [{"text": "words"}]}]}]}]}
END
cp train-v1.1.json dev-v1.1.json
t2t-datagen --quiet --problem=squad --data_dir=s --tmp_dir=. --offline --train_shards=1 2>err
sha256sum s/squad-* >sums
rc=0
t2t-datagen --quiet --problem=squad_concat --data_dir=s --tmp_dir=. --offline --train_shards=1 2>err || rc=$?
[ $rc = 1 ] && grep -q "'s' holds the data set of 'squad', whose shards have the names that 'squad_concat' gives its own ('squad-.*'): both cannot be in one folder, choose another --data_dir" err || { cat err; exit 1; }
sha256sum --quiet -c sums
