# t2t-decoder over several ranks writes what one process writes, to the byte: translations, beams
# with scores, given translations scored, text from stdin.  Rank 0 alone writes and speaks.
. "$T2_ROOT/tests/e2e/train_common.subr"
. "$T2_ROOT/tests/e2e/ranks.subr"
need_mpirun
data data 600
train run 16 --num_threads=1

for i in $(seq 70); do
    echo "$(seq -s ' ' $((i % 9)))"
done >in
one() { t2t-decoder --output_dir=run --data_dir=data --num_threads=1 --decode_hparams="batch_size=4,extra_length=6${h-}" "$@"; }
ranks_of() { # N ...
    n=$1
    shift
    $mpirun $options -n "$n" t2t-decoder --output_dir=run --data_dir=data --num_threads=1 \
        --decode_hparams="batch_size=4,extra_length=6${h-}" "$@"
}

same_file() { # ranks, hparams
    h=$2
    one --decode_from_file=in --decode_to_file=one --quiet
    rm -f all
    ranks_of "$1" --decode_from_file=in --decode_to_file=all 2>log
    cmp one all
}
same_file 2 ,beam_size=1
same_file 3 ,beam_size=3,return_beams=true,write_beam_scores=true
[ "$(wc -l <one)" = 70 ]
[ "$(grep -c "written to 'all'" log)" = 1 ]
! grep -q 'rank [12]' log

# stdin goes to rank 0, stdout is its; one object of JSON
h=,beam_size=2
one --decode_from_file=- --decode_to_file=one --quiet <in
ranks_of 2 --decode_from_file=- --decode_to_file=- --quiet <in >all
cmp one all
ranks_of 2 --decode_from_file=in --decode_to_file=all --quiet --json >json
[ "$(wc -l <json)" = 1 ]
grep -q '"lines": *70' json

# scores, of more lines than fit into a block
for i in 1 2 3 4 5 6 7 8 9 10; do
    paste in in
done >pairs
one --score_file=pairs --decode_to_file=one_scores --quiet
ranks_of 2 --score_file=pairs --decode_to_file=all_scores 2>log
cmp one_scores all_scores
[ "$(grep -c 'a loss of' log)" = 1 ]
