# Each checkpoint's translation is what t2t-decoder writes of it; again, only what is new is made.
t2t-datagen --quiet --problem=translate_ende_numbers --data_dir=data --tmp_dir=tmp --max_cases=200 2>/dev/null
train() {
    t2t-trainer --quiet --problem=translate_ende_numbers --data_dir=data --output_dir=run --hparams_set=transformer_tiny \
        --hparams=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=1,batch_size=512 \
        --local_eval_frequency=1 --schedule=train --train_steps="$1"
}
all() { t2t-translate-all --quiet --model_dir=run --data_dir=data --source=in --translations_dir=out "$@"; }
printf 'three\nfive six\n' >in
train 3
all --min_steps=2 --beam_size=2 --alpha=0.5
for step in 2 3; do
    t2t-decoder --quiet --data_dir=data --output_dir=run --checkpoint_path=$step --decode_from_file=in --decode_to_file=one \
        --decode_hparams=beam_size=2,alpha=0.5
    cmp one out/translate_ende_numbers-$step
    [ "$(stat -c %Y out/translate_ende_numbers-$step)" = "$(stat -c %Y run/state-$step.json)" ]
done
ls out
cmp run/flags.txt out/translate_ende_numbers-flags.txt
# what is there stays, whatever it is, and is scored
cp in out/translate_ende_numbers-2
cp in reference
train 4
all --min_steps=2 --beam_size=2 --alpha=0.5 --reference=reference | sed 's/[0-9]*\.[0-9]* *[0-9]*\.[0-9]*  out.*-[34]$/SCORES/'
for step in 3 4; do
    t2t-bleu --translation=out/translate_ende_numbers-$step --reference=reference --json
done | sed 's/.*"uncased": {"score": \([0-9.e-]*\).*"cased": {"score": \([0-9.e-]*\).*/\1 \2/' | awk '{ printf "%.4f %.4f\n", $1, $2 }' >scores
all --min_steps=3 --reference=reference --json >json
sed 's/.*uncased": \([0-9.e-]*\), "BLEU_cased": \([0-9.e-]*\).*/\1 \2/' json | awk '{ printf "%.4f %.4f\n", $1, $2 }' | cmp - scores && echo "the scores of t2t-bleu"
sed 's/, "BLEU.*//' json
# another command; {params} in its midst, and not at all
cat >decoder <<'END'
#!/bin/sh
echo "$@" >>said
for a; do case $a in --decode_to_file=*) : >"${a#*=}" ;; esac; done
END
chmod +x decoder
rm -r out
all --min_steps=4 --decoder_command="./decoder first {params} last" --problem=p --model=m
all --min_steps=4 --decoder_command="./decoder first" --problem=q
cat said
# a decoder that fails ends it; one whose checkpoint was removed meanwhile does not
cat >decoder <<'END'
#!/bin/sh
[ ! -e gone ] || rm -f run/*-3.*
exit 1
END
all --min_steps=3 --decoder_command=./decoder || echo "exit $?"
touch gone
all --min_steps=3 --decoder_command=./decoder || echo "exit $?"
