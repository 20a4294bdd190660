# Every output names a folder that is not there yet, two levels deep: it is made.
# shellcheck source=tests/cli/t2t-vocab/small_subwords.inc
. "$T2_ROOT/tests/cli/t2t-vocab/small_subwords.inc"
bad=0
n=0

# $1: the file that must be there afterwards; then the command, in which @ is the folder
makes() {
    n=$((n + 1))
    want=out$n/deep/$1
    shift
    folder=out$n/deep
    for word; do
        shift
        set -- "$@" "$(printf '%s' "$word" | sed "s|@|$folder|g")"
    done
    if ! "$@" >log 2>&1; then
        echo "fails: $*: $(tail -n 1 log)" >&2
        bad=1
    elif [ ! -e "$want" ]; then
        echo "made no $want: $*: $(find "out$n" | head -n 5 | tr '\n' ' ')" >&2
        bad=1
    fi
}

awk 'BEGIN { for (i = 0; i < 40; i++) printf "{\"inputs\":[%d,1],\"targets\":[%d,%d,1]}\n", i % 9 + 2, i % 7 + 2, i + 2 }' >x.jsonl
tfrec convert --quiet --from=jsonl --json=short -o x.tfrecord x.jsonl 2>/dev/null
printf '{"txt":["a"]}\n{"txt":["b"]}\n' | tfrec convert --quiet --from=jsonl --json=short -o k.tfrecord - 2>/dev/null

# tfrec: all commands with -o or an output folder, by their --help
makes y.tfrecord tfrec convert -o @/y.tfrecord --from=jsonl --json=short x.jsonl
makes y.csv tfrec convert -o @/y.csv x.tfrecord
makes y.tfrecord tfrec shuffle -o @/y.tfrecord x.tfrecord
makes y.tfrecord tfrec sort --by=inputs -o @/y.tfrecord x.tfrecord
makes y.tfrecord tfrec dedup -o @/y.tfrecord x.tfrecord
makes y.tfrecord tfrec merge -o @/y.tfrecord x.tfrecord
makes y.tfrecord tfrec filter --where='inputs[0] > 3' -o @/y.tfrecord x.tfrecord
makes y.tfrecord tfrec project --keep=inputs -o @/y.tfrecord x.tfrecord
makes y.tfrecord tfrec select --where='inputs[0] > 3' -o @/y.tfrecord x.tfrecord
makes y tfrec convert --to=jsonl -o @/y x.tfrecord
makes y.tar tfrec convert --to=webdataset -o @/y.tar k.tfrecord
makes y-00000-of-00002 tfrec reshard --shards=2 -o @/y x.tfrecord
makes y-00000-of-00002 tfrec split --shards=2 -o @/y x.tfrecord
makes y.tfrecord tfrec salvage -o @/y.tfrecord x.tfrecord
makes x.tfrecord tfrec salvage --output_dir=@ x.tfrecord
makes y.html tfrec report -o @/y.html x.tfrecord
makes y.json tfrec schema --format=json -o @/y.json x.tfrecord

# t2t-vocab; many words do not fit into little memory, so that counts go to files beside the output
awk 'BEGIN { for (i = 0; i < 200000; i++) print "a" i "b c" i * 7 "d" }' >many.txt
makes v t2t-vocab build --target_size=60 -o @/v lines.txt
makes c t2t-vocab count -o @/c lines.txt
makes v t2t-vocab build --max_memory=100M --target_size=60 -o @/v many.txt
makes c t2t-vocab count --max_memory=16M -o @/c many.txt
makes i t2t-vocab encode --vocab=a.subwords -o @/i lines.txt
t2t-vocab encode --vocab=a.subwords -o ids lines.txt
makes t t2t-vocab decode --vocab=a.subwords -o @/t ids
makes o t2t-vocab convert --to=official -o @/o a.subwords

# the rest
makes numbers.manifest.json t2t-datagen --quiet --name=numbers --train=lines.txt,lines.txt --dev=lines.txt,lines.txt \
    --vocab=a.subwords --data_dir=@ --tmp_dir=@/tmp
t2t-datagen --quiet --problem=translate_ende_numbers --data_dir=data --tmp_dir=tmp --max_cases=60 2>/dev/null
makes metrics.jsonl t2t-trainer --quiet --problem=translate_ende_numbers --data_dir=data --output_dir=@ --hparams_set=transformer_tiny \
    --hparams=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=1,batch_size=256 --train_steps=2 --schedule=train
run=$folder
printf 'one\ntwo\n' >in
makes t t2t-decoder --quiet --output_dir="$run" --data_dir=data --decode_from_file=in --decode_to_file=@/t --decode_hparams=extra_length=2
makes state-2.json t2t-avg-all --quiet --model_dir="$run" --output_dir=@ --n=1

# images
# shellcheck source=tests/cli/jpeg-to-tfrecord/images.inc
. "$T2_ROOT/tests/cli/jpeg-to-tfrecord/images.inc"
makes pictures.manifest.json jpeg-to-tfrecord --quiet --image_dir=photos --output_dir=@ --on_error=skip
makes dropped jpeg-to-tfrecord --quiet --image_dir=photos --output_dir=@/set --on_error=quarantine --quarantine_dir=@/dropped
makes page.html jpeg-to-tfrecord --quiet --image_dir=photos --output_dir=@/set --on_error=skip --contact_sheet=@/page.html

# every command of tfrec and t2t-vocab that has -o is above
for tool in tfrec t2t-vocab; do
    for command in $("$tool" --help | sed -n '/^usage/,/^every command/s/^  \([a-z][a-z]*\)  *[A-Z].*/\1/p'); do
        "$tool" "$command" --help | grep -q -- '^  -o ' || continue
        grep -q "$tool $command .*-o @" "$T2_ROOT/tests/e2e/output_folders.sh" ||
            { echo "$tool $command has -o and is not tried here" >&2 && bad=1; }
    done
done
exit $bad
