# Shards and a vocabulary as Tensor2Tensor leaves them of a user's own problem, without a manifest: they train, are
# evaluated and decoded; what is taken for granted is said once.  `tfrec index --manifest` makes a manifest for them.
. "$T2_ROOT/tests/e2e/train_common.subr"

small='hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=1,batch_size=512'
mine() { # folder, output_dir, steps
    t2t-trainer --problem=my_numbers --t2t_usr_dir=modules --data_dir="$1" --output_dir="$2" --train_steps="$3" \
        --hparams_set=transformer_tiny --hparams=$small --eval_steps=2 2>>"$2.log"
}
once() { # file, text
    [ "$(grep -c -- "$2" "$1")" = 1 ] || { echo "$1 does not say once '$2':" >&2; cat "$1" >&2; return 1; }
}

data made 300
mkdir data
for file in made/*-of-*; do
    cp "$file" "data/my_numbers${file#made/translate_ende_numbers}"
done
cp made/vocab.* data/vocab.my_numbers.8192.subwords

mine data run 2
once run.log 'by the shards in .data. it is text to text (train: [1-9][0-9]* records, dev: [1-9][0-9]* records'
once run.log "inputs: subwords of 'data/vocab.my_numbers.8192.subwords'"
once run.log '--t2t_usr_dir means nothing here and is passed over'
grep -q 'step 2  dev: loss' run.log
echo 'one hundred and two' >in
t2t-decoder --t2t_usr_dir=modules --data_dir=data --output_dir=run --decode_from_file=in --decode_to_file=out 2>decode.log
[ "$(wc -l <out)" = "$(wc -l <in)" ]
once decode.log 'it is text to text'
once decode.log '--t2t_usr_dir'

# a manifest made afterwards is taken, by the run that began without one, too
tfrec index --manifest data/my_numbers-* 2>index.log >/dev/null
[ -e data/my_numbers.manifest.json ]
mine data run 3
mine data fresh 2
once fresh.log 'it is text to text'
losses() { grep -o 'step 2.* mean [0-9.]*' "$1"; }
[ "$(losses run.log | head -n 1)" = "$(losses fresh.log | head -n 1)" ]
t2t-datagen --check=data >check.log
grep -q '^my_numbers: whole: ' check.log
t2t-decoder --data_dir=data --output_dir=fresh --decode_from_file=in --decode_to_file=out2 2>>decode.log

# a shard that is lost
rm data/my_numbers-train-00000-of-00010
fails 1 mine data fresh 3
rm data/my_numbers.manifest.json
fails 1 mine data fresh2 3
says fresh2.log 'my_numbers-train'
