# Whom a sentence shares its batch with changes nothing of it, to the last digit of the scores of all
# its hypotheses: not those beside it, nor their lengths, nor how long hypotheses that do not end may be.
t2t-datagen --quiet --problem=translate_ende_numbers --data_dir=data --tmp_dir=tmp --max_cases=300 2>/dev/null
t2t-trainer --quiet --problem=translate_ende_numbers --data_dir=data --hparams_set=transformer_tiny --output_dir=run \
    --hparams=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=2,batch_size=512 --schedule=train --train_steps=20
printf 'three\nfour five one two three four five six seven\nsix\nseven eight nine one two\n\nnine one\nthree four\n' >in.en
for precision in float32 bfloat16 int8; do
    for how in beam_size=1 beam_size=3,return_beams=true; do
        for n in 1 2 7; do
            t2t-decoder --quiet --data_dir=data --output_dir=run --decode_from_file=in.en --decode_to_file=$n.de \
                --precision=$precision --decode_hparams=$how,write_beam_scores=true,extra_length=6,batch_size=$n
        done
        cmp 1.de 2.de
        cmp 1.de 7.de
    done
    mv 7.de $precision.de
done
cmp -s float32.de bfloat16.de && echo 'bfloat16 changed nothing'
wc -l <bfloat16.de
