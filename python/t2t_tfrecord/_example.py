"""tf.train.Example to dicts of arrays and back.  Arrays are NumPy's when it is there, else array.array."""
import array
import ctypes
import struct

from ._library import BYTES, FLOAT, INT64, ROW, check, lib, texts

try:
    import numpy as np
except ImportError:
    np = None


def parse(handle, record):
    """{name: int64 array | float32 array | list of bytes | None (no list)} of a serialised Example."""
    block, n_bytes, n = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_size_t()
    check(lib.tfrecord_example_parse(handle, record, len(record), ctypes.byref(block), ctypes.byref(n_bytes),
                                     ctypes.byref(n)))
    if n.value == 0:
        return {}
    # One copy of the block; the arrays are windows into it.
    memory = bytearray((ctypes.c_char * n_bytes.value).from_address(block.value))
    table = struct.unpack_from("=%dq" % (ROW * n.value), memory)
    values = {}
    for i in range(0, len(table), ROW):
        at, name_bytes, kind, count, offset = table[i:i + ROW]
        name = record[at:at + name_bytes].decode("utf-8")
        if kind == BYTES:
            where = struct.unpack_from("=%dq" % (2 * count), memory, offset)
            values[name] = [record[where[k]:where[k] + where[k + 1]] for k in range(0, 2 * count, 2)]
        elif kind == 0:
            values[name] = None
        elif np is not None:
            values[name] = np.frombuffer(memory, np.int64 if kind == INT64 else np.float32, count, offset)
        else:
            a = array.array("q" if kind == INT64 else "f")
            a.frombytes(memory[offset:offset + a.itemsize * count])
            values[name] = a
    return values


def _kind_of(name, value):
    """(kind, flat list or array) of a value as a user gives it."""
    if value is None:
        return 0, []
    if isinstance(value, (bytes, bytearray, memoryview)):
        return BYTES, [bytes(value)]
    if isinstance(value, str):
        return BYTES, [value.encode("utf-8")]
    if np is not None and isinstance(value, (np.ndarray, np.generic)):
        a = np.ravel(value)
        if a.dtype.kind in "biu":
            if a.dtype == np.uint64 and a.size and int(a.max()) > 2**63 - 1:
                raise OverflowError("feature '%s': a number beyond int64" % name)
            return INT64, np.ascontiguousarray(a, np.int64)
        if a.dtype.kind == "f":
            return FLOAT, np.ascontiguousarray(a, np.float32)
        value = a.tolist()
    elif isinstance(value, array.array):
        return (FLOAT, array.array("f", value)) if value.typecode in "fd" else (INT64, array.array("q", value))
    elif isinstance(value, (bool, int)):
        return INT64, array.array("q", [value])
    elif isinstance(value, float):
        return FLOAT, array.array("f", [value])
    value = list(value)
    if all(isinstance(x, (bytes, bytearray, str)) for x in value):
        if not value:
            raise ValueError("feature '%s': an empty list has no kind; give a NumPy array, or None" % name)
        return BYTES, [x.encode("utf-8") if isinstance(x, str) else bytes(x) for x in value]
    if any(isinstance(x, float) for x in value):
        return FLOAT, array.array("f", value)
    try:
        return INT64, array.array("q", [int(x) if hasattr(x, "__index__") else x for x in value])
    except TypeError:
        raise TypeError("feature '%s': neither numbers nor bytes" % name) from None


def build(handle, features):
    """Serialises a dict; equal content gives equal bytes."""
    n = len(features)
    names = texts(features)
    kinds, counts = (ctypes.c_int * n)(), (ctypes.c_size_t * n)()
    values, lengths = (ctypes.c_void_p * n)(), (ctypes.c_void_p * n)()
    keep = []
    for i, (name, value) in enumerate(features.items()):
        kind, flat = _kind_of(name, value)
        kinds[i], counts[i] = kind, len(flat)
        if kind == BYTES:
            pointers = (ctypes.c_char_p * len(flat))(*flat)
            sizes = (ctypes.c_size_t * len(flat))(*[len(x) for x in flat])
            keep += [flat, pointers, sizes]
            values[i], lengths[i] = ctypes.addressof(pointers), ctypes.addressof(sizes)
        elif len(flat) > 0:
            keep.append(flat)
            values[i] = flat.buffer_info()[0] if isinstance(flat, array.array) else flat.ctypes.data
    data, n_bytes = ctypes.c_void_p(), ctypes.c_size_t()
    check(lib.tfrecord_example_build(handle, n, names, kinds, counts, values, lengths, ctypes.byref(data),
                                     ctypes.byref(n_bytes)))
    return ctypes.string_at(data.value, n_bytes.value) if n_bytes.value else b""


class Ragged:
    """Values of one feature of many records: those of record i are values[splits[i]:splits[i + 1]].

    values is an int64 or float32 array, or a list of bytes.
    """

    __slots__ = ("values", "splits")

    def __init__(self, values, splits):
        self.values, self.splits = values, splits

    def __len__(self):
        return len(self.splits) - 1

    def __getitem__(self, i):
        if not -len(self) <= i < len(self):
            raise IndexError(i)
        i %= len(self)
        return self.values[self.splits[i]:self.splits[i + 1]]

    def lengths(self):
        return np.diff(self.splits)

    def padded(self, value=0, length=None):
        """(records, longest) array, short rows filled with value; rows longer than `length` are cut."""
        n = self.lengths()
        width = int(n.max(initial=0)) if length is None else length
        out = np.full((len(self), width), value, self.values.dtype)
        columns = np.arange(width)
        mask = columns < n[:, None]
        rows = np.broadcast_to(np.asarray(self.splits)[:-1, None] + columns, mask.shape)
        out[mask] = self.values[rows[mask]]
        return out


def batch_columns(handle, names):
    """{name: Ragged} of a batch handle; everything is copied out."""
    n = lib.tfrecord_batch_n_records(handle)
    columns = {}
    for c, name in enumerate(names):
        splits = _copy(lib.tfrecord_batch_splits(handle, c), np.int64, n + 1)
        count, kind = int(splits[-1]), lib.tfrecord_batch_kind(handle, c)
        if kind == BYTES:
            ends = _copy(lib.tfrecord_batch_values(handle, c), np.int64, count + 1 if count else 1)
            data = ctypes.string_at(lib.tfrecord_batch_data(handle, c), int(ends[-1]))
            ends = ends.tolist()
            values = [data[ends[k]:ends[k + 1]] for k in range(count)]
        else:
            values = _copy(lib.tfrecord_batch_values(handle, c), np.float32 if kind == FLOAT else np.int64, count)
        columns[name] = Ragged(values, splits)
    return columns


def _copy(address, dtype, count):
    if count == 0:
        return np.empty(0, dtype)
    n_bytes = np.dtype(dtype).itemsize * count
    return np.frombuffer(bytearray((ctypes.c_char * n_bytes).from_address(address)), dtype)
