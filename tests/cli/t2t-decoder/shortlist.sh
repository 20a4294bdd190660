# --shortlist: of all symbols nothing changes; of some the translation consists of them; what cannot be.
t2t-datagen --quiet --problem=translate_ende_numbers --data_dir=data --tmp_dir=tmp --max_cases=200 2>/dev/null
t2t-trainer --quiet --problem=translate_ende_numbers --data_dir=data --output_dir=run --hparams_set=transformer_tiny \
    --hparams=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=1,batch_size=512 \
    --train_steps=4 --local_eval_frequency=2 --schedule=train
head -n 30 data/translate_ende_numbers.test.en >in
decode() {
    t2t-decoder --quiet --output_dir=run --data_dir=data --decode_from_file=in --decode_hparams=beam_size=1,extra_length=3,identity_output=true "$@"
}
fails() {
    rc=0
    decode --decode_to_file=none "$@" >log 2>&1 || rc=$?
    echo "exit code $rc: $(cat log)"
}
# the lines of a vocabulary of subwords are in quotes
vocab=$(echo data/vocab.*subwords)
sed "s/^'//; s/'\$//" "$vocab" >entries
decode --decode_to_file=free
(printf '\t' && tr '\n' ' ' <entries && echo) >all
decode --decode_to_file=listed --shortlist=all
cmp free listed
# each source symbol may become the three that stand behind it in the vocabulary; 0 and 1 are no symbols of texts
awk 'NR > 2 { e[NR] = $0 } END { for (i = 3; i <= NR - 3; i++) print e[i] "\t" e[i + 1], e[i + 2], e[i + 3] }' entries >some
gzip some
decode --decode_to_file=few --shortlist=some.gz
wc -l <few
cmp -s few free || echo 'other translations'
decode --decode_to_file=few1 --shortlist=some.gz --decode_hparams=beam_size=1,extra_length=3,identity_output=true,batch_size=1
decode --decode_to_file=few8 --shortlist=some.gz --decode_hparams=beam_size=1,extra_length=3,identity_output=true,batch_size=8 --num_threads=2
cmp few1 few8
printf 'a b\n' >bad
fails --shortlist=bad
printf 'unheard-of\tword\n' >bad
fails --shortlist=bad
fails --shortlist=nowhere
fails --shortlist=all --ensemble=run/state-4.json
