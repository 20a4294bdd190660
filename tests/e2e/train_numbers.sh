#!/usr/bin/env bash
# Data without text: ids that were made elsewhere, and symbols of an algorithmic problem, train and decode.
set -eu
seq 1 60 | awk '{ printf "%d %d\t%d %d 1\n", $1 % 17 + 2, $1 % 5 + 2, $1 % 5 + 2, $1 % 17 + 2 }' >ids.tsv
t2t-datagen --quiet --name=ids --train=ids.tsv --dev=ids.tsv --vocab_type=ids --vocab_size=20 --train_shards=2 --data_dir=d
train() { # problem, number of steps
    t2t-trainer --quiet --problem="$1" --data_dir=d --output_dir="run_$1" --model=transformer --hparams_set=transformer_tiny \
        --hparams=batch_size=512,num_hidden_layers=1,hidden_size=32,filter_size=32 --train_steps="$2" 2>log || { cat log >&2; exit 1; }
}
decode() { # problem; sentences on stdin
    cat >in
    t2t-decoder --quiet --problem="$1" --data_dir=d --output_dir="run_$1" --decode_from_file=in --decode_to_file=out
    cat out
}
only() { # pattern that every line of stdin matches; number of lines
    tee seen | awk -v p="$1" -v n="$2" '$0 !~ p { bad = 1 } END { exit bad || NR != n }' || { cat seen >&2; exit 1; }
}
train ids 3
printf '5 6\n7\n' | decode ids | only '^[0-9 ]*$' 2
train_ids_refused() { printf '5 six\n' >in; ! t2t-decoder --quiet --problem=ids --data_dir=d --output_dir=run_ids --decode_from_file=in --decode_to_file=out 2>err; }
train_ids_refused
grep -q "'six' is not an integer" err

t2t-datagen --quiet --problem=algorithmic_reverse_binary40_test --data_dir=d
train algorithmic_reverse_binary40_test 3
printf '0 1 1\n' | decode algorithmic_reverse_binary40_test | only '^[01 ]*$' 1
