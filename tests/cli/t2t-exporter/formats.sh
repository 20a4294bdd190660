# One small run in every format: what is read back has the same logits, one file decodes as the run does.
t2t-datagen --quiet --problem=translate_ende_numbers --data_dir=data --tmp_dir=tmp --max_cases=200 2>/dev/null
t2t-trainer --quiet --problem=translate_ende_numbers --data_dir=data --hparams_set=transformer_tiny --output_dir=run \
    --hparams=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=1,batch_size=512,symbol_modality_num_shards=3 \
    --schedule=train --train_steps=3
export_as() { t2t-exporter --quiet --output_dir=run --data_dir=data "$@"; }
printf 'three\nfour five\n' >in.en
decode() { t2t-decoder --quiet --decode_from_file=in.en "$@"; }

export_as --format=tensorflow --check | grep -o 'logits: 0 '
ls run/export
t2t-exporter --quiet --inspect=run/export/model.ckpt-3 | grep -E '^(global_step|training/beta1_power|transformer/body/encoder/layer_0/ffn/conv1/bias)'
t2t-exporter --quiet --inspect=run/export/model.ckpt-3.index | grep -c Adam
# its folder is a run, which decodes and continues
decode --data_dir=data --output_dir=run --decode_to_file=run.de
decode --data_dir=data --output_dir=run/export --decode_to_file=tf.de
cmp run.de tf.de
t2t-trainer --quiet --problem=translate_ende_numbers --data_dir=data --model=transformer --hparams_set=transformer_tiny \
    --hparams=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=1,batch_size=512,symbol_modality_num_shards=3 \
    --output_dir=run/export --schedule=train --train_steps=5
ls run/export/state*
# variables alone, for another run
t2t-trainer --quiet --problem=translate_ende_numbers --data_dir=data --model=transformer --hparams_set=transformer_tiny \
    --hparams=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=1,batch_size=512,symbol_modality_num_shards=3 \
    --output_dir=warm --warm_start_from=run/export/model.ckpt-3 --schedule=train --train_steps=1
grep warm_start_from warm/hparams.json

export_as --format=bundle --decode_hparams=beam_size=1,extra_length=5 --check | grep -o 'logits: 0 '
mv run/export/model.safetensors alone.safetensors
decode --data_dir=data --output_dir=run --decode_to_file=run.de --decode_hparams=beam_size=1,extra_length=5
mv data away
decode --model=alone.safetensors --decode_to_file=alone.de
cmp run.de alone.de
decode --model=./alone.safetensors --decode_hparams=beam_size=3 --decode_to_file=beams.de
decode --model=alone.safetensors --output_dir=run --decode_to_file=no.de || echo "exit code $?"
mv away data
for storage in bfloat16 int8; do
    export_as --format=bundle --storage=$storage --export_dir=small.safetensors --check | sed 's/: [0-9].*//'
    [ "$(wc -c <small.safetensors)" -lt "$(wc -c <alone.safetensors)" ]
    decode --model=small.safetensors --decode_to_file=small.de
    wc -l <small.de
done
export_as --format=bundle --storage=int4 || echo "exit code $?"

export_as --format=ctranslate2 --export_dir=ct2
ls ct2
head -c 22 ct2/model.bin | od -An -c
export_as --format=ctranslate2 --hparams=pos=emb --export_dir=no || echo "exit code $?"

export_as --format=marian --export_dir=marian
ls marian

export_as --format=huggingface --export_dir=hf --check
ls hf
grep -E 'model_type|vocab_size' hf/config.json
export_as --format=onnx --export_dir=onnx --check
ls onnx
export_as --format=saved_model --export_dir=saved --check
ls saved
t2t-decoder --quiet --model=run/model-3.safetensors --decode_from_file=in.en --decode_to_file=no.de || echo "exit code $?"
