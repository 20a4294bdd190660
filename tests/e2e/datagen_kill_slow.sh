# Killed at a hundred random moments.
. "$T2_ROOT/tests/e2e/datagen_kill.subr"
kill_at_random 100 2
