#!/usr/bin/env bash
# tests/run.sh - runs the tests: C programs, command-line cases, end-to-end scripts, fuzz replays.
#
#   tests/run.sh [--build DIR] [--jobs N] [--update] SET [WORD]     SET: quick, all, data, threads,
#                                                                   kernels, processor, ops, models,
#                                                                   emulated
#   tests/run.sh --programs SET [WORD]                              what must be built for that
#
# quick leaves out *_slow.*; data has tests/oracle and *_data.*, which read T2_DATA; threads has what
# thread sanitizer can say something about, kernels what has CPU variants (T2_CPU=generic chooses one),
# processor these and the runs whose memory depends on what the libraries do on a processor; ops compares
# kernels of every device that is there with the reference's; models has what else runs on a device
# (T2_REFERENCE=cuda, T2_ALL_DEVICES=far).
# WORD keeps the tests whose path contains it.
# T2_EMULATOR, a command, runs programs that were built for another processor; tools start through
# scripts of their names.
# --update rewrites the goldens of command-line cases instead of comparing; look at the difference.
#
# A script with a line `# Not with sanitizers: WHY` is skipped there; one with `# With sanitizers by name: WHY`, where
# it takes a minute or more, too, but when there is a WORD.
#
# The exit code of a program is its verdict.  A script skips with exit code 77, the reason on the last
# line of stderr; a cmocka test with t_skip().  The last line printed is
# `N passed, N failed, N skipped`; test functions of C programs count one each.
set -u
cd "$(dirname "$0")/.." || exit 2
ROOT=$PWD

# ---- which tests -----------------------------------------------------------------------------------

all_tests() {
    find tests/unit tests/ops tests/oracle tests/fuzz tests/cli tests/e2e \
        \( -name 'test_*.c' -o -name 'fuzz_*.c' -o -path 'tests/cli/*/*.sh' -o -path 'tests/e2e/*.sh' \) \
        2>/dev/null | LC_ALL=C sort
}

# Does the test $1, or the source it tests, contain the pattern $2?
mentions() {
    # shellcheck disable=SC2046 # source paths have no spaces
    grep -qE "$2" "$1" $(find base tfrecord tokenizer augment audio tfrec vocab datagen train -name "${1##*/test_}" 2>/dev/null)
}

