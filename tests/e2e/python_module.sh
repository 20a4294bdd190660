# python/t2t_tfrecord on generated files; the comparison with TensorFlow is bench/check_python.py.
case $T2_BUILD in */release) ;; *) echo "python cannot load the library of an instrumented build" >&2 && exit 77 ;; esac
# the first in PATH may be one without numpy while the system's has it
for python in python3 /usr/bin/python3 none; do
    "$python" -c 'import numpy' 2>/dev/null && break
done
[ $python != none ] || { echo "no python3 with numpy" >&2 && exit 77; }
test -f "$T2_BUILD/lib/libtfrecord.so.0" || { echo "no libtfrecord.so.0: make lib-shared" >&2 && exit 77; }
PYTHONPATH=$T2_ROOT/python T2T_TFRECORD_LIB=$T2_BUILD/lib PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=error::ResourceWarning \
    $python "$T2_ROOT/tests/python/test_t2t_tfrecord.py"
