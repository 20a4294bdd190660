# Wrong usage, and what is no checkpoint: nothing is written.
try() {
    rc=0
    t2t-exporter "$@" || rc=$?
    echo "exit code $rc"
}
mkdir run
try
try --output_dir=run --format=pickle
try --output_dir=run --format=bundle
try --output_dir=run --format=tensorflow --decode_hparams=beam_size=1
try --output_dir=run --format=bundle --decode_hparams=beam=1
try --output_dir=run --format=bundle --average_checkpoints=0
try --output_dir=run --format=bundle --as_text
try --output_dir=run --format=bundle --export_as_tfhub
try --inspect=run/model.ckpt-7
echo 'no table' >run/model.ckpt-7.index
try --inspect=run/model.ckpt-7.index
try --output_dir=run --format=bundle --data_dir=run
ls
