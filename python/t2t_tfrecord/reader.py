"""Reader: the records of any number of files as a sequence."""
import ctypes
import os
import threading

from . import _example
from ._library import END, BYTES, FLOAT, INT64, check, lib, texts

_KINDS = {"bytes": BYTES, "float": FLOAT, "int64": INT64, None: 0}


class _Handle:
    """A C handle that is freed once, and never by a child of fork."""

    def __init__(self, free):
        self.value, self._free, self._pid = ctypes.c_void_p(), free, os.getpid()

    def close(self):
        value, self.value = self.value, ctypes.c_void_p()
        if value and os.getpid() == self._pid:
            self._free(value)

    __del__ = close

    def is_ours(self):
        return bool(self.value) and os.getpid() == self._pid


def _open(inputs):
    h = _Handle(lib.tfrecord_reader_close)
    check(lib.tfrecord_reader_open(texts(inputs), len(inputs), ctypes.byref(h.value)))
    return h


def _example_handle(fields):
    h = _Handle(lib.tfrecord_example_free)
    check(lib.tfrecord_example_new(None if fields is None else texts(fields), len(fields or ()), ctypes.byref(h.value)))
    return h


class Reader:
    """The records of inputs, one after another: len, [i], [-1], slices, lists of numbers, iteration.

    inputs   a path or a list of them: files, globs, "base@100", folders, manifests
    parse    records are Examples and come as dicts of arrays; False: as bytes
    fields   names of the features that are wanted (others are checked, not returned)

    May be shared by threads (one call at a time runs in it; each iteration has a handle of its own),
    pickled, and used after fork: a child opens the files again.  Both checksums of every record are
    verified; damage raises DataLossError, whose message names file, record and offset.
    """

    def __init__(self, inputs, parse=True, fields=None):
        if isinstance(inputs, (str, bytes, os.PathLike)):
            inputs = [inputs]
        self.inputs = [os.fspath(x) for x in inputs]
        if not self.inputs:
            raise ValueError("no INPUT is given")
        self.parse = parse
        self.fields = None if fields is None else [fields] if isinstance(fields, str) else list(fields)
        self._start()
        self._use()

    def _start(self):
        self._lock = threading.Lock()
        self._pid = os.getpid()
        self._handle = self._example = self._length = None
        self._closed = False

    def _use(self):
        """The handle of this process."""
        if self._closed:
            raise ValueError("the reader is closed")
        if self._handle is None or not self._handle.is_ours():
            self._handle = _open(self.inputs)
            self._example = _example_handle(self.fields)
        return self._handle.value

    def _locked(self):
        if self._pid != os.getpid():  # a lock that another thread held at the fork stays locked
            self._lock, self._pid = threading.Lock(), os.getpid()
        return self._lock

    @property
    def files(self):
        """Paths of the files that the inputs mean."""
        with self._locked():
            h = self._use()
            return [os.fsdecode(lib.tfrecord_reader_file(h, i)) for i in range(lib.tfrecord_reader_n_files(h))]

    def __len__(self):
        if self._length is None:
            with self._locked():
                n = ctypes.c_uint64()
                check(lib.tfrecord_reader_count(self._use(), ctypes.byref(n)))
                self._length = n.value
        return self._length

    def _get(self, i):
        data, n = ctypes.c_void_p(), ctypes.c_size_t()
        with self._locked():
            check(lib.tfrecord_reader_get(self._use(), i, ctypes.byref(data), ctypes.byref(n)))
            record = ctypes.string_at(data.value, n.value) if n.value else b""
            return self._parsed(self._example, record, lambda: "record %d" % i)

    def _parsed(self, example, record, where):
        if not self.parse:
            return record
        try:
            return _example.parse(example.value, record)
        except ValueError as e:
            raise type(e)("%s: %s: %s" % (", ".join(map(str, self.inputs)), where(), e)) from None

    def _number(self, i):
        i = i.__index__()
        n = len(self)
        if not -n <= i < n:
            raise IndexError("record %d: there are %d" % (i, n))
        return i % n

    def __getitem__(self, i):
        if isinstance(i, slice):
            return [self._get(k) for k in range(*i.indices(len(self)))]
        if hasattr(i, "__index__"):
            return self._get(self._number(i))
        return [self._get(self._number(k)) for k in i]

    __getitems__ = __getitem__  # PyTorch's name for a list of numbers

    def __iter__(self):
        h, example = _open(self.inputs), _example_handle(self.fields)
        data, n = ctypes.c_void_p(), ctypes.c_size_t()
        data_p, n_p, i = ctypes.byref(data), ctypes.byref(n), 0
        step, copy, value = lib.tfrecord_reader_next, ctypes.string_at, h.value
        try:
            while True:
                status = step(value, data_p, n_p)
                if status and check(status) == END:
                    return
                record = copy(data.value, n.value) if n.value else b""
                yield self._parsed(example, record, lambda: "record %d" % i) if self.parse else record
                i += 1
        finally:
            h.close()

    # ---- many at once ----

    def _columns(self, fields):
        """(names, kinds) of {name: kind or None} or a list of names."""
        fields = fields if fields is not None else self.fields
        if not fields:
            raise ValueError("batches need `fields`")
        kinds = fields if isinstance(fields, dict) else dict.fromkeys(fields)
        return list(kinds), (ctypes.c_int * len(kinds))(*[_KINDS[k] for k in kinds.values()])

    def _batch_handle(self, names, kinds):
        h = _Handle(lib.tfrecord_batch_free)
        check(lib.tfrecord_batch_new(texts(names), kinds, len(names), ctypes.byref(h.value)))
        return h

    def batches(self, size, fields=None):
        """Yields {name: Ragged} of `size` records each (fewer in the last); needs NumPy.

        fields: names, or {name: "int64" | "float" | "bytes" | None}; None: the kind that the data has.
        """
        names, kinds = self._columns(fields)
        if size < 1:
            raise ValueError("size must be at least 1")
        h, b = _open(self.inputs), self._batch_handle(names, kinds)
        while check(lib.tfrecord_batch_next(b.value, h.value, size)) != END:
            yield _example.batch_columns(b.value, names)
            lib.tfrecord_batch_clear(b.value)

    def batch(self, numbers, fields=None):
        """{name: Ragged} of the records with these numbers, in this order."""
        names, kinds = self._columns(fields)
        numbers = [self._number(i) for i in numbers]
        with self._locked():
            b = self._batch_handle(names, kinds)
            check(lib.tfrecord_batch_get(b.value, self._use(), (ctypes.c_uint64 * len(numbers))(*numbers), len(numbers)))
            return _example.batch_columns(b.value, names)

    # ---- life ----

    def close(self):
        with self._locked():
            self._closed = True
            for h in (self._handle, self._example):
                if h is not None:
                    h.close()
            self._handle = self._example = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __getstate__(self):
        return {"inputs": self.inputs, "parse": self.parse, "fields": self.fields, "length": self._length}

    def __setstate__(self, state):
        self.inputs, self.parse, self.fields = state["inputs"], state["parse"], state["fields"]
        self._start()
        self._length = state["length"]

    def __repr__(self):
        return "Reader(%s)" % ", ".join(map(repr, self.inputs))
