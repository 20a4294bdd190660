# A small run that is killed five times, at random moments, ends with the bits of one that never was.
# With sanitizers by name: train_resume.sh runs the same code
. "$T2_ROOT/tests/e2e/train_common.subr"
. "$T2_ROOT/tests/e2e/train_kill.subr"
data data 600
killed_run() { become_trainer "$1" 200 --save_checkpoints_steps=3 --keep_checkpoint_max=3; }
survive_kills 5
