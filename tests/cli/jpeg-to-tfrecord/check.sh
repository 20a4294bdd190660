# the table, whatever the names, kinds and damage; the same for any number of threads
# shellcheck source=tests/cli/jpeg-to-tfrecord/images.inc
. "$T2_ROOT/tests/cli/jpeg-to-tfrecord/images.inc"
jpeg-to-tfrecord --quiet --check=photos || echo "exit $?"
jpeg-to-tfrecord --quiet --check=photos -j1 >one || true
jpeg-to-tfrecord --quiet --check=photos -j2 >two || true
cmp one two && echo "threads: same bytes"
jpeg-to-tfrecord --quiet --check=photos --on_error=skip --exif=apply --reencode=odd
jpeg-to-tfrecord --quiet --check=photos --on_error=skip --header_only --json
jpeg-to-tfrecord --quiet --check=photos --on_error=quarantine --quarantine_dir=bad | tail -n 1
(cd bad && find . -type f | sort)
cmp photos/a/cut.png bad/a/cut.png && echo "quarantine: the file's bytes"
