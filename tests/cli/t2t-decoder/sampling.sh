# Ids are drawn where hparam sampling_method says so, and what has no meaning is named, not passed over.
t2t-datagen --quiet --problem=translate_ende_numbers --data_dir=data --tmp_dir=tmp --max_cases=200 2>/dev/null
t2t-trainer --quiet --problem=translate_ende_numbers --data_dir=data --output_dir=run --hparams_set=transformer_tiny \
    --hparams=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=1,batch_size=512 \
    --train_steps=2 --schedule=train
head -n 20 data/translate_ende_numbers.test.en >in
decode() {
    t2t-decoder --quiet --output_dir=run --data_dir=data --decode_from_file=in "$@" || echo "exit code $?"
}
decode --decode_hparams=beam_size=1,extra_length=5 --decode_to_file=argmax
decode --decode_hparams=beam_size=1,extra_length=5,batch_size=20 --hparams=sampling_method=random --decode_to_file=drawn
decode --decode_hparams=beam_size=1,extra_length=5,batch_size=20 --hparams=sampling_method=random --decode_to_file=again --num_threads=2
cmp drawn again
! cmp -s argmax drawn
decode --decode_hparams=beam_size=1,extra_length=5 --hparams=sampling_method=random,sampling_temp=0 --decode_to_file=cold
cmp argmax cold
decode --hparams=sampling_method=random
decode --hparams=sampling_method=random_per_example
decode --decode_hparams=sampling_method=random
decode --decode_hparams=eos_penalty=0.5,log_results=false,extra_length=5 --hparams=learning_rate=9 --decode_to_file=named
decode --decode_hparams=beam_size=1,extra_length=5,batch_size=20 --hparams=sampling_method=random --decode_to_file=seven --random_seed=7
decode --decode_hparams=beam_size=1,extra_length=5,batch_size=20 --hparams=sampling_method=random --decode_to_file=seven2 --random_seed=7 --num_threads=2
decode --decode_hparams=beam_size=1,extra_length=5,batch_size=20 --hparams=sampling_method=random --decode_to_file=one --random_seed=1
cmp seven seven2
cmp one drawn # the seed of the run
! cmp -s seven drawn
decode --decode_hparams=beam_size=1,extra_length=5,alpha=1.0,shard_google_format=true --random_seed=7 --decode_to_file=argmax2
cmp argmax argmax2
head -n 1 in | t2t-decoder --quiet --output_dir=run --data_dir=data --decode_interactive \
    --decode_hparams=beam_size=2,extra_length=5,batch_size=3,write_beam_scores=true >typed
