# t2t-decoder --ensemble: of a run, of another one, of model files; the order changes nothing, one with itself is
# itself; models of other data do not belong to it.
. "$T2_ROOT/tests/e2e/train_common.subr"

data data 400
train one 16
train two 8 --random_seed=5
for i in $(seq 12); do
    seq -s ' ' "$i" $((i + i * i % 13))
done >lines
decode() { # TO [flags]
    to=$1
    shift
    t2t-decoder --quiet --decode_hparams=beam_size=2,extra_length=12,write_beam_scores=true --decode_from_file=lines \
        --decode_to_file="$to" "$@"
}
decode alone --output_dir=one --data_dir=data
decode itself --output_dir=one --data_dir=data --ensemble=16
cmp alone itself
decode first --output_dir=one --data_dir=data --ensemble=two
decode second --output_dir=two --data_dir=data --ensemble=one/state-16.json
cmp first second
! cmp -s alone first
decode older --output_dir=one --data_dir=data --ensemble=two,8
! cmp -s first older

for m in one two; do
    t2t-exporter --quiet --output_dir=$m --data_dir=data --format=bundle --export_dir=$m.safetensors >/dev/null
done
decode files --model=./one.safetensors --ensemble=./two.safetensors
cmp first files

fails 2 decode no --output_dir=one --data_dir=data --ensemble=three 2>err
says err "--ensemble: 'three'"
fails 2 decode no --output_dir=one --data_dir=data --ensemble=two, 2>err
says err 'an empty name'
fails 2 t2t-decoder --output_dir=one --data_dir=data --ensemble=two --serve=127.0.0.1:0 2>err
says err '--ensemble is for --decode_from_file'
