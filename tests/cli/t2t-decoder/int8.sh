# --precision=int8: the same whatever is beside a sentence and for any number of threads, and from a
# bundle of 8-bit weights as from the run; refused where it would not be read.
t2t-datagen --quiet --problem=translate_ende_numbers --data_dir=data --tmp_dir=tmp --max_cases=300 2>/dev/null
t2t-trainer --quiet --problem=translate_ende_numbers --data_dir=data --hparams_set=transformer_tiny --output_dir=run \
    --hparams=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=1,batch_size=512 --schedule=train --train_steps=40
printf 'three\nfour five\nsix\nseven eight\nnine one\n' >in.en
decode() { t2t-decoder --quiet --decode_from_file=in.en --precision=int8 "$@"; }
how=beam_size=3,write_beam_scores=true
decode --data_dir=data --output_dir=run --decode_to_file=all.de --decode_hparams=$how,batch_size=2 --num_threads=1
decode --data_dir=data --output_dir=run --decode_to_file=two.de --decode_hparams=$how,batch_size=2 --num_threads=2
cmp all.de two.de
decode --data_dir=data --output_dir=run --decode_to_file=greedy.de --decode_hparams=beam_size=1,batch_size=1,write_beam_scores=true
sed -n 3,3p in.en | t2t-decoder --quiet --precision=int8 --data_dir=data --output_dir=run --decode_from_file=- \
    --decode_to_file=- --decode_hparams=beam_size=1,write_beam_scores=true >one.de
sed -n 3,3p greedy.de | cmp - one.de
t2t-exporter --quiet --output_dir=run --data_dir=data --format=bundle --storage=int8 --export_dir=small.safetensors
decode --model=small.safetensors --decode_to_file=small.de --decode_hparams=$how,batch_size=2
cut -f1 all.de >want; cut -f1 small.de | cmp want -
wc -l <small.de
printf 'three\tdrei\n' >pairs
t2t-decoder --quiet --precision=int8 --data_dir=data --output_dir=run --score_file=pairs --decode_to_file=no.de || echo "exit code $?"
t2t-decoder --quiet --decode_from_file=in.en --precision=int4 --data_dir=data --output_dir=run --decode_to_file=no.de || echo "exit code $?"
