# What ends t2t-decoder over several ranks: what all find or one does, other flags, a rank that is
# killed.  All end, once it has been said, and no output is there.
# With sanitizers by name: decode_ranks.sh runs the same code
. "$T2_ROOT/tests/e2e/train_common.subr"
. "$T2_ROOT/tests/e2e/ranks.subr"
need_mpirun
data data 600
train run 16 --num_threads=1

for i in $(seq 70); do
    echo "$(seq -s ' ' $((i % 9)))"
done >in
ranks_of() { # N ...
    n=$1
    shift
    $mpirun $options -n "$n" t2t-decoder --output_dir=run --data_dir=data --num_threads=1 \
        --decode_hparams="batch_size=4,extra_length=6" "$@"
}

# refused, or found by all: once, and at once
printf 'a\nb\344\n' >bad
! ranks_of 2 --decode_from_file=bad --decode_to_file=none 2>log
[ "$(grep -c 'error: ' log)" = 1 ]
grep -q "error: rank 0 on '.*': 'bad': line 2, byte 2: not UTF-8" log
! ranks_of 2 --decode_from_file=in --decode_to_file=/dev/null/none 2>log
[ "$(grep -c 'error: ' log)" = 1 ]
printf 'a\tb\nc\n' >bad
! ranks_of 2 --score_file=bad --decode_to_file=none 2>log
[ "$(grep -c 'error: ' log)" = 1 ]
grep -q "line 2 has 0 tabs" log
! ranks_of 2 --decode_interactive 2>log </dev/null
[ "$(grep -c 'error: ' log)" = 1 ]
grep -q 'decode_interactive is for one process, not for 2' log
! ranks_of 2 --decode_from_file=in --decode_to_file=none --problem=other 2>log
[ "$(grep -c 'error: ' log)" = 1 ]
[ ! -e none ]

# ranks that were not started alike
! $mpirun $options -n 1 t2t-decoder --output_dir=run --data_dir=data --num_threads=1 --decode_from_file=in --decode_to_file=none : \
    -n 1 t2t-decoder --output_dir=run --data_dir=data --num_threads=1 --decode_from_file=in --decode_to_file=none \
    --decode_hparams=beam_size=2 2>log
grep -q "ranks must be started alike: rank 0 on '.*' has --decode_hparams=, rank 1 on '.*' has --decode_hparams=beam_size=2" log
[ ! -e none ]

# a rank that is killed ends all, and nothing half done is there
cat >as_rank.sh <<'END'
[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" != 1 ] || { sleep 1.5; kill -KILL $$; } &
exec "$@"
END
for i in $(seq 40); do cat in; done >long
! $mpirun $options -n 2 sh ./as_rank.sh t2t-decoder --output_dir=run --data_dir=data --num_threads=1 --decode_from_file=long \
    --decode_to_file=none --decode_hparams=beam_size=16,extra_length=400,batch_size=1 2>log
[ ! -e none ]
