"""TFRecord files without TensorFlow: records by order and by number, Examples as NumPy arrays.

    from t2t_tfrecord import Reader, Writer

    with Reader("data/train@100") as r:          # a file, glob, sharded name, folder, manifest, or a list
        print(len(r), r[0], r[-1], r[10:20])
        for example in r:                        # {"inputs": array([3, 1]), "image/encoded": [b"..."]}
            ...
        for batch in r.batches(512, ["inputs", "targets"]):
            batch["inputs"].padded()             # (512, longest) int64
    with Writer("out.tfrecord") as w:
        w.write({"inputs": [3, 1], "name": b"x"})

PyTorch: t2t_tfrecord.torch.Dataset, or any Reader, which is a map-style data set itself.
"""
from ._library import DataLossError, TFRecordError, UnsupportedError, lib
from ._example import Ragged
from .reader import Reader
from .writer import Writer, build_example

__version__ = lib.tfrecord_version().decode()
__all__ = ["Reader", "Writer", "Ragged", "build_example", "crc32c", "masked_crc32c", "DataLossError", "TFRecordError",
           "UnsupportedError"]


def crc32c(data, crc=0):
    """CRC-32C of bytes, after an earlier one."""
    data = bytes(data)
    return lib.tfrecord_crc32c(crc, data, len(data))


def masked_crc32c(data):
    """The form of it that record files hold."""
    data = bytes(data)
    return lib.tfrecord_masked_crc32c(data, len(data))
