"""Writes tests/fuzz/corpus/image_sources: a small data.mdb, a row of regions, a record of FSNS."""
import base64, os, struct, sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "..", "support"))
from image_sources import field, lmdb, put  # noqa: E402

out = os.path.join(here, "corpus", "image_sources")
pairs = [(b"key%02d" % i, b"v" * (i * 37 % 400)) for i in range(12)]
put(os.path.join(out, "two_levels.mdb"), lmdb(pairs, 512))
put(os.path.join(out, "empty.mdb"), lmdb([(b"k", b"v")], 512))
text = base64.b64encode(struct.pack("<8f", *range(8)))
put(os.path.join(out, "regions.tsv"), b"7\t100\t200\t2\t" + text + b"\t" + text)
features = (("image/encoded", field(1, field(1, b"x"))), ("image/class", field(3, field(1, b"\1\2"))))
put(os.path.join(out, "signs.example"),
    field(1, b"".join(field(1, field(1, k.encode()) + field(2, v)) for k, v in features)))


def graph(depth):
    """Branch pages of two entries each, both the page behind; the last has a leaf without entries."""
    page = 256
    file = bytearray(page * (depth + 2))
    struct.pack_into("<QHHHH", file, 0, 0, 0, 8, 0, 0)
    struct.pack_into("<II", file, 16, 0xBEEFC0DE, 1)
    struct.pack_into("<I", file, 16 + 24, page)
    struct.pack_into("<QQ", file, 16 + 104, 1, 1)
    for k in range(1, depth + 1):
        struct.pack_into("<QHHHHHH", file, k * page, k, 0, 1, 20, 0, 100, 100)
        struct.pack_into("<HHHH", file, k * page + 100, k + 1, 0, 0, 0)
    struct.pack_into("<QHHHH", file, (depth + 1) * page, depth + 1, 0, 2, 16, 0)
    return bytes(file)


put(os.path.join(out, "graph.mdb"), graph(30))
