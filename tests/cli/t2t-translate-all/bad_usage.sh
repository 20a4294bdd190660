# wrong usage, and what is not there
no() { t2t-translate-all "$@" || echo "exit $?"; }
echo 'three' >in
mkdir run
no
no --model_dir=run
no --model_dir=run --source=in --min_steps=-1
no --model_dir=none --source=in
no --model_dir=run --source=none
no --model_dir=run --source=in --reference=none
no --model_dir=run --source=in
no --model_dir=run --source=in --min_steps=3
no --model_dir=run --source=in more
