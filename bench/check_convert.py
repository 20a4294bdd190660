#!/usr/bin/env python3
"""What tfrec convert writes and reads, compared with the programs the formats come from.

    python3 -m venv V && V/bin/pip install numpy webdataset bagz
    V/bin/python bench/check_convert.py build/release/bin/tfrec

Packages that are missing are said and left out; tensorflow_datasets (with TensorFlow) is one of them.
"""

import base64
import csv
import importlib
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

TFREC = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build/release/bin/tfrec")
failures = 0


def check(what, ok, detail=""):
    global failures
    failures += not ok
    print(f"{'ok    ' if ok else 'FAILED'} {what}{'' if ok else ': ' + str(detail)[:500]}")


def convert(output, *inputs, **flags):
    args = [f"--{k.rstrip('_')}={v}" for k, v in flags.items()]
    done = subprocess.run([TFREC, "convert", "--quiet", "-o", output, *args, *inputs], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"tfrec convert -o {output} {args} {inputs}: {done.stderr}")
    return output


def rows_of(path, **flags):
    """Records of any format as a list of dictionaries: name -> list; bytes as bytes."""
    convert("rows.jsonl", path, to="jsonl", **flags)

    def value(v):
        if isinstance(v, dict):
            return base64.b64decode(v["base64"])
        if isinstance(v, float):
            return struct.unpack("<f", struct.pack("<f", v))[0]  # the text is the shortest of float32
        return special.get(v) or v.encode() if isinstance(v, str) else v

    special = {"Infinity": float("inf"), "-Infinity": float("-inf")}

    def plain(values):
        return next(iter(values.values())) if isinstance(values, dict) else values

    with open("rows.jsonl") as f:
        return [{k: [value(x) for x in plain(v)] for k, v in json.loads(line).items()} for line in f]


def write_rows(path, rows):
    with open("made.jsonl", "w") as f:
        for row in rows:
            out = {}
            for k, values in row.items():
                out[k] = [{"base64": base64.b64encode(v).decode()} if isinstance(v, bytes) else v for v in values]
            f.write(json.dumps(out) + "\n")
    return convert(path, "made.jsonl")


def some_rows(n, rng):
    rows = []
    for i in range(n):
        rows.append({
            "label": [rng.randrange(-5, 1000)],
            "big": [rng.choice([-(2**63), 2**63 - 1, 0])],
            "ids": [rng.randrange(32000) for _ in range(rng.randrange(0, 20))],
            "pair": [i, i + 1],
            "score": [struct.unpack("<f", struct.pack("<f", rng.gauss(0, 1)))[0]],
            "text": ["Grüße, \"x\"\n, y;\t".encode() * rng.randrange(0, 3)],
            "raw": [bytes(rng.randrange(256) for _ in range(rng.randrange(0, 600))) + b"\0"],
        })
    return rows


def drop_empty(rows):
    return [{k: v for k, v in row.items() if v} for row in rows]


def check_same(what, got, want):
    got, want = drop_empty(got), drop_empty(want)
    for i, (a, b) in enumerate(zip(got, want)):
        if a != b:
            return check(what, False, f"record {i}: {a} != {b}")
    return check(what, len(got) == len(want), f"{len(got)} records for {len(want)}")


