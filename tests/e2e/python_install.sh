# pip install ./python: offline, with the library that was built, and with one that the system has.
case ${T2_BUILD:?} in */release) ;; *) echo "python cannot load the library of an instrumented build" >&2 && exit 77 ;; esac
test -f "$T2_BUILD/lib/libtfrecord.so.0" || { echo "no libtfrecord.so.0: make lib-shared" >&2 && exit 77; }
for python in python3 /usr/bin/python3 none; do
    "$python" -m pip --version >/dev/null 2>&1 && break
done
[ $python != none ] || { echo "no python3 with pip" >&2 && exit 77; }
export PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1
find "$T2_ROOT/python" | sort >before

install() { # folder
    "$python" -m pip install --quiet --no-index --no-deps --no-cache-dir --target "$1" "$T2_ROOT/python" 2>err || { cat err && exit 1; }
}
T2T_TFRECORD_LIB=$T2_BUILD/lib install carries
[ -f carries/t2t_tfrecord/libtfrecord.so.0 ]
T2T_TFRECORD_LIB='' PYTHONPATH=$PWD/carries "$python" -c '
import importlib.metadata, t2t_tfrecord
assert t2t_tfrecord.lib._name.endswith("carries/t2t_tfrecord/libtfrecord.so.0"), t2t_tfrecord.lib._name
assert importlib.metadata.version("t2t-tfrecord") == t2t_tfrecord.__version__.split()[0]
assert t2t_tfrecord.crc32c(b"123456789") == 0xe3069283'

# Two wheels of the same have the same bytes; nothing is left in the sources.
for folder in a b; do
    T2T_TFRECORD_LIB=$T2_BUILD/lib "$python" -m pip wheel --quiet --no-index --no-deps --no-cache-dir -w $folder "$T2_ROOT/python"
done
cmp a/*.whl b/*.whl
find "$T2_ROOT/python" | sort | diff before -