uses_threads() {
    case $1 in
    tests/e2e/*threads*) return 0 ;;
    tests/cli/* | tests/e2e/* | tests/fuzz/*) return 1 ;;
    esac
    mentions "$1" 'pthread_|t2_pool|num_threads|n_threads|stdatomic'
}

has_variants() {
    case $1 in
    tests/ops/* | tests/oracle/*) return 0 ;;
    tests/unit/*) mentions "$1" 't2_cpu|T2_CPU|DEV_CPU_VARIANT|__attribute__\(\(target' ;;
    *) return 1 ;;
    esac
}

# What may differ on another processor: bytes, floats, instructions; less what takes minutes under an
# emulator.
of_processor() {
    case $1 in
    */test_conv2d.c | */test_far_queue.c | */test_recorded_resnet.c | */test_recorded_image_transformer.c | */test_transformer_toy.c) return 1 ;;
    tests/unit/base/* | tests/unit/tfrecord/* | tests/unit/tokenizer/* | tests/unit/augment/* | tests/unit/audio/* | tests/ops/*) return 0 ;;
    *) has_variants "$1" ;;
    esac
}

on_device() {
    case $1 in tests/unit/train/* | tests/oracle/*) ;; *) return 1 ;; esac
    grep -qE 'op_device|dev_open|image_model\.h|optim_steps\.h|ckpt_run\.h|small_models\.h|tiny_models\.h|resnet_oracle\.h|small_run\.h' "$1"
}

list_tests() { # set, word
    local t
    all_tests | while read -r t; do
        case $t in *"$2"*) ;; *) continue ;; esac
        if [ "$1" != all ]; then
            case $t in *_slow.*) continue ;; esac
        fi
        case $1 in
        data) case $t in tests/oracle/* | *_data.*) ;; *) continue ;; esac ;;
        threads) uses_threads "$t" || continue ;;
        kernels) has_variants "$t" || continue ;;
        ops) case $t in tests/ops/*) ;; *) continue ;; esac ;;
        models) on_device "$t" || continue ;;
        emulated) of_processor "$t" || continue ;;
        processor) case $t in tests/e2e/train_*memory*) ;; *) has_variants "$t" || continue ;; esac ;;
        esac
        printf '%s\n' "$t"
    done
}

# ---- one test --------------------------------------------------------------------------------------

# cmocka's report -> "passed failed skipped"; its closing summary repeats names and is not read.
count_cmocka() {
    awk '/^\[==========\].*[Rr]unning/ { on = 1 } /^\[==========\].*run\./ { on = 0 }
         on && /^\[       OK \]/ { p++ } on && /^\[  FAILED  \]/ { f++ }
         on && /^\[  SKIPPED \]/ { s++ } END { print p + 0, f + 0, s + 0 }' "$1"
}

# Does the text $2 match the golden $1, where a line "..." stands for any lines?
matches() {
    awk 'function same(at, from, to,    k) {
             for (k = from; k <= to; k++) if (text[at + k - from] != gold[k]) return 0
             return 1
         }
         NR == FNR { gold[++g] = $0; next } { text[++t] = $0 }
         END {
             at = 1; i = 1; open = 0             # open: a "..." stands before gold[i]
             while (i <= g) {
                 if (gold[i] == "...") { open = 1; i++; continue }
                 for (j = i; j < g && gold[j + 1] != "..."; j++) ;
                 n = j - i + 1
                 if (!open) { if (at + n - 1 > t || !same(at, i, j)) exit 1 }
                 else if (j == g) { if (t - n + 1 < at || !same(t - n + 1, i, j)) exit 1; at = t - n + 1 }
                 else { while (at + n - 1 <= t && !same(at, i, j)) at++; if (at + n - 1 > t) exit 1 }
                 at += n; i = j + 1; open = 0
             }
             exit !(open || at == t + 1)
         }' "$1" "$2"
}

golden() { # golden file, actual file: compares, or writes with --update
    local gold=$1 actual=$2
    [ -f "$gold" ] || gold=/dev/null
    sed -i -e "s|$SCRATCH|SCRATCH|g" -e "s|$ROOT|ROOT|g" "$actual"
    matches "$gold" "$actual" && return 0
    if [ "$T2_UPDATE" = 1 ]; then
        if [ -s "$actual" ]; then cp "$actual" "$1"; else rm -f "$1"; fi
        echo "updated $1"
        return 0
    fi
    echo "--- differs from $1 (- expected, + actual)"
    diff -u "$gold" "$actual" | tail -n +3 | head -n 60
    return 1
}

# What sanitizers find goes to files: a script that expects a failure sees no other one in it.
run_script() { # script -> exit code; stdout and stderr in $SCRATCH.out, .err
    local rc
    (
        cd "$SCRATCH" || exit 1
        case $T2_BUILD in
        */asan | */*-asan | */tsan)
            ASAN_OPTIONS=$ASAN_OPTIONS:log_path=$SCRATCH.found
            UBSAN_OPTIONS=$UBSAN_OPTIONS:log_path=$SCRATCH.found
            TSAN_OPTIONS=$TSAN_OPTIONS:log_path=$SCRATCH.found
            ;;
        esac
        exec $WRAP timeout -k 5 "$LIMIT" sh -eu "$ROOT/$1"
    ) >"$SCRATCH.out" 2>"$SCRATCH.err" </dev/null
    rc=$?
    found="$(cat "$SCRATCH".found.* 2>/dev/null | head -n 60)"
    [ -z "$found" ] || rc=99
    return $rc
}

# What a script that failed wrote last, mostly the output of the command that it did not like.
last_written() {
    (cd "$SCRATCH" && find . -maxdepth 2 -type f -size -100k -printf '%T@ %p\n' | sort -rn | head -n 3 | while read -r _ file; do
        grep -qI . "$file" || continue
        echo "--- $file"
        tail -n 12 "$file" | cut -c1-200
    done)
}

# Why the script $1 does not run in this build; nothing when it does.
not_here() {
    case $T2_BUILD in */asan | */*-asan | */tsan) ;; *) return ;; esac
    sed -n -e 's/^# Not with sanitizers: //p' "$1"
    [ -n "$T2_WORD" ] || sed -n -e 's/^# With sanitizers by name: /by name only: /p' "$1"
}

