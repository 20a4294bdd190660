#!/usr/bin/env bash
# What a step of the trainer costs beside its work, on the emulated GPU (make check-cuda): one graph, three kernels that
# say what it is about (bytes become floats, two blocks), and no wait of the host for the step itself, only for the
# results of the one before it and for the copy of its batch.  Between a run of 12 steps and one of 20 there is nothing
# else.  With --profile passes are not recorded, and operators have
# names.
. "$T2_ROOT/tests/e2e/train_common.subr"

draw_greys photos
t2t-datagen --quiet --name=greys --image_dir=photos --dev_percent=20 --data_dir=data
steps() { # number, flags
    n=$1
    shift
    T2_CUDA_COUNTS=$PWD/counts-$n t2t-trainer --problem=greys --data_dir=data --output_dir="run-$n" --model=basic_fc_relu \
        --hparams_set=basic_fc_small --hparams=batch_size=4,hidden_size=8,image_size=16,image_pipeline=torchvision \
        --train_steps="$n" --eval_steps=0 --log_step_count_steps=1000 --local_eval_frequency=1000 --device=cuda \
        --random_seed=1 --precision=bfloat16 "$@" 2>"$n.log"
}
steps 12 || {
    says 12.log 'no device' || says 12.log 'no CUDA device'
    echo 'no CUDA device, emulated or not' >&2
    exit 77
}
grep -q 'CUDA on the host' 12.log || { echo 'for the emulated GPU; make check-cuda' >&2; exit 77; }
steps 20
count() { # steps, name
    sed -n "s/.*\\b$2=\\([0-9]*\\).*/\\1/p" "counts-$1"
}
expect() { # name, test of what 8 steps more have, number
    more=$(($(count 20 "$1") - $(count 12 "$1")))
    test "$more" "$2" "$3" || { echo "8 steps have $more $1" >&2; exit 1; }
}
expect graphs -eq 8
expect kernels -eq 24
expect stalls -eq 0
expect waits -le 24

steps 6 --profile
[ "$(count 6 graphs)" -lt 6 ] # those of the update
for operator in linear class_loss; do
    grep -qE "^t2t-trainer: +$operator +forward" 6.log
done

# Bytes that kernels move.  The update of Adam reads a weight, its gradient and two moments (16 bytes), and the few numbers
# of the step; it writes the weight, the moments and the weight in 16 bits (14), each once.
T2_CUDA_TRAFFIC=$PWD/traffic
export T2_CUDA_TRAFFIC
steps 3
update() { # what
    sed -n "s/.*\"update_adam\".*\"$1\": \([0-9]*\).*/\1/p" traffic
}
weights=$(($(update least_written) / 14))
[ "$(update launches)" = 3 ]
[ "$(update moved_written)" = $((weights * 14)) ]
[ "$(update least_read)" -ge $((weights * 16)) ]
[ "$(update least_read)" -le $((weights * 16 + 1000)) ]
[ "$(update moved_read)" -ge "$(update least_read)" ]
