# The command lines that tutorials, talks and READMEs print, run as they stand with other paths, few steps and a
# small model behind them.  Mistakes in the printed lines name the nearest word, and nothing else happens.
# BLEU of the official Transformer is in official_main.sh, buckets are in remote_train.sh.
command -v python3 >/dev/null || { echo "no python3" >&2; exit 77; }
export PYTHONDONTWRITEBYTECODE=1
. "$T2_ROOT/tests/e2e/train_common.subr"
. "$T2_ROOT/tests/e2e/official_common.subr"
HOME=$PWD/home TPU_NAME=grpc://10.0.0.2:8470 TRAIN_STEPS=2 EVAL_STEPS=1
DATA_DIR=$PWD/data TMP_DIR=$PWD/tmp
export HOME
mkdir "$HOME"
python3 "$T2_ROOT/tests/support/class_sources.py" tmp
python3 "$T2_ROOT/tests/support/line_sources.py" tmp
small='--hparams=hidden_size=16,filter_size=16,num_heads=2,num_hidden_layers=1,batch_size=256'
files="--data_dir=$DATA_DIR --tmp_dir=$TMP_DIR --train_steps=2 --eval_steps=1"
n=0

runs() { # line: does what it says
    n=$((n + 1))
    eval "$*" >out 2>log </dev/null || { echo "exit code $? of: $*" >&2; tail -n 5 log >&2; exit 1; }
}
passes() { # flags: the last line named each once
    for flag; do
        [ "$(grep -c -- "--$flag means nothing here and is passed over: ." log)" = 1 ] || { echo "--$flag is not named once: $(cat log)" >&2; exit 1; }
    done
}
means() { # word, line: the word is named, nothing is written
    n=$((n + 1)) word=$1 code=0
    shift
    eval "$*" >out 2>log </dev/null || code=$?
    [ "$code" = 2 ] && grep -q -e "did you mean '$word'" -e "did you mean '--$word'" log || { echo "exit code $code of: $*" >&2; cat log >&2; exit 1; }
    [ ! -e none ] || { echo "something was written by: $*" >&2; exit 1; }
}
refused() { # text, line: exit code 1 and the way out
    n=$((n + 1)) text=$1 code=0
    shift
    eval "$*" >out 2>log </dev/null || code=$?
    [ "$code" = 1 ] && grep -q -- "$text" log || { echo "exit code $code of: $*" >&2; cat log >&2; exit 1; }
}

# ---- Tensor2Tensor: a talk ----
TRAIN_DIR=$PWD/run
runs "t2t-trainer --problem=summarize_cnn_dailymail32k --model=transformer --hparams_set=transformer_big --generate_data \
    --data_dir=$DATA_DIR --output_dir=$TRAIN_DIR/cnn --train_steps=$TRAIN_STEPS --eval_steps=$EVAL_STEPS --tmp_dir=$TMP_DIR \
    $small,max_length=0"
[ -s data/summarize_cnn_dailymail32k.manifest.json ]
means shakeshake_big "t2t-trainer --problem=image_cifar10 --model=shake_shake --hparams_set=shake_shake_big --generate_data \
    --output_dir=none --data_dir=none"
runs "t2t-trainer --problem=translate_ende_wmt32k --model=transformer --hparams_set=transformer_big --generate_data \
    --output_dir=$TRAIN_DIR/wmt $files $small"
grep -q 'Generating data for translate_ende_wmt32k' log
[ -s run/wmt/model-2.safetensors ]
means transformer "t2t-trainer --problem=librispeech --model=tranformer --hparams_set=transformer_librispeech --generate_data \
    --output_dir=none --data_dir=none"
refused 't2t-datagen failed, see above' "t2t-trainer --problem=nothing_of_this_name --generate_data --hparams_set=transformer_big \
    --output_dir=none $files"
grep -q "nothing_of_this_name" log
refused 'is not a folder' "t2t-trainer --problem=translate_ende_wmt8k --generate_data --dry_run --hparams_set=transformer_big \
    --output_dir=none --data_dir=none"
[ ! -e none ]
runs "t2t-trainer --worker_gpu=8 --problem=translate_ende_wmt32k --model=transformer --hparams_set=transformer_big \
    --generate_data --output_dir=$TRAIN_DIR/eight $files $small"
