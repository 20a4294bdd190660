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
