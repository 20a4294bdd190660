# A search that is killed, with its trials, at any moment and continued gives what one that is left alone gives:
# the same trials once each, the same values, the same models.
# With sanitizers by name: search_write_kill.sh runs the same code
# shellcheck source=tests/e2e/train_common.subr
. "$T2_ROOT/tests/e2e/train_common.subr"
data data 600
cat >range.yaml <<'END'
learning_rate_constant: {float: [0.02, 2.0], scale: log}
learning_rate_warmup_steps: {discrete: [4, 8]}
END
search() { # output_dir, flags...
    (become_search "$@")
}
become_search() {
    out=$1
    shift
    exec t2t-trainer --problem=translate_ende_numbers --data_dir=data --output_dir="$out" --train_steps=27 \
        --hparams_set=transformer_tiny --hparams=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=1,batch_size=512 \
        --local_eval_frequency=8 --eval_steps=4 --hparams_range=range.yaml --autotune_objective=loss \
        --autotune_max_trials=8 --autotune_parallel_trials=2 "$@" 2>>"$out.log"
}
# rung, trial, hparams and value of each result, in the order of the trials
results() {
    sed -n 's/.*"event": "claim", "trial": \([0-9]*\), "rung": \([0-9]*\), "hparams": "\([^"]*\)".*/hparams \2 \1 \3/p
            s/.*"event": "done", "trial": \([0-9]*\), "rung": \([0-9]*\), "value": \([^,]*\),.*/value \2 \1 \3/p' "$1/study.jsonl"
}
same() { # two studies: the same results, each of them once
    for study in "$1" "$2"; do
        results "$study" | sort -u >"$study.results"
        results "$study" | grep '^value' | cut -d' ' -f1-3 | sort | uniq -d >"$study.twice"
        [ ! -s "$study.twice" ] || { echo "$study has results twice:" && cat "$study.twice" && return 1; }
    done
    cmp "$1.results" "$2.results" || { diff "$1.results" "$2.results"; return 1; }
    for trial in "$1"/trials/*; do
        for model in "$trial"/model-*.safetensors; do cmp "$model" "$2/trials/${trial##*/}/${model##*/}" || return 1; done
    done
}

# what will be tried, and how long it takes
search forecast --autotune_algorithm=halving --dry_run --json >forecast.json
grep -q '"kind": "search", "steps": 54, "seconds_per_step": [0-9.e-]*, "max_trials": 8, "trials": \[{"trial": 0, "hparams": "learning_rate_constant=' forecast.json
[ ! -e forecast ]

# successive halving in a pool of two, and the same by kills of the search and of trials
search straight --autotune_algorithm=halving >straight.out
[ "$(results straight | grep -c '^value')" = 11 ] # 8, 2 and 1

lines() { grep -c . killed/study.jsonl 2>/dev/null || echo 0; }
n=0
for victim in search trial search trial search search; do
    become_search killed --autotune_algorithm=halving >killed.out &
    search=$!
    # when something new is said
    while kill -0 $search 2>/dev/null && [ "$(lines)" -le $((n + 2)) ]; do sleep 0.02; done
    n=$(lines)
    case $victim in
    search) kill -9 $search 2>/dev/null || true ;;
    trial)
        child=$(sed -n 's/ .*//p' "/proc/$search/task/$search/children" 2>/dev/null || true)
        [ -z "$child" ] || kill -9 "$child" 2>/dev/null || true
        sleep 0.3
        kill -TERM $search 2>/dev/null || true
        ;;
    esac
    wait $search || true
done
search killed --autotune_algorithm=halving >killed.out
same straight killed
grep -q 'killed by signal 9\|interrupted' killed.log

# a finished search does nothing more and says the same
before=$(cat killed/study.jsonl)
search killed --autotune_algorithm=halving >again.out
cmp killed.out again.out
[ "$before" = "$(cat killed/study.jsonl)" ]

# a trial that went from rung to rung is the run that trains straight on
best=$(sed -n 's/^best: trial \([0-9]*\),.*/\1/p' straight.out)
command=$(tail -n 1 straight.out)
sh -c "$command" 2>/dev/null
cmp straight/best/model-27.safetensors "straight/trials/000$best/model-27.safetensors"

# One at a time these are the same however often they are stopped: name, when the first signal comes (lines of the
# study), flags
is_same_stopped() {
    name=$1 n=$2
    shift 2
    set -- --autotune_parallel_trials=1 "$@"
    search "$name" "$@" >"$name.out"
    for signal in TERM KILL TERM; do
        become_search "$name-stopped" "$@" >stopped.out &
        search=$!
        lines() { grep -c . "$name-stopped/study.jsonl" 2>/dev/null || echo 0; }
        while kill -0 $search 2>/dev/null && [ "$(lines)" -le $((n + 3)) ]; do sleep 0.02; done
        n=$(lines)
        kill -$signal $search 2>/dev/null || true
        wait $search || true
    done
    search "$name-stopped" "$@" >stopped.out
    same "$name" "$name-stopped"
}
is_same_stopped asha 0 --autotune_algorithm=asha
# trials from the eleventh on depend on those before: the signals come there
is_same_stopped tpe 19 --autotune_algorithm=tpe --autotune_max_trials=14 --train_steps=6
is_same_stopped gp 19 --autotune_algorithm=gp --autotune_max_trials=14 --train_steps=6
is_same_stopped both 20 --autotune_algorithm=asha --autotune_sampler=tpe --autotune_max_trials=13 --train_steps=9
search asha-random --autotune_algorithm=asha --autotune_max_trials=13 --train_steps=9 --autotune_parallel_trials=1 >random.out
for i in 0 9 10; do # the first ten as at random
    grep -h "\"event\": \"claim\", \"trial\": $i, " both/study.jsonl asha-random/study.jsonl | sed 's/.*"hparams": "\([^"]*\).*/\1/' | sort -u >drawn
    [ "$(wc -l <drawn)" = $((1 + (i == 10))) ]
done

# several workers on one study, as an array of jobs has them
search shared --autotune_algorithm=random --autotune_max_trials=1 >shared.out
for i in 1 2 3; do
    become_search shared --autotune_algorithm=random --autotune_parallel_trials=1 >"shared.$i" &
done
wait
search alone --autotune_algorithm=random >alone.out
same alone shared
