#!/usr/bin/env bash
# scripts/gpu.sh - the device "cuda" on a machine with a GPU: builds, compares, times.
#
#   scripts/gpu.sh [--build DIR] [parity|oracles|sanitize|bench]...        all four when none is named
#
# Needs nvcc, a C compiler and make; python3 with PyTorch for what ours is compared with.  Libraries
# that the rest of the program needs may be missing: `make BARE=1` leaves out what uses them.
#
#   parity     every kernel against the reference's loops, graphs and models on the GPU, the losses of
#              training steps beside the cpu's                                        about 4 minutes
#   oracles    logits, losses, gradients, steps and beams of the originals, on the GPU; they are read
#              from T2_DATA (../shared/data), without which the stage says so and does nothing
#   sanitize   some of that under compute-sanitizer: memcheck, racecheck, initcheck   about 5 minutes
#   bench      every figure of bench/gpu_model.py: ours, PyTorch's compiled, the forecast  about 6 minutes
#
# Results are JSON lines in $OUT/gpu.jsonl (OUT: build/gpu when not set), the figures beside their
# forecasts in $OUT/gpu-table.md, everything else in $OUT/gpu.log.  --build: programs that are already in DIR; nothing is made.  Exit code 77: this machine
# has no nvcc or no GPU, the reason on the last line of stderr.
set -u
cd "$(dirname "$0")/.." || exit 2

BUILD='' STAGES=''
while [ $# -gt 0 ]; do
    case $1 in
    --build)
        BUILD=${2:?--build needs a folder}
        shift
        ;;
    parity | oracles | sanitize | bench) STAGES="$STAGES $1" ;;
    *)
        sed -n '2,/^set -u/{/^#/s/^# \{0,1\}//p;}' "$0" >&2
        exit 2
        ;;
    esac
    shift
done
STAGES=${STAGES:-parity oracles sanitize bench}
OUT=${OUT:-build/gpu}
mkdir -p "$OUT" || exit 2
OUT=$(cd "$OUT" && pwd)
JSON=$OUT/gpu.jsonl LOG=$OUT/gpu.log
: >"$JSON"
: >"$LOG"
failed=0

skip() {
    echo "$*" >&2
    exit 77
}

say() {
    echo "$*" | tee -a "$LOG"
}

# Keys and values, two by two, as one line of JSON; a value that is no number is a string.
line() {
    local text='' value
    while [ $# -gt 1 ]; do
        value=$2
        case $value in
        '' | *[!0-9.e+-]*) value=\"${value//\"/\'}\" ;;
        esac
        text="$text${text:+, }\"$1\": $value"
        shift 2
    done
    echo "{$text}" | tee -a "$JSON"
}

# ---- build -----------------------------------------------------------------------------------------

find_gpu() {
    command -v nvcc >/dev/null || PATH=$PATH:/usr/local/cuda/bin
    command -v nvcc >/dev/null || skip 'no nvcc: install the CUDA toolkit'
    nvidia-smi -L 2>/dev/null | grep -q GPU || skip 'no NVIDIA GPU'
    GPU=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)
    CAPABILITY=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1)
    line stage machine gpu "$GPU" compute_capability "$CAPABILITY" \
        nvcc "$(nvcc --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')" \
        driver "$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1)"
}