[ -s run/eight/model-2.safetensors ]
runs "t2t-trainer --use_tpu --cloud_tpu_name=$TPU_NAME --problem=translate_ende_wmt32k --model=transformer \
    --hparams_set=transformer_big --generate_data --output_dir=$TRAIN_DIR/tpu $files $small"
passes use_tpu cloud_tpu_name
grep -q "generate_data: '.*translate_ende_wmt32k.manifest.json' is there already" log
cmp run/wmt/model-2.safetensors run/tpu/model-2.safetensors
means autotune_max_trials "t2t-trainer --cloud_mlengine --worker_gpu=8 --autotune --autotune_maximize \
    --autotune_objective='metrics/neg_log_perplexity' --autotune_max_trails=100 --autotune_parallel_trials=20 \
    --hparams_range=transformer_base_range --problem=translate_ende_wmt32k --model=transformer --hparams_set=transformer_big \
    --generate_data --output_dir=none"
runs "t2t-trainer --cloud_mlengine --worker_gpu=8 --autotune --autotune_maximize --autotune_objective='metrics/neg_log_perplexity' \
    --autotune_max_trials=2 --autotune_parallel_trials=1 --hparams_range=transformer_base_range \
    --problem=translate_ende_wmt32k --model=transformer --hparams_set=transformer_big --generate_data \
    --output_dir=$TRAIN_DIR/search $files $small"
passes cloud_mlengine
[ -d run/search/trials/0001 ]

# ---- Tensor2Tensor: README ----
# --tmp_dir is where the originals of these tests are
runs "t2t-trainer --generate_data --data_dir=~/t2t_data --output_dir=~/t2t_train/mnist --problem=image_mnist \
    --model=shake_shake --hparams_set=shake_shake_quick --train_steps=1 --eval_steps=1 --tmp_dir=$TMP_DIR --hparams=batch_size=2"
[ -s home/t2t_train/mnist/model-1.safetensors ]
runs "t2t-trainer --registry_help"
grep -q '  \* transformer_big$' out
PROBLEM=translate_ende_wmt32k MODEL=transformer HPARAMS=transformer_base_single_gpu
runs "t2t-datagen --data_dir=$DATA_DIR --tmp_dir=$TMP_DIR --problem=$PROBLEM"
runs "t2t-trainer --data_dir=$DATA_DIR --problem=$PROBLEM --model=$MODEL --hparams_set=$HPARAMS --output_dir=$TRAIN_DIR/base \
    --train_steps=2 --eval_steps=1 $small"
DECODE_FILE=$PWD/decode_this.txt BEAM_SIZE=4 ALPHA=0.6
printf 'the number 3 and 3\nthe number 10 and 10\n' >"$DECODE_FILE"
printf 'die Zahl 3 und 3\ndie Zahl 10 und 10\n' >ref-translation.de
runs "t2t-decoder --data_dir=$DATA_DIR --problem=$PROBLEM --model=$MODEL --hparams_set=$HPARAMS --output_dir=$TRAIN_DIR/base \
    --decode_hparams='beam_size=$BEAM_SIZE,alpha=$ALPHA,extra_length=4' --decode_from_file=$DECODE_FILE --decode_to_file=translation.en"
[ "$(wc -l <translation.en)" = 2 ]
runs "t2t-bleu --translation=translation.en --reference=ref-translation.de"
grep -q '^BLEU_uncased = ' out
runs "t2t-exporter --model=$MODEL --hparams_set=$HPARAMS --problem=$PROBLEM --data_dir=$DATA_DIR --output_dir=$TRAIN_DIR/base"
find run/base/export -name 'model.ckpt-2.index' | grep -q .
USR_DIR=$PWD/usr
mkdir usr
printf 'name: my_problem\ntrain: [%s/a.en, %s/a.de]\ndev: [%s/a.en, %s/a.de]\nvocab_size: 300\n' "$PWD" "$PWD" "$PWD" "$PWD" >usr/my_problem.yaml
awk 'BEGIN { for (i = 0; i < 200; i++) print "the number", i }' >a.en
awk 'BEGIN { for (i = 0; i < 200; i++) print "die Zahl", i }' >a.de
runs "t2t-datagen --t2t_usr_dir=$USR_DIR --data_dir=$DATA_DIR --tmp_dir=$TMP_DIR --problem=my_problem"
runs "t2t-trainer --t2t_usr_dir=$USR_DIR --problem=my_problem --hparams_set=$HPARAMS --output_dir=$TRAIN_DIR/my $files $small"
passes t2t_usr_dir tmp_dir
runs "t2t-trainer --generate_data --t2t_usr_dir=$USR_DIR --problem=my_problem --hparams_set=$HPARAMS --output_dir=$TRAIN_DIR/new \
    --data_dir=new --train_steps=2 --eval_steps=1 $small"