def numpy_(np, rows):
    convert("a.npz", "a.tfrecord")
    z = np.load("a.npz")
    check("numpy.load of ours: fixed lengths", [[int(x) for x in r] for r in z["pair"]] == [r["pair"] for r in rows])
    check("numpy.load: scalars", z["label"].tolist() == [r["label"][0] for r in rows])
    check("numpy.load: int64 bounds", z["big"].tolist() == [r["big"][0] for r in rows])
    check("numpy.load: |S", z["text"].tolist() == [r["text"][0] for r in rows])
    splits, values = z["ids/row_splits"], z["ids/values"]
    check("numpy.load: lists", [values[a:b].tolist() for a, b in zip(splits, splits[1:])] == [r["ids"] for r in rows])
    splits, values = z["raw/byte_splits"], z["raw/bytes"].tobytes()
    check("numpy.load: bytes", [values[a:b] for a, b in zip(splits, splits[1:])] == [r["raw"][0] for r in rows])
    check_same("npz and back", rows_of(convert("n.tfrecord", "a.npz")), rows)

    arrays = {
        "b": np.array([True, False, True]), "i1": np.array([-128, 0, 127], "i1"), "u2": np.array([0, 1, 65535], ">u2"),
        "i8": np.array([-(2**63), 0, 2**63 - 1]), "f2": np.array([0.5, -65504, 6e-8], "f2"),
        "f4": np.arange(12, dtype=">f4").reshape(3, 2, 2), "fortran": np.asfortranarray(np.arange(24).reshape(3, 2, 4)),
        "f8": np.array([0.1, np.inf, -1e300]), "s": np.array([b"a", b"", b"abc"]), "u": np.array(["ä", "", "日本"]),
        "empty": np.zeros((3, 0), "i4"),
    }
    want = []
    for i in range(3):
        row = {}
        for k, a in arrays.items():
            v = a[i].ravel().tolist() if k != "u" else [str(a[i]).encode()]
            if a.dtype.kind == "f":
                with np.errstate(over="ignore"):
                    v = a[i].astype("f4").ravel().tolist()
            row[k] = [int(x) for x in v] if a.dtype.kind == "b" else v
        want.append(row)
    for save in np.savez, np.savez_compressed:
        save("b.npz", **arrays)
        check_same(f"we read numpy.{save.__name__}", rows_of("b.npz"), want)


def webdataset_(wds, rows):
    rows = [dict(r, cls=r["label"], txt=[b"hello"], json=[b'{"a": 1}']) for r in rows]
    write_rows("w.tfrecord", rows)
    convert("w.tar", "w.tfrecord")
    samples = list(wds.WebDataset("w.tar", shardshuffle=False, empty_check=False).decode())
    check("webdataset reads ours: count", len(samples) == len(rows), len(samples))
    ok = all(s["cls"] == r["cls"][0] and s["txt"] == "hello" and s["json"] == {"a": 1} and
             list(s.get("ids.npy", [])) == r["ids"] and s["raw"] == r["raw"][0] for s, r in zip(samples, rows))
    check("webdataset reads ours: values", ok, samples[:1])
    back = [{k: v for k, v in r.items() if k != "__key__"} for r in rows_of(convert("w2.tfrecord", "w.tar"))]
    check_same("tar and back", back, rows)
    done = subprocess.run(["tar", "tf", "w.tar"], capture_output=True)
    check("GNU tar lists ours", done.returncode == 0 and not done.stderr, done.stderr)
    with wds.TarWriter("x.tar") as t:
        for i in range(20):
            t.write({"__key__": f"{'long/' * 30}sample{i:06d}", "cls": i, "txt": f"text {i}", "x.pyd": {"i": i},
                     "jpg": bytes([255, 216, 255, i])} if i != 7 else {"__key__": "k7", "cls": 7, "txt": "seven"})
    got = rows_of(convert("x.tfrecord", "x.tar"))
    ok = all(r["cls"] == [i] and r["__key__"] == [b"k7" if i == 7 else f"{'long/' * 30}sample{i:06d}".encode()]
             for i, r in enumerate(got))
    check("we read webdataset.TarWriter", ok and len(got) == 20, got[:1])
    long = [{"__key__": [("d" * 200 + "/" + "k" * 90 + str(i)).encode()], "cls": [i]} for i in range(3)]
    convert("l.tar", write_rows("l.tfrecord", long))
    keys = [s["__key__"] for s in wds.WebDataset("l.tar", shardshuffle=False, empty_check=False)]
    check("long names", keys == [r["__key__"][0].decode() for r in long], keys)


