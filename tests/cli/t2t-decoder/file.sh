# One output line per input line, in order; the input may be as it likes.
t2t-datagen --quiet --problem=translate_ende_numbers --data_dir=data --tmp_dir=tmp --max_cases=200 2>/dev/null
t2t-trainer --quiet --problem=translate_ende_numbers --data_dir=data --output_dir=run --hparams_set=transformer_tiny \
    --hparams=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=1,batch_size=512 \
    --train_steps=4 --local_eval_frequency=2 --schedule=train
head -n 40 data/translate_ende_numbers.test.en >in
printf '\n  \r\nlast line, without an end' >>in
decode() {
    t2t-decoder --quiet --output_dir=run --data_dir=data --decode_hparams=beam_size=2,extra_length=5 "$@"
}
decode --decode_from_file=in --decode_to_file=out
wc -l <out
sed -n '41,42p' out
# other batches, other threads, another way in and out: the same lines
decode --decode_from_file=in --decode_to_file=out2 --num_threads=2
cmp out out2
gzip -c in >in.gz
decode --decode_from_file=in.gz --decode_to_file=- >out3
cmp out out3
decode --decode_from_file=- --decode_to_file=out4 <in
cmp out out4
# without --decode_to_file the name says how
decode --decode_from_file=in
ls in*
# all beams, with scores: text and score, twice
decode --decode_from_file=in --decode_to_file=- \
    --decode_hparams=beam_size=2,extra_length=5,return_beams=true,write_beam_scores=true |
    awk -F '\t' '{ n[NF]++ } END { for (k in n) print k " columns: " n[k] }'
# ids: never empty but for empty lines
decode --decode_from_file=in --decode_to_file=- --decode_hparams=beam_size=1,identity_output=true |
    grep -cE '^[0-9]+( [0-9]+)*$'
