# What cannot be trained on is refused before step 0, with what is wrong and where; what is only odd is trained on.
. "$T2_ROOT/tests/e2e/train_common.subr"
data good 300

# records NAME COUNT RECORD [COUNT RECORD]...: a data set of two shards, without manifest
records() {
    name=$1
    shift
    mkdir -p data
    rm -f data/*
    cp good/vocab.* good/translate_ende_numbers-dev-00000-of-00001 data
    while [ $# -gt 0 ]; do
        i=0
        while [ $i -lt "$1" ]; do echo "$2" && i=$((i + 1)); done
        shift 2
    done >"$name.jsonl"
    tfrec convert --quiet --from=jsonl --to=tfrecord "$name.jsonl" -o data/translate_ende_numbers-train-00000-of-00002
    : >data/translate_ende_numbers-train-00001-of-00002 # a shard may be empty
}
pair='{"inputs": [5, 6, 1], "targets": [7, 8, 1]}'
list() { seq -s, "$1" | sed 's/[0-9]*/5/g'; }

# the last --hparams is the one that counts
small=hidden_size=16,filter_size=16,num_heads=2,num_hidden_layers=1,batch_size=256
try() { # log, exit code, flags
    log=$1 code=$2
    shift 2
    fails "$code" train "$log" 3 --hparams=$small "$@"
}

records fine 300 "$pair"
try fine 0
records empty 0 ''
try empty 1
says empty.log "no sample to train on in 'data/translate_ende_numbers-train-*': of 0 records"
records padding 100 '{"inputs": [5, 1], "targets": [0, 0]}' 50 '{"inputs": [], "targets": []}'
try padding 1
says padding.log "are padding (id 0): there is nothing to learn from"
records some 200 '{"inputs": [0, 0], "targets": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]}' 200 "$pair"
try some 0
grep -q 'warning: step [0-9]*: all targets of the batch are padding' some.log
records long 100 "{\"inputs\": [$(list 300)], \"targets\": [7, 1]}"
try long 1
says long.log "of 100 records 100 are longer than 256 (hparam max_length)"
records mixed 1 "{\"inputs\": [$(list 300)], \"targets\": [7, 1]}" 200 "$pair"
try mixed 0
grep -q '200 kept (1 longer than 256' mixed.log
try official 1 --model=official_transformer --hparams_set=official_transformer_tiny --hparams=$small,max_length=2,vocab_size=0
says official.log "longer than 2 (hparam max_length)"
records vocabulary 9 "$pair" 1 '{"inputs": [5, 1], "targets": [7, 100000, 1]}'
try vocabulary 1
says vocabulary.log "record 9 at offset "
says vocabulary.log "targets[1] is 100000, but the vocabulary has "
records kinds 5 '{"inputs": ["five"], "targets": [7, 1]}'
try kinds 1
says kinds.log "feature 'inputs' holds bytes values, ids are int64"

# shapes that do not fit
records fine 300 "$pair"
fails 2 train shapes 3 --hparams=$small,attention_key_channels=7
says shapes.log "must be divisible by num_heads=2"
fails 2 train fine 6 --hparams="${small#*,},hidden_size=32"
says fine.log 'hidden_size is 32, in the run it is 16'

# too little memory: said before step 0, with what would fit
try memory 1 --max_memory=3M
says memory.log 'smaller --hparams_set'
try memory 1 --max_memory=1G --batch_size=100000000 --hparams="${small%,batch_size*}"
says memory.log 'fits (auto finds it)'
[ ! -e memory ]

# weights that are not numbers, in a checkpoint whose hash says that it is as it was written
model=fine/model-3.safetensors
printf '\377\377\377\177' | dd of=$model bs=1 seek=$(($(wc -c <$model) - 4)) conv=notrunc 2>/dev/null
old=$(grep -A 3 '"model": {' fine/state-3.json | sed -n 's/.*"sha256": "\(.*\)".*/\1/p')
new=$(sha256sum $model | cut -d' ' -f1)
sed -i "s/$old/$new/; s/\"crc32c\"/\"without\"/" fine/state-3.json # as an older state, without CRC-32C
for run in "train fine 6 --hparams=$small" 't2t-trainer --data_dir=data --output_dir=fine --schedule=evaluate' \
    't2t-decoder --data_dir=data --output_dir=fine --decode_from_file=fine.jsonl --decode_to_file=out'; do
    # shellcheck disable=SC2086 # words
    fails 1 $run 2>>fine.log
    says fine.log 'is not a number, and a checkpoint has finite numbers only; remove '
done