# The architecture of this card alone: code for others is not run here.
build() {
    local arch=${CAPABILITY//./} start=$SECONDS
    [ "$arch" = 90 ] && arch=90a
    BUILD=build/bare
    say "== build for sm_$arch"
    # shellcheck disable=SC2046 # names without spaces
    make -k "-j$(nproc)" BARE=1 CUDA=yes CUDA_ARCHS="$arch" CUDA_PTX= \
        $(programs | sed "s,^,$BUILD/,") $BUILD/bench/bench_{step,net,decode} >>"$LOG" 2>&1
    line stage build seconds $((SECONDS - start)) left_out \
        "$(sed -n 's/^bare build without \(.*\): left out.*/\1/p' "$LOG" | head -n 1)"
}

programs() {
    { tests/run.sh --programs ops; tests/run.sh --programs models; } | grep '^tests/'
}

# ---- stages ----------------------------------------------------------------------------------------

# Runs a test program and writes its counts.
run_test() { # stage, device of the reference, seconds at most, program, wrapper...
    local stage=$1 reference=$2 limit=$3 program=$4 log=$OUT/log.$$.$BASHPID start=$EPOCHREALTIME rc counts
    shift 4
    T2_REFERENCE=$reference CMOCKA_MESSAGE_OUTPUT=STDOUT T2_DATA=${T2_DATA:-/nonexistent} \
        timeout -k 5 "$limit" "$@" "$program" >"$log" 2>&1 </dev/null
    rc=$?
    counts=$(awk '/^\[       OK \]/ { p++ } /^\[  FAILED  \] [a-z_]*$/ && !over { f++ } /^\[  SKIPPED \]/ && !over { s++ }
        /run\.$/ { over = 1 } END { print p + 0, f + 0, s + 0 }' "$log")
    # shellcheck disable=SC2086 # three numbers
    set -- $counts
    line stage "$stage" test "$(basename "$program")" reference "${reference:-reference}" passed "$1" failed "$2" \
        skipped "$3" exit_code "$rc" \
        seconds "$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')"
    { echo "==== $stage $program"; if [ "$rc" = 0 ]; then head -n 3 "$log"; else cat "$log"; fi; } >>"$LOG"
    rm -f "$log"
    [ "$rc" = 0 ]
}

# JSON of a timed run, with its stage in front.
run_step() { # stage, flags of bench_step
    local stage=$1 out
    shift
    out=$(timeout 200 "$BUILD/bench/bench_step" "$@" 2>>"$LOG") || { failed=1; out='"failed": true}'; }
    echo "{\"stage\": \"$stage\", \"flags\": \"$*\", ${out#\{}" | tee -a "$JSON"
}

parity() {
    local t
    say '== parity'
    for t in "$BUILD"/tests/ops/test_*; do
        [ -x "$t" ] || continue
        run_test parity '' 150 "$t" || failed=1
    done
    for t in $(tests/run.sh --programs models | grep '^tests/unit/'); do
        [ -x "$BUILD/$t" ] || continue
        run_test parity cuda 100 "$BUILD/$t" || failed=1
    done
    [ -x "$BUILD/bench/bench_step" ] || return 0
    for precision in float32 bfloat16; do
        for device in cuda cpu; do
            run_step loss --device="$device" --size=small128 --precision="$precision" --steps=100 --warm=0
        done
    done
    run_step loss --device=cuda --size=base --steps=100 --warm=0
}

oracles() {
    local t data=${T2_DATA:-../shared/data}
    say '== oracles'
    [ -d "$data/oracles" ] || { say "no $data/oracles (T2_DATA): left out"; return 0; }
    data=$(cd "$data" && pwd)
    for t in $(tests/run.sh --programs models | grep '^tests/oracle/' | grep -v _slow); do
        [ -x "$BUILD/$t" ] || continue
        T2_DATA=$data run_test oracles cuda 100 "$BUILD/$t" || failed=1
    done
}

SANITIZED='test_elementwise test_layer_norm test_embed test_gemm test_attention test_xent test_conv2d test_choice'
sanitize() {
    local tool name
    say '== sanitize'
    command -v compute-sanitizer >/dev/null || { say 'no compute-sanitizer: left out'; return 0; }
    for tool in memcheck racecheck initcheck; do
        for name in $SANITIZED; do
            [ -x "$BUILD/tests/ops/$name" ] || continue
            T2_TEST_DEVICE=cuda run_test "$tool" '' 60 "$BUILD/tests/ops/$name" \
                compute-sanitizer --tool "$tool" --error-exitcode 9 --print-limit 5 || failed=1
        done
    done
}

# A figure of bench/gpu_model.py's table: ours, then PyTorch's compiled, or as it is where that fails.
figure() { # tag, program, its flags, the peer's; a script that is asked for the peer before gpu_peer.py, its flags
    local tag=$1 program=$2 ours=$3 peer=$4 other=${5:-} out
    [ -x "$BUILD/bench/$program" ] || return 0
    # shellcheck disable=SC2086 # flags
    out=$(timeout 120 "$BUILD/bench/$program" --device=cuda $ours 2>>"$LOG") || { failed=1; out='"failed": true}'; }
    echo "{\"stage\": \"ours\", \"tag\": \"$tag\", \"flags\": \"$ours\", ${out#\{}" | tee -a "$JSON"
    out=''
    # shellcheck disable=SC2086
    [ -z "$other" ] || out=$(timeout 200 python3 bench/$other --tag="$tag" 2>>"$LOG") || out=''
    for how in --compile ''; do
        [ -z "$out" ] || break
        # shellcheck disable=SC2086
        out=$(timeout 200 python3 bench/gpu_peer.py --tag="$tag" $peer $how 2>>"$LOG") && [ -n "$out" ] && break
    done
    [ -z "$out" ] || echo "$out" | tee -a "$JSON"
}

bench() {
    local start=$EPOCHREALTIME steps='--steps=20 --warm=4' size tag precision
    say '== bench'
    "$BUILD/bench/bench_step" --device=cuda --size=base --batch=500 --length=50 --precision=bfloat16 --steps=1 --warm=0 \
        >>"$LOG" 2>&1 || failed=1
    line stage first_loss seconds "$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.2f", b - a }')" goal 3
    for precision in bfloat16 float32; do # the rate that a step's share is of
        tag=products-bf16
        [ $precision = bfloat16 ] || tag=products-f32
        timeout 60 python3 bench/gpu_peer.py --tag=$tag --size=products --precision=$precision 2>>"$LOG" | tee -a "$JSON"
    done
    while read -r tag precision size; do
        figure "$tag" bench_step "--precision=$precision $size $steps" "--precision=$precision $size $steps"
    done <<'END'
base-bf16 bfloat16 --size=base --batch=500 --length=50
big-bf16 bfloat16 --size=big --batch=250 --length=50
gpt2-bf16 bfloat16 --size=gpt2 --batch=32 --length=1024
base-f32 float32 --size=base --batch=500 --length=50
base-tf32 tf32 --size=base --batch=500 --length=50
END
    figure resnet-bf16 bench_net "--precision=bfloat16 --net=resnet50 --batch=256 $steps" \
        "--precision=bfloat16 --size=resnet50 --batch=256 $steps"
    figure beam-bf16 bench_decode '--precision=bfloat16 --beam=4 --sentences=1024 --batch=256 --source=50 --target=50' \
        '--precision=bfloat16 --size=base --beam=4 --batch=256 --length=50 --steps=3 --warm=1' \
        'gpu_ctranslate2.py --size=base --beam=4 --batch=256 --length=50'
    python3 bench/gpu_model.py --against "$JSON" 2>>"$LOG" | tee "$OUT/gpu-table.md"
}

if [ -z "$BUILD" ]; then
    find_gpu
    build
fi
for stage in $STAGES; do
    start=$SECONDS
    case $stage in
    parity) parity ;;
    oracles) oracles ;;
    sanitize) sanitize ;;
    bench) bench ;;
    esac
    line stage "$stage" seconds $((SECONDS - start))
done
line stage end failed $failed
exit $failed