cmp run/my/model-2.safetensors run/new/model-2.safetensors
runs "t2t-decoder --t2t_usr_dir=$USR_DIR --data_dir=$DATA_DIR --problem=my_problem --output_dir=$TRAIN_DIR/my \
    --decode_from_file=$DECODE_FILE --decode_to_file=my.out --decode_hparams=extra_length=4"
passes t2t_usr_dir

# ---- the official Transformer ----
raw raw 300
pair official/newstest2014 4
runs "data_download --data_dir=official --raw_dir=raw"
runs "transformer_main --tpu=$TPU_NAME --model_dir=run/official --data_dir=official --vocab_file=official/vocab.ende.32768 \
    --bleu_source=official/newstest2014.en --bleu_ref=official/newstest2014.de --batch_size=6144 --train_steps=1 --static_batch=true \
    --use_ctl=true --param_set=big --max_length=64 --decode_batch_size=32 --decode_max_length=97 --padded_decode=true \
    --distribution_strategy=tpu --hparams=hidden_size=16,filter_size=16,num_heads=2,num_hidden_layers=1,vocab_size=0"
passes tpu padded_decode
grep -q '^Bleu score (uncased): [0-9]' out
grep -q '^Bleu score (cased): [0-9]' out
runs "transformer_main --tpu=$TPU_NAME --model_dir=run/official --data_dir=official --vocab_file=official/vocab.ende.32768 \
    --bleu_source=official/newstest2014.en --bleu_ref=official/newstest2014.de --batch_size=6144 --train_steps=2 --static_batch=true \
    --use_ctl=true --param_set=big --max_length=64 --decode_batch_size=32 --decode_max_length=97 --padded_decode=true \
    --steps_between_evals=2000 --distribution_strategy=tpu \
    --hparams=hidden_size=16,filter_size=16,num_heads=2,num_hidden_layers=1,vocab_size=0"

# ---- images ----
draw_greys photos
find "$PWD/photos" -name '*.bmp' | sort | awk -F/ '{ print $0 "," $(NF - 1) }' >all.csv
awk 'NR % 5' all.csv >train.csv
awk 'NR % 5 == 0' all.csv >validation.csv
printf 'dark\nlight\n' >labels.txt
runs "jpeg-to-tfrecord --train_csv=train.csv --validation_csv=validation.csv --labels_file=labels.txt --project_id=mine \
    --output_dir=greys --train_shards=2"
