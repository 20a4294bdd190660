# python/t2t_tfrecord on generated files; the comparison with TensorFlow is bench/check_python.py.
case $T2_BUILD in */release) ;; *) echo "python cannot load the library of an instrumented build" >&2 && exit 77 ;; esac
command -v python3 >/dev/null || { echo "no python3" >&2 && exit 77; }
python3 -c 'import numpy' 2>/dev/null || { echo "python3 has no numpy" >&2 && exit 77; }
test -f "$T2_BUILD/lib/libtfrecord.so.0" || { echo "no libtfrecord.so.0: make lib-shared" >&2 && exit 77; }
PYTHONPATH=$T2_ROOT/python T2T_TFRECORD_LIB=$T2_BUILD/lib PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=error::ResourceWarning \
    python3 "$T2_ROOT/tests/python/test_t2t_tfrecord.py"
