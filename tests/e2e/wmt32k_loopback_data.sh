# translate_ende_wmt32k whole: archives of the right names and members from a mirror on this machine, the
# compiled text, Tensor2Tensor's file set with its recorded bytes, and the trainer trains from it.
T2_DATA=$(cd "${T2_DATA:-$T2_ROOT/../shared/data}" 2>/dev/null && pwd) || { echo "no T2_DATA" >&2; exit 77; }
run=$T2_DATA/reference-runs/t2t-ende-wmt32k
[ -d "$run" ] || { echo "no reference-runs in T2_DATA" >&2; exit 77; }
command -v python3 >/dev/null || { echo "no python3" >&2; exit 77; }
no_proxy=127.0.0.1
export no_proxy PYTHONDONTWRITEBYTECODE=1

mkdir mirror
python3 "$run/../tools/prepare.py" ende "$T2_DATA" mirror
python3 -u -m http.server 0 --bind 127.0.0.1 --directory mirror >server.out 2>server.log &
server=$!
trap 'kill $server 2>/dev/null || true' EXIT
while ! grep -q ' port [0-9]' server.out; do
    kill -0 $server || { cat server.log >&2; exit 1; }
    sleep 0.05
done
url=http://127.0.0.1:$(sed -n 's/.* port \([0-9]*\).*/\1/p' server.out)

make_set() { # more flags
    t2t-datagen --problem=translate_ende_wmt32k --data_dir=data --tmp_dir=tmp --mirror="$url" --noverify_downloads "$@"
}
# what would be done says so and does nothing
make_set --dry_run >plan 2>plan.err || { cat plan.err >&2; exit 1; }
grep -q 'training/europarl-v7.de-en.en, training/europarl-v7.de-en.de of training-parallel-europarl-v7.tgz: to be downloaded' plan
[ ! -e tmp/training-parallel-europarl-v7.tgz ]

make_set 2>log || { tail -n 3 log >&2; ! grep -q 'no libcurl' log || exit 77; exit 1; }
for f in training-parallel-nc-v13.tgz training-parallel-commoncrawl.tgz training-parallel-europarl-v7.tgz dev.tgz; do
    grep -q "GET /$f" server.log || { echo "$f was not asked for" >&2; exit 1; }
    cmp mirror/$f tmp/$f
done
(cd tmp && sha256sum --quiet -c "$run/SHA256SUMS.tmp")
(cd data && sha256sum --quiet -c "$run/SHA256SUMS.sorted")
grep vocab "$run/SHA256SUMS" >vocab.sums
(cd data && sha256sum --quiet -c ../vocab.sums)
# the file set of the original, and our manifest
{ sed 's/^[^ ]*  //' "$run/SHA256SUMS.sorted" vocab.sums; echo translate_ende_wmt32k.manifest.json; } | LC_ALL=C sort >wanted
(cd data && find . -type f | sed 's/^..//') | LC_ALL=C sort | diff wanted -

# nothing is asked for again
requests=$(grep -c GET server.log)
make_set 2>again
[ "$(grep -c GET server.log)" = "$requests" ]
grep -q 'is complete, nothing to do' again

t2t-trainer --problem=translate_ende_wmt32k --data_dir=data --output_dir=run --train_steps=3 \
    --hparams_set=transformer_tiny --hparams=hidden_size=16,filter_size=16,num_heads=2,num_hidden_layers=1,batch_size=256 \
    --local_eval_frequency=3 --eval_steps=1 2>train.log || { tail -n 3 train.log >&2; exit 1; }
[ -e run/model-3.safetensors ]