def bagz_(bagz, rows):
    records = None
    for name in "r.bag", "r.bagz":
        convert(name, "a.tfrecord")
        records = [bytes(r) for r in bagz.Reader(name)]
        check(f"bagz reads our {name}", len(records) == len(rows))
        convert("r.tfrecord", name)
        check(f"{name} and back", open("r.tfrecord", "rb").read() == open("a.tfrecord", "rb").read())
    w = bagz.Writer("y.bag")
    for r in records + [b""]:
        w.write(r)
    w.close()
    convert("y.tfrecord", "y.bag")
    count = subprocess.run([TFREC, "count", "--json", "y.tfrecord"], capture_output=True, text=True).stdout
    check("we read bagz.Writer", json.loads(count)["records"] == len(rows) + 1, count)


def csv_(_, rows):
    flags = {"types": "raw:base64"}
    for name, dialect in ("a.csv", "excel"), ("a.tsv", "excel-tab"):
        convert(name, "a.tfrecord", **flags)
        with open(name, newline="") as f:
            got = list(csv.DictReader(f, dialect=dialect))
        ok = all(r["text"].encode() == w["text"][0] and int(r["label"]) == w["label"][0] and
                 r["ids"] == " ".join(map(str, w["ids"])) and base64.b64decode(r["raw"]) == w["raw"][0]
                 for r, w in zip(got, rows))
        check(f"Python's csv reads our {name}", ok and len(got) == len(rows), got[:1])
        back = convert("c.tfrecord", name, types="raw:base64,text:bytes", list_separator=" ")
        check_same(f"{name} and back", rows_of(back), rows)
        with open("p.csv", "w", newline="") as f:
            w = csv.writer(f, dialect=dialect, quoting=csv.QUOTE_ALL)
            w.writerow(["a", "b", "c"])
            cells = [["1", "x\r\ny", 'q"q'], ["-2", "", "007"], ["3", "a,b\tc", "8"]]
            w.writerows(cells)
        got = rows_of("p.csv", **{"from": "tsv" if dialect == "excel-tab" else "csv"})
        want = [{"a": [int(a)], "b": [b.encode()], "c": [c.encode()]} for a, b, c in cells]
        check(f"we read Python's csv.writer ({dialect})", got == want, got)


def tfds_(tfds, _):
    class Tiny(tfds.core.GeneratorBasedBuilder):
        VERSION = tfds.core.Version("1.0.0")

        def _info(self):
            return tfds.core.DatasetInfo(builder=self, features=tfds.features.FeaturesDict({
                "text": tfds.features.Text(), "label": tfds.features.ClassLabel(names=["x", "y"]),
                "ids": tfds.features.Sequence(tfds.features.Scalar(importlib.import_module("numpy").int64))}))

        def _split_generators(self, dl_manager):
            return {"train": self._generate_examples(10), "test": self._generate_examples(3)}

        def _generate_examples(self, n):
            for i in range(n):
                yield i, {"text": f"t{i}", "label": i % 2, "ids": list(range(i))}

    builder = Tiny(data_dir="tfds")
    builder.download_and_prepare()
    want = [sorted(e["text"] for e in tfds.as_numpy(builder.as_dataset(split=s))) for s in ("test", "train")]
    for split, texts in zip(("test", "train"), want):
        got = rows_of(builder.data_path.__fspath__(), split=split)
        check(f"TFDS folder, split {split}", sorted(r["text"][0] for r in got) == texts, got[:2])
    got = rows_of(builder.data_path.__fspath__())
    check("TFDS folder, all splits", len(got) == 13, len(got))


def main():
    rng = random.Random(1)
    rows = some_rows(300, rng)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_rows("a.tfrecord", rows)
        check_same("JSON Lines and back", rows_of("a.tfrecord"), rows)
        for how in "gzip", "zlib", "bgzip", "none":
            convert("z.tfrecord", "a.tfrecord", compress=how)
            convert("back.tfrecord", "z.tfrecord", compress="none")
            check(f"--compress={how} and back", open("back.tfrecord", "rb").read() == open("a.tfrecord", "rb").read())
        for module, function in ("csv", csv_), ("numpy", numpy_), ("webdataset", webdataset_), ("bagz", bagz_), \
                ("tensorflow_datasets", tfds_):
            try:
                m = importlib.import_module(module)
            except ImportError as e:
                print(f"left out: {module} is not installed ({e})")
                continue
            function(m, rows)
        os.chdir("/")
    print(f"{failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
