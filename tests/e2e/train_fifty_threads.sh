# Fifty steps with everything that runs beside them: input threads, evaluations, checkpoints, rows packed on
# the fly, both orders.  For the sanitizers (make check-asan, check-tsan), which must find nothing.
. "$T2_ROOT/tests/e2e/train_common.subr"
data data 300

# the last --hparams is the one that counts
small=hidden_size=16,filter_size=16,num_heads=2,num_hidden_layers=1,batch_size=256
train fifty 50 --num_threads=2 --local_eval_frequency=20 --eval_steps=2 --keep_checkpoint_max=2 --hparams=$small
train fifty 54 --num_threads=3 --local_eval_frequency=4 --eval_steps=2 --hparams=$small
grep -q 'step 54/54' fifty.log
train packed 12 --num_threads=2 --eval_steps=1 --precision=bfloat16 --hparams=$small,max_length=64,pack_dataset=true
train reference 12 --num_threads=2 --eval_steps=1 --remat=layer --order=reference --hparams=$small
