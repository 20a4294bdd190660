# Wrong usage and folders that cannot be: nothing is written.
try() {
    rc=0
    t2t-avg-all "$@" || rc=$?
    echo "exit code $rc"
}
mkdir run
try
try --model_dir=run --n=0
try --model_dir=run --min_steps=-1
try --model_dir=run --step=3
try --model_dir=run more
try --model_dir=none
try --model_dir=run --output_dir=run/
try --model_dir=run --output_dir=avg
try --model_dir=run --output_dir=avg --min_steps=3 --n=1
ls
