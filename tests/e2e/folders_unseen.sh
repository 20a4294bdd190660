# A folder that may not be looked at, or written to, is told so: never as absent, nor as no folder.
command -v setpriv >/dev/null || { echo "no setpriv" >&2 && exit 77; }
[ "$(id -u)" = 0 ] || { echo "only root can become somebody else" >&2 && exit 77; }
as() { setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$PWD" "$@"; }
chmod 755 .
mkdir -p secret/x closed/x open
chmod 700 secret
chmod 555 closed
chmod 777 open
as test -x "$PWD/closed" && as test -x "$T2_BUILD/bin/tfrec" || { echo "others may not come here" >&2 && exit 77; }
seq 200 | sed 's/^/line /' >open/text
printf '{"inputs":[5,6],"targets":[7]}\n' | tfrec convert --quiet --to=tfrecord -o open/x.tfrecord - 2>/dev/null
chmod a+r open/*
cd open || exit 1
bad=0
told() {
    code=0
    as timeout 60 "$@" >../log 2>&1 </dev/null || code=$?
    if [ $code = 0 ] || ! grep -q 'Permission denied' ../log || grep -qi 'no such\|is no folder\|not a folder' ../log; then
        echo "exit code $code: $*: $(tail -n 1 ../log)" >&2
        bad=1
    fi
}
no=../secret/x # cannot be looked at
told t2t-avg-all --model_dir=$no --output_dir=o
told t2t-trainer --problem=p --data_dir=$no --output_dir=o --hparams_set=transformer_tiny
told t2t-decoder --output_dir=o --data_dir=o --decode_from_file=text --checkpoint_path=$no
told t2t-datagen --problem=wiki_revision --tmp_dir=$no --data_dir=o
told t2t-datagen --name=n --train=$no,text --data_dir=o
told t2t-datagen --check=$no
told jpeg-to-tfrecord --image_dir=$no --output_dir=o
told t2t-vocab build --target_size=50 --max_memory=64M --tmp_dir=$no -o v text
told t2t-vocab show $no
for command in count head stats verify index events "append $no" "convert -o o.jsonl"; do
    # shellcheck disable=SC2086
    told tfrec $command $no
done
for to in ../closed ../closed/new ../closed/new/deep; do # cannot be written to
    told t2t-datagen --problem=algorithmic_identity_binary40 --data_dir=$to
    told data_download --data_dir=$to --raw_dir=$to
    told t2t-vocab build --target_size=50 -o $to/v text
    told t2t-vocab count -o $to/c text
    for command in shuffle "reshard --shards=2" merge "split --shards=2" "filter --where=len(inputs)>0" dedup "convert --to=jsonl" salvage report; do
        # shellcheck disable=SC2086
        told tfrec $command -o $to/y x.tfrecord
    done
done
[ $bad = 0 ]
