# scripts/gpu.sh on a machine without a GPU: it says so; its lines and counts with programs that stand in
# for the tests.
export OUT=$PWD/out
script=$T2_ROOT/scripts/gpu.sh

if nvidia-smi -L 2>/dev/null | grep -q GPU; then
    echo 'this machine has a GPU: run scripts/gpu.sh itself' >&2
    exit 77
fi

rc=0
PATH=/usr/bin:/bin "$script" parity 2>err || rc=$?
if [ $rc != 77 ]; then
    echo "exit code $rc" >&2
    exit 1
fi
grep -qE '^no (nvcc|NVIDIA GPU)' err

rc=0
"$script" nonsense 2>err || rc=$?
[ $rc = 2 ]
grep -q 'scripts/gpu.sh \[--build DIR\]' err

mkdir -p made/tests/ops made/tests/unit/train made/bench
cat >made/tests/ops/test_gemm <<'END'
#!/bin/sh
echo '[==========] Running 3 test(s).'
echo '[       OK ] test_a'
echo '[  FAILED  ] test_b'
echo '[  SKIPPED ] test_c'
echo '[==========] 3 test(s) run.'
echo '[  FAILED  ] test_b'
exit 1
END
cat >made/bench/bench_step <<'END'
#!/bin/sh
echo '{"value": 5, "loss": 1.5, "planned_bytes": 1048576000, "taken_bytes": 1090519040}'
END
chmod +x made/tests/ops/test_gemm made/bench/bench_step
rc=0
"$script" --build "$PWD/made" parity >lines || rc=$?
[ $rc = 1 ]
python3 - "$OUT/gpu.jsonl" <<'END'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
gemm = [r for r in rows if r.get("test") == "test_gemm"]
assert len(gemm) == 1 and (gemm[0]["passed"], gemm[0]["failed"], gemm[0]["skipped"]) == (1, 1, 1), gemm
losses = [r for r in rows if r["stage"] == "loss"]
assert len(losses) == 5 and all(r["loss"] == 1.5 for r in losses), losses
assert rows[-1] == {"stage": "end", "failed": 1}, rows[-1]
END
grep -q 'test_b' "$OUT/gpu.log"

# the recordings of T2_DATA, or that there are none
mkdir -p made/tests/oracle data/oracles
cp made/tests/ops/test_gemm made/tests/oracle/test_recorded_transformer
rc=0
T2_DATA=$PWD/data "$script" --build "$PWD/made" oracles >lines || rc=$?
[ $rc = 1 ]
grep -q '"stage": "oracles", "test": "test_recorded_transformer", "reference": "cuda", "passed": 1, "failed": 1' lines
T2_DATA=$PWD/nothing "$script" --build "$PWD/made" oracles >lines
grep -q 'no .*/nothing/oracles (T2_DATA): left out' lines

# every figure of the table, beside a peer that stands in, and the forecast
cat >made/bench/bench_net <<'END'
#!/bin/sh
echo '{"value": 7000, "unit": "img/s"}'
END
cp made/bench/bench_net made/bench/bench_decode
chmod +x made/bench/*
mkdir -p bin
cat >bin/python3 <<'END'
#!/bin/sh
case $1 in
bench/gpu_ctranslate2.py) echo '{"stage": "peer", "tag": "beam-bf16", "value": 4000}'; exit ;;
bench/gpu_peer.py) ;;
*) exec /usr/bin/env -S PATH="$REAL_PATH" python3 "$@" ;;
esac
case "$*" in *--compile*) exit 1 ;; esac
tag=${2#--tag=}
value=5000
case $tag in products-*) value=600e12 ;; esac
echo "{\"stage\": \"peer\", \"tag\": \"$tag\", \"value\": $value}"
END
chmod +x bin/python3
export REAL_PATH=$PATH
PATH=$PWD/bin:$PATH "$script" --build "$PWD/made" bench >lines
grep -q '^| ResNet-50 at 224, 256 images, bfloat16 | [0-9]* | 7000 | [0-9]* % | 5000 | 1.40 | 1.0 | met | - | - |$' "$OUT/gpu-table.md"
grep -q '^| transformer_big.* | 5 | 0 % | 5000 | 0.00 | 1.1 | missed | 0 % | 50 % |$' "$OUT/gpu-table.md"
[ "$(grep -c '| met |\|| missed |' "$OUT/gpu-table.md")" = 6 ]
grep -q '"stage": "first_loss"' "$OUT/gpu.jsonl"
# memory, the first loss, and CTranslate2's search in front of PyTorch's where there is one
grep -q '^First loss: [0-9.]* s, forecast [0-9.]*, goal 3: met' "$OUT/gpu-table.md"
[ "$(grep -c '^Device memory of .*: 1000 MiB planned, 4.0 % more taken, goal 5 %: met' "$OUT/gpu-table.md")" = 5 ]
grep -q '^| beam 4.* | 4000 | 1.75 | 1.3 | met ' "$OUT/gpu-table.md"