mkdir -p raw_images/train/n01 raw_images/train/n02 raw_images/validation
i=0
for f in "$T2_ROOT"/fixtures/images/jpeg/*/*.jpg "$T2_ROOT"/fixtures/images/jpeg/*.jpg; do
    [ -s "$f" ] && i=$((i + 1)) && [ $i -le 6 ] || continue
    cp "$f" "raw_images/train/n0$((1 + i % 2))/$i.JPEG"
    cp "$f" "raw_images/validation/$i.JPEG"
    echo n01 >>raw_images/synset_labels.txt
done
runs "jpeg-to-tfrecord --raw_data_dir=raw_images --local_scratch_dir=scratch --nogcs_upload"
[ -s scratch/validation-00000-of-00128 ] || [ -d scratch/validation ]
printf 'train_steps: 113854\ntrain_batch_size: 1024\neval_batch_size: 1024\niterations_per_loop: 113854\nskip_host_call: True\nnum_cores: 8\n' >v3-8.yaml
runs "resnet_main --tpu=$TPU_NAME --data_dir=greys --model_dir=run/resnet --config_file=v3-8.yaml --mode=train_and_eval \
    --train_steps=2 --train_batch_size=4 --resnet_depth=18 --image_size=32 --num_train_images=48 --num_label_classes=2"
passes tpu
[ -s run/resnet/params.yaml ]
cat >garden.yaml <<'YAML'
task:
  model: {num_classes: 3, input_size: [32, 32, 3], backbone: {resnet: {model_id: 10}}}
  train_data: {tfds_name: '', input_path: 'greys/train*', global_batch_size: 8}
  validation_data: {tfds_name: '', input_path: 'greys/validation*', global_batch_size: 8, drop_remainder: false}
trainer:
  train_steps: 9
  validation_interval: 2
YAML
runs "t2t-trainer --experiment=resnet_imagenet --config_file=garden.yaml --mode=train_and_eval --model_dir=run/garden \
    --params_override=trainer.train_steps=2,runtime.mixed_precision_dtype=float32"

# Each of tensorflow/tpu's presets: configs/cloud/*.yaml.
while read -r name steps batch loop cores more; do
    {
        printf 'train_steps: %s\ntrain_batch_size: %s\neval_batch_size: 1024\niterations_per_loop: %s\n' "$steps" "$batch" "$loop"
        printf 'skip_host_call: True\nnum_cores: %s\n' "$cores"
        case $more in
        lars) printf 'enable_lars: True\nlabel_smoothing: 0.1\n' ;;
        randaugment) printf "resnet_depth: 50\naugment_name: 'randaugment'\nrandaug_num_layers: 2\nrandaug_magnitude: 9\n" ;;
        esac
    } >"$name.yaml"
    runs "resnet_main --config_file=$name.yaml --use_async_checkpointing --describe"
    grep -q -- "--train_steps=$steps " out
    case $more in
    lars) grep -q -- '--hparams_set=tpu_resnet_50_lars' out ;;
    randaugment) grep -q 'image_pipeline=resnet_randaugment.*randaugment_magnitude=9' out ;;
    esac
done <<'PRESETS'
v2-8 113854 1024 113854 8
v2-32 28464 4096 28464 32
v2-128 7116 16384 7116 128 lars
v2-256 3558 32768 3558 256 lars
v2-512 3558 32768 3558 512 lars
v3-8 113854 1024 113854 8
v3-32 28464 4096 28464 32
v3-64 14232 8192 14232 64
v3-128 7116 16384 7116 128 lars
v3-256 3558 32768 3558 256 lars
v3-512 3558 32768 3558 512 lars
v3-1024 3558 32768 3558 1024 lars
v3-2048 3558 32768 3558 2048 lars
randaugment-8 225216 1024 1000 8 randaugment
randaugment-32 56304 4096 1000 32 randaugment
PRESETS

# ---- t2t-query-server, beside the server that it asks ----
. "$T2_ROOT/tests/e2e/serve_common.subr"
serve --output_dir=run/base --data_dir=data --decode_hparams=beam_size=2,extra_length=4
server_address=$(echo "$url" | sed 's,^http://,,; s,/$,,')
sed -n 1p "$DECODE_FILE" >asked
runs "t2t-query-server --server=$server_address --servable_name=transformer --problem=translate_ende_wmt32k --data_dir=$DATA_DIR \
    --inputs_once='the number 3 and 3'"
t2t-decoder --quiet --output_dir=run/base --data_dir=data --decode_hparams=beam_size=2,extra_length=4 --decode_from_file=asked --decode_to_file=said
{
    printf '\nInput:\nthe number 3 and 3\n\nOutput (Score X):\n'
    cat said
} >want
sed 's/(Score -*[0-9.]*)/(Score X)/' out | cmp - want || { diff out want >&2; exit 1; }
# line by line, as the original asks at its prompt
t2t-query-server --server="$server_address" --servable_name=transformer --problem=translate_ende_wmt32k --data_dir=data <"$DECODE_FILE" >lines
[ "$(grep -c '^Output (Score -' lines)" = 2 ]
refused 'status 404' "t2t-query-server --server=$server_address --servable_name=other --problem=translate_ende_wmt32k --data_dir=data --inputs_once=x"
stop_server
echo "$n lines"
