# Vocabulary, data and checkpoint that do not belong together are refused, both sides named.
. "$T2_ROOT/tests/e2e/train_common.subr"
data data 300
train run 2
vocab=$(ls data/vocab.*)

# a vocabulary that is not the one of the manifest
cp "$vocab" kept
sed -i '20,21d' "$vocab"
fails 1 train run 4
says run.log "$vocab"
says run.log "translate_ende_numbers.manifest.json' says that the data were made with one of"
fails 1 train fresh 2
[ ! -e fresh ]
cp kept "$vocab"

# a vocabulary of the same size
sed -i '20{h;d};21{G}' "$vocab"
fails 1 train run 4
says run.log 'SHA-256'
cp kept "$vocab"

# another data set under the same name
mv data first
data data 350
fails 1 train run 4
says run.log "has SHA-256"
says run.log "but the run in 'run' (step 2) was trained with one of SHA-256"
rm -r data && mv first data

# shards that are not those of the manifest
shard=data/translate_ende_numbers-train-00003-of-00010
cp $shard kept && cp data/translate_ende_numbers-train-00004-of-00010 $shard
fails 1 train run 4
says run.log 'but '\''translate_ende_numbers.manifest.json'\'' says'
cp kept $shard

# hparams, seed, model, problem of another run
train run 4
fails 2 t2t-trainer --data_dir=data --output_dir=run --hparams=num_heads=4 2>>run.log
says run.log 'num_heads is 4, in the run it is 2'
fails 2 train run 6 --random_seed=7
says run.log "has --random_seed=1, not 7"
fails 2 train run 6 --problem=translate_ende_numbers_rev
says run.log "trains on problem 'translate_ende_numbers', not on 'translate_ende_numbers_rev'"
fails 2 train run 6 --noresume
says run.log 'leave --noresume out'
fails 2 t2t-trainer --data_dir=data --output_dir=run --train_steps=6 --hparams=learning_rate_constant=0.1 2>>run.log
says run.log '--allow_hparams_change'

# names are taken from the run
t2t-trainer --data_dir=data --output_dir=run --train_steps=6 --hparams=learning_rate_constant=0.1 --allow_hparams_change 2>>run.log
grep -qx -- '--problem=translate_ende_numbers' run/flags.txt
grep -q '^"learning_rate_constant": 0.1,$' run/hparams.json
grep -q '^"num_heads": 2,$' run/hparams.json
grep -q '^"train_steps": 6,$' run/hparams.json