run_one() { # test path; log and counts go to $T2_LOGS
    local t=$1 name seeds log rc counts why found='' start=$EPOCHREALTIME took
    log=$T2_LOGS/${t//\//+}
    SCRATCH=$T2_LOGS/${t//\//+}.d
    mkdir -p "$SCRATCH"
    export SCRATCH TMPDIR=$SCRATCH
    case $t in *_slow.*) LIMIT=1800 ;; *_data.* | tests/oracle/*) LIMIT=600 ;; *) LIMIT=180 ;; esac
    WRAP=
    [ -z "${T2_EMULATOR:-}" ] || LIMIT=$((LIMIT * 3))
    [ -z "${T2_ALL_DEVICES:-}" ] || LIMIT=$((LIMIT * 2)) # plain loops for all
    case $T2_BUILD in
    */asan | */*-asan) LIMIT=$((LIMIT * 3)) ;;
    */tsan)
        LIMIT=$((LIMIT * 6))
        # tsan's shadow memory does not fit every address layout
        setarch -R true 2>/dev/null && WRAP='setarch -R'
        ;;
    esac
    case $t in tests/cli/* | tests/e2e/*) why=$(not_here "$t") ;; *) why= ;; esac
    case ${why:+skipped}$t in
    skipped*)
        counts='0 0 1'
        echo "skip: $why" >"$log"
        ;;
    tests/cli/*)
        run_script "$t"
        rc=$?
        if [ $rc = 77 ]; then
            counts='0 0 1'
            { printf 'skip: '; tail -n 1 "$SCRATCH.err"; } >"$log"
        else
            local want=0 ok=1
            [ -f "${t%.sh}.exit" ] && want=$(cat "${t%.sh}.exit")
            {
                [ -z "$found" ] || echo "$found"
                if [ "$rc" != "$want" ]; then
                    if [ "$T2_UPDATE" = 1 ]; then
                        if [ $rc = 0 ]; then rm -f "${t%.sh}.exit"; else echo $rc >"${t%.sh}.exit"; fi
                    else
                        echo "exit code $rc, expected $want"
                        ok=0
                    fi
                fi
                golden "${t%.sh}.stdout" "$SCRATCH.out" || ok=0
                golden "${t%.sh}.stderr" "$SCRATCH.err" || ok=0
            } >"$log"
            [ $ok = 1 ] && counts='1 0 0' || counts='0 1 0'
        fi
        ;;
    tests/e2e/*)
        run_script "$t"
        rc=$?
        case $rc in
        0) counts='1 0 0' && : >"$log" ;;
        77) counts='0 0 1' && { printf 'skip: '; tail -n 1 "$SCRATCH.err"; } >"$log" ;;
        *) counts='0 1 0' && { tail -n 30 "$SCRATCH.out"; tail -n 30 "$SCRATCH.err"; last_written; echo "$found"; echo "exit code $rc"; } >"$log" ;;
        esac
        ;;
    tests/fuzz/*)
        # its seeds: the folder of its name, wherever that is in fixtures/
        name=$(basename "$t" .c)
        seeds=$(find fixtures -type d -name "${name#fuzz_}")
        $WRAP timeout -k 5 "$LIMIT" ${T2_EMULATOR:-} "$T2_BUILD/${t%.c}" "${seeds:-no folder ${name#fuzz_} in fixtures/}" \
            >"$log" 2>&1 </dev/null
        rc=$?
        [ $rc = 0 ] && counts='1 0 0' || { counts='0 1 0'; echo "exit code $rc" >>"$log"; }
        ;;
    *)
        $WRAP timeout -k 5 "$LIMIT" ${T2_EMULATOR:-} "$T2_BUILD/${t%.c}" >"$log" 2>&1 </dev/null
        rc=$?
        counts=$(count_cmocka "$log")
        case "$rc:$counts" in
        0:'0 0 0') counts='0 1 0' && echo 'no test ran' >>"$log" ;;
        0:*' 0 '*) ;;
        *:*' 0 '*) counts=$(echo "$counts" | awk '{ print $1, $2 + 1, $3 }') && echo "exit code $rc" >>"$log" ;;
        0:*) echo "exit code 0 in spite of failed tests" >>"$log" ;;
        esac
        [ $rc = 124 ] && echo "stopped after $LIMIT s" >>"$log"
        ;;
    esac
    took=$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')
    echo "$counts $took $t" >"$log.res"
    chmod -R u+rwX "$SCRATCH" && rm -rf "$SCRATCH" "$SCRATCH.out" "$SCRATCH.err" "$SCRATCH".found.*
    set -- $counts
    if [ "$2" != 0 ]; then
        { echo "FAIL $t"
          awk '/^\[==========\].*run\./ { over = 1 }
               /^\[( RUN|       OK|=====)/ { next }
               over && /^(\[|$| *[0-9]+ (FAILED|SKIPPED) TEST)/ { next }
               { print "    " $0 }' "$log" | tail -n 80; } >"$log.report"
    else
        { echo "ok   $t ($1, $took s)"; [ "$3" = 0 ] || grep '^skip: ' "$log" | sort | uniq -c | sed 's/^ */    /'; } >"$log.report"
    fi
    cat "$log.report"
}

