# Wrong usage: exit code 2, nothing is written.
try() {
    rc=0
    t2t-decoder "$@" || rc=$?
    echo "exit code $rc"
}
printf 'a\n' >in
try
try --decode_from_file=in
try --decode_from_file=in --output_dir=run more
try --decode_from_file=in --output_dir=run --decode_hparam=beam_size=2
try --decode_from_file=in --output_dir=run --decode_hparams=bean_size=2
try --decode_from_file=in --output_dir=run --decode_hparams=beam_size=two
try --decode_from_file=in --output_dir=run --decode_hparams=beam_size=0
try --decode_from_file=in --output_dir=run --checkpoint_path=last
try --decode_from_file=in --output_dir=run --average_checkpoints=0
try --decode_from_file=in --output_dir=run --decode_interactive
try --decode_from_file=in --output_dir=run --json --decode_to_file=-
try --decode_from_file=in --output_dir=run --decode_reference=in --decode_to_file=-
try --decode_from_file=- --output_dir=run
try --score_file=in --output_dir=run
try --score_file=in --output_dir=run --decode_from_file=in
try --score_file=in --output_dir=run --decode_to_file=out --json
try --eval_use_test_set --output_dir=run
try --decode_from_file=in --output_dir=run --decode_shards=2 --worker_id=2
try --decode_from_file=in --output_dir=run --t2t_usr_dir=.
try --decode_from_file=in --output_dir=run
ls
