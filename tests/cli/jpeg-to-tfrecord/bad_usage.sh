# every wrong flag says the way out
try() {
    echo "== $*"
    jpeg-to-tfrecord "$@" 2>&1 || echo "exit $?"
}
mkdir -p empty
try
try --check=empty
try --check=nowhere
try --check=empty more
try --check=empty --on_error=ignore
try --check=empty --on_error=quarantine
try --check=empty --quarantine_dir=x
try --check=empty --exif=turn
try --check=empty --reencode=no
try --check=empty --exif=apply
try --chek=empty
