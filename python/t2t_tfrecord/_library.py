"""libtfrecord.so through ctypes: where it is, its functions, its errors."""
import ctypes
import ctypes.util
import os

OK, END, EUSAGE, EIO, EFORMAT, ENOTFOUND, ENOMEM, EUNSUPPORTED = range(8)
BYTES, FLOAT, INT64 = 1, 2, 3
ROW = 5  # numbers in a row of the table of tfrecord_example_parse
API_VERSION = 1


class TFRecordError(Exception):
    """Something is wrong with record files; the message names file, record and offset."""


class DataLossError(TFRecordError, ValueError):
    """The bytes are not what they should be: damage, a file cut short, not an Example."""


class UnsupportedError(TFRecordError):
    """Valid, but not in this version of the library."""


_EXCEPTIONS = {EUSAGE: ValueError, EIO: OSError, EFORMAT: DataLossError, ENOTFOUND: FileNotFoundError,
               ENOMEM: MemoryError, EUNSUPPORTED: UnsupportedError}


def _candidates():
    named = os.environ.get("T2T_TFRECORD_LIB")
    if named:
        yield os.path.join(named, "libtfrecord.so.0") if os.path.isdir(named) else named
        return
    here = os.path.dirname(os.path.abspath(__file__))
    root = os.path.dirname(os.path.dirname(here))
    for folder in (here, os.path.join(root, "build", "release", "lib"), os.path.join(root, "lib")):
        path = os.path.join(folder, "libtfrecord.so.0")
        if os.path.exists(path):
            yield path
    yield "libtfrecord.so.0"
    found = ctypes.util.find_library("tfrecord")
    if found:
        yield found
    for prefix in ("/usr/local/lib", "/usr/lib"):
        yield os.path.join(prefix, "libtfrecord.so.0")


def _open():
    tried = []
    for path in _candidates():
        try:
            return ctypes.CDLL(path)
        except OSError as e:
            tried.append("%s (%s)" % (path, e))
    raise ImportError("libtfrecord.so.0 is not found; `make lib-shared` builds it, `make install` installs it, "
                      "T2T_TFRECORD_LIB names it.  Tried: " + "; ".join(tried))


def _declare(lib):
    handle, text, size, u64, status = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64,
                                       ctypes.c_int)
    texts, out = ctypes.POINTER(ctypes.c_char_p), ctypes.POINTER
    table = {
        "tfrecord_api_version": (status, []),
        "tfrecord_version": (text, []),
        "tfrecord_error": (text, []),
        "tfrecord_crc32c": (ctypes.c_uint32, [ctypes.c_uint32, ctypes.c_char_p, size]),
        "tfrecord_masked_crc32c": (ctypes.c_uint32, [ctypes.c_char_p, size]),
        "tfrecord_reader_open": (status, [texts, size, out(handle)]),
        "tfrecord_reader_close": (None, [handle]),
        "tfrecord_reader_n_files": (size, [handle]),
        "tfrecord_reader_file": (text, [handle, size]),
        "tfrecord_reader_next": (status, [handle, out(handle), out(size)]),
        "tfrecord_reader_rewind": (None, [handle]),
        "tfrecord_reader_count": (status, [handle, out(u64)]),
        "tfrecord_reader_get": (status, [handle, u64, out(handle), out(size)]),
        "tfrecord_example_new": (status, [texts, size, out(handle)]),
        "tfrecord_example_free": (None, [handle]),
        "tfrecord_example_parse": (status, [handle, ctypes.c_char_p, size, out(handle), out(size), out(size)]),
        "tfrecord_example_build": (status, [handle, size, texts, out(status), out(size), out(handle), out(handle),
                                            out(handle), out(size)]),
        "tfrecord_batch_new": (status, [texts, out(status), size, out(handle)]),
        "tfrecord_batch_free": (None, [handle]),
        "tfrecord_batch_clear": (None, [handle]),
        "tfrecord_batch_add": (status, [handle, ctypes.c_char_p, size]),
        "tfrecord_batch_next": (status, [handle, handle, size]),
        "tfrecord_batch_get": (status, [handle, handle, out(u64), size]),
        "tfrecord_batch_n_records": (size, [handle]),
        "tfrecord_batch_kind": (status, [handle, size]),
        "tfrecord_batch_splits": (handle, [handle, size]),
        "tfrecord_batch_values": (handle, [handle, size]),
        "tfrecord_batch_data": (handle, [handle, size]),
        "tfrecord_writer_open": (status, [text, text, out(handle)]),
        "tfrecord_writer_add": (status, [handle, ctypes.c_char_p, size]),
        "tfrecord_writer_commit": (status, [handle, out(u64)]),
        "tfrecord_writer_abort": (None, [handle]),
    }
    for name, (result, arguments) in table.items():
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    return lib


lib = _declare(_open())
if lib.tfrecord_api_version() < API_VERSION:
    raise ImportError("libtfrecord.so.0 is older than this module: interface %d, %d is needed"
                      % (lib.tfrecord_api_version(), API_VERSION))


def check(status):
    """Raises what a status means; OK and END are returned."""
    if status <= END:
        return status
    raise _EXCEPTIONS.get(status, TFRecordError)(lib.tfrecord_error().decode("utf-8", "replace"))


def texts(items):
    """A C array of C strings; the Python object keeps them alive."""
    encoded = [x if isinstance(x, bytes) else str(x).encode("utf-8") for x in items]
    for x in encoded:
        if b"\0" in x:
            raise ValueError("a name with a NUL byte")
    return (ctypes.c_char_p * len(encoded))(*encoded)
