"""Writer: records to a file or to shards; build_example: a dict to a serialised Example."""
import ctypes
import os
import threading

from . import _example
from ._library import check, lib

_local = threading.local()


def build_example(features):
    """Bytes of a tf.train.Example.

    Values: int, float, bytes, str, lists of these, NumPy arrays (flattened; integers become int64,
    floats float32), None for a feature without a list.
    """
    h = getattr(_local, "example", None)
    if h is None:
        h = ctypes.c_void_p()
        check(lib.tfrecord_example_new(None, 0, ctypes.byref(h)))
        _local.example = h
    return _example.build(h, features)


class Writer:
    """Writes records (bytes) or Examples (dicts) to output: a file, or "base@16" for 16 shards.

    compression: None, "gzip", "zlib" or "bgzip".  The files appear under their names, complete and
    synced, on close; an exception inside `with` leaves nothing.
    """

    def __init__(self, output, compression=None):
        self._handle = ctypes.c_void_p()
        self._lock = threading.Lock()
        self._pid = os.getpid()
        self.n_records = 0
        check(lib.tfrecord_writer_open(os.fsencode(output), compression.encode() if compression else None,
                                       ctypes.byref(self._handle)))

    def write(self, record):
        if isinstance(record, dict):
            record = build_example(record)
        elif not isinstance(record, bytes):
            record = bytes(memoryview(record))
        with self._lock:
            check(lib.tfrecord_writer_add(self._use(), record, len(record)))
            self.n_records += 1

    def _use(self):
        if not self._handle:
            raise ValueError("the writer is closed")
        if self._pid != os.getpid():
            raise RuntimeError("a writer belongs to the process that made it")
        return self._handle

    def close(self):
        """Makes the files appear; returns the number of records."""
        with self._lock:
            n = ctypes.c_uint64(self.n_records)
            if self._handle:
                handle, self._handle = self._use(), ctypes.c_void_p()
                check(lib.tfrecord_writer_commit(handle, ctypes.byref(n)))
            return n.value

    def abort(self):
        """Leaves nothing."""
        with self._lock:
            handle, self._handle = self._handle, ctypes.c_void_p()
            if handle and self._pid == os.getpid():
                lib.tfrecord_writer_abort(handle)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.close()
        else:
            self.abort()

    def __del__(self):
        if getattr(self, "_handle", None):
            self.abort()
