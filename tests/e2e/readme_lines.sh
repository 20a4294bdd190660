# The README's lines on searches and on buckets, taken from it and run as they stand, on a data set that its own line
# makes and against a server of objects on loopback.  What would take days is short: t2t-trainer gets --train_steps=2,
# a small model and the like behind what stands there.
# shellcheck source=tests/e2e/remote_common.subr
. "$T2_ROOT/tests/e2e/remote_common.subr"
mkdir -p store/bucket short
serve --folder "$PWD/store"
probe
export AWS_ACCESS_KEY_ID=AKID AWS_SECRET_ACCESS_KEY=topsecret

trainer=$(command -v t2t-trainer)
cat >short/t2t-trainer <<END
#!/bin/sh
for flag; do
    case \$flag in --autotune*) set -- "\$@" --autotune_max_trials=12 && break ;; esac
done
exec '$trainer' "\$@" --train_steps=2 --local_eval_frequency=2 --eval_steps=1 \\
    --hparams=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=1,batch_size=256,max_length=64
END
chmod +x short/t2t-trainer
PATH=$PWD/short:$PATH

# task N: its lines, those that are indented, into lines
task() {
    awk -v begin="**$1. " '
        /^\*\*[0-9]+\. / || /^## / { inside = index($0, begin) == 1 }
        inside && /^    / { print substr($0, 5) }' "$T2_ROOT/README.md" >lines
    [ -s lines ] || { echo "README has no lines for task $1" && exit 1; }
}
run() { sh -eu lines >out 2>log || { cat lines log && exit 1; }; }

# Sentences of another language, word by word.
awk 'BEGIN {
    split("the a red green old new house ship river garden sees likes finds near behind", en)
    split("der ein rot blau alt neu haus schiff fluss garten sieht mag findet bei hinter", de)
    for (i = 0; i < 420; i++) {
        a = b = ""
        for (k = 0; k < 4 + i % 5; k++) {
            w = 1 + (i * 7 + k * k * 5 + int(i / 15)) % 15
            a = a (k ? " " : "") en[w]; b = b (k ? " " : "") de[w]
        }
        file = i < 400 ? "train" : "dev"
        print a >(file ".en"); print b >(file ".de")
    }
}'

task 2 # "your own text": the data set `mine`
run
ls data/mine-train-* >/dev/null

task 7
[ "$(wc -l <lines)" = 4 ]
run
grep -q '^best: trial [0-9]*, [0-9.]* at step 2$' out
grep -q '<html' search.html
grep -q '"algorithm": "gp"' search/study.jsonl
[ "$(grep -c '"event": "done"' search/study.jsonl)" = 12 ]
# the same command goes on, with nothing left to do
before=$(cat search/study.jsonl)
run
[ "$before" = "$(cat search/study.jsonl)" ]

task 8
[ "$(wc -l <lines)" = 4 ]
run
for f in data/mine-*; do
    case $f in *.manifest.json) continue ;; esac
    cmp "$f" "store/bucket/$f"
done
ls store/bucket/run/model-2.safetensors store/bucket/run/state-2.json >/dev/null
grep -q 'records' out
[ ! -e gs: ] && [ ! -e s3: ]
