# What decoding takes of memory is what its plan said, within 5 %, greedily and with beams; a limit, or a container's
# (here ulimit -v), makes batches smaller and changes no line, and neither does the size of a batch.
# Not with sanitizers: their memory is another
. "$T2_ROOT/tests/e2e/train_common.subr"
data data 400
# hardly trained: no hypothesis ends before it has to; its last --hparams are the ones that count
train run 1 --local_eval_frequency=1 --eval_steps=1 --num_threads=2 \
    --hparams=hidden_size=256,filter_size=512,num_heads=4,num_hidden_layers=2,batch_size=512

# max_input_size makes the lines equally long, so that no batch ends before another
head -n 60 data/translate_ende_numbers.test.en >lines
decode() { # output, decode_hparams, flags
    out=$1 decode_hparams=$2
    shift 2
    t2t-decoder --data_dir=data --output_dir=run --decode_from_file=lines --decode_to_file="$out" --num_threads=2 \
        --decode_hparams="max_input_size=6,$decode_hparams" "$@" 2>"$out.log"
}

report() { # log, word in front of the number: MiB
    sed -n "s/.* memory: .*$2 \([0-9.]*\).*/\1/p" "$1"
}

within() { # log
    awk -v plan="$(sed -n 's/.* memory: \([0-9.]*\) MiB = .*/\1/p' "$1")" -v used="$(report "$1" 'at most')" \
        'BEGIN { exit !(plan > 0 && used < 1.05 * plan && used > 0.95 * plan) }' || {
        echo "$1: the plan and what was used differ:" >&2
        grep memory: "$1" >&2
        return 1
    }
}

smaller() { # log, MiB: batches were made smaller than this
    awk -v batch="$(report "$1" '= batch')" -v limit="$2" 'BEGIN { exit !(batch > 0 && batch <= limit) }' || {
        echo "$1: batches of more than $2 MiB:" >&2
        grep memory: "$1" >&2
        return 1
    }
}

decode greedy beam_size=1,batch_size=60,extra_length=300
within greedy.log
decode beams beam_size=3,batch_size=40,extra_length=60
within beams.log
for of in greedy:beam_size=1,extra_length=300 beams:beam_size=3,extra_length=60; do
    want=${of%%:*} search=${of#*:}
    decode small "$search,batch_size=7"
    cmp "$want" small
    decode limited "$search,batch_size=60" --max_memory=16M
    smaller limited.log 16
    cmp "$want" limited
done
# what there is of memory for this process is what it goes by when nobody says how much; one thread, as each more
# reserves address space that it does not use
(
    # shellcheck disable=SC3045
    ulimit -v 200000
    decode contained beam_size=1,batch_size=60,extra_length=300 --num_threads=1
)
smaller contained.log "$(report greedy.log '= batch')"
cmp greedy contained
