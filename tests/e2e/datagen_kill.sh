# Killed at ten random points (a hundred in datagen_kill_slow.sh).
. "$T2_ROOT/tests/e2e/datagen_kill.subr"
kill_at_random 10 1