if [ "${1:-}" = --one ]; then
    run_one "$2"
    exit 0
fi

# ---- all of them -----------------------------------------------------------------------------------

T2_BUILD=build/release JOBS=$(nproc 2>/dev/null || echo 1) T2_UPDATE=0 PROGRAMS=0
while [ $# -gt 0 ]; do
    case $1 in
    --build) T2_BUILD=$2 && shift ;;
    --jobs) JOBS=$2 && shift ;;
    --update) T2_UPDATE=1 ;;
    --programs) PROGRAMS=1 ;;
    -*) echo "run.sh: unknown option '$1'" >&2 && exit 2 ;;
    *) break ;;
    esac
    shift
done
SET=${1:-quick} WORD=${2:-}
case $SET in quick | all | data | threads | kernels | processor | ops | models | emulated) ;; *) WORD=$SET SET=all ;; esac
case $T2_BUILD in /*) ;; *) T2_BUILD=$ROOT/$T2_BUILD ;; esac

if [ $PROGRAMS = 1 ]; then
    list_tests "$SET" "$WORD" | sed -n -e 's/\.c$//p' -e 's,^tests/e2e/fixtures.sh$,fixtures/make/make_images,p' -e 's/.*\.sh$/tools/p' | LC_ALL=C sort -u
    exit 0
fi

T2_LOGS=$T2_BUILD/testlogs
# a second run at the same time must not remove the folders of the first
mkdir -p "$T2_BUILD" && exec 8>"$T2_BUILD/.testlogs.lock"
if command -v flock >/dev/null && ! flock -n 8; then
    T2_LOGS=$T2_BUILD/testlogs.$$
    trap 'rm -rf "$T2_LOGS"' EXIT
fi
rm -rf "$T2_LOGS" && mkdir -p "$T2_LOGS" || exit 2
case ${T2_DATA:=../shared/data} in /*) ;; *) T2_DATA=$ROOT/$T2_DATA ;; esac
bin=$T2_BUILD/bin
if [ -n "${T2_EMULATOR:-}" ]; then
    rm -rf "$T2_BUILD/emulated" && mkdir -p "$T2_BUILD/emulated" || exit 2
    for tool in "$bin"/*; do
        [ ! -f "$tool" ] || printf '#!/bin/sh\nexec %s %s "$@"\n' "$T2_EMULATOR" "$tool" >"$T2_BUILD/emulated/${tool##*/}"
    done
    bin=$T2_BUILD/emulated
    chmod -R +x "$bin"
fi
export T2_BUILD T2_LOGS T2_UPDATE T2_DATA T2_WORD=$WORD T2_ROOT=$ROOT PATH="$bin:$PATH"
export LC_ALL=C.UTF-8 TZ=UTC CMOCKA_MESSAGE_OUTPUT=STDOUT
# Not detect_stack_use_after_return: gcc 12 then puts 64-byte vectors at addresses that are not aligned.
# The second: it takes thread-local memory of libraries opened at run time (oneDNN) for addresses.
export ASAN_OPTIONS=${ASAN_OPTIONS:-allocator_may_return_null=1:intercept_tls_get_addr=0}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1:ignore_noninstrumented_modules=1}
unset T2_LOG

list_tests "$SET" "$WORD" | xargs -r -n 1 -P "$JOBS" bash tests/run.sh --one
cat "$T2_LOGS"/*.res 2>/dev/null | sort -k4,4nr | awk '
    { p += $1; f += $2; s += $3; if (NR <= 5 && $4 >= 5) slow = slow sprintf("  %6.1f s  %s\n", $4, $5) }
    END {
        if (slow) printf "slowest:\n%s", slow
        printf "%d passed, %d failed, %d skipped\n", p, f, s
        exit f > 0 || p + s == 0
    }'
