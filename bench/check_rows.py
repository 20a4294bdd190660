#!/usr/bin/env python3
"""Compares `tfrec cat --json=proto` with protobuf's own JSON, and `tfrec raw` with protoc.

  check_rows.py --tfrec=build/release/bin/tfrec --data=../shared/data [--protoc=CMD] [--seed=0]

Needs TensorFlow (any of its Python environments).  Every file of tfrecord-samples, every case of
goldens/formats/example-cases.json and random Examples are shown by both; they must be equal byte for byte
after blanks are taken out, or be refused by both.  With --protoc (for example
"python -m grpc_tools.protoc") payloads and damaged copies of them go through --decode_raw too.
"""
import argparse
import glob
import json
import os
import random
import shlex
import struct
import subprocess
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf  # noqa: E402
from google.protobuf import json_format  # noqa: E402
from google.protobuf.message import DecodeError  # noqa: E402


def theirs(payload, kind):
    try:
        message = kind.FromString(payload)
    except DecodeError:
        return None
    text = json_format.MessageToJson(message, indent=None, sort_keys=True)
    return json.dumps(json.loads(text), separators=(",", ":"), ensure_ascii=False)


def write_records(path, payloads):
    with tf.io.TFRecordWriter(path) as w:
        for p in payloads:
            w.write(p)


# upb (protobuf's Python since 4) drops a map entry that has an unknown field; protobuf C++ keeps it (as
# example-verdicts.tf1.json says), and so do we.
UPB_DROPS = {"unknown_in_entry", "feature_as_varint"}


class Checker:
    def __init__(self, args):
        self.args = args
        self.n = {"rows": 0, "refused": 0, "raw": 0, "raw refused": 0}
        self.bad = []
        self.folder = tempfile.mkdtemp()

    def tfrec(self, *words):
        return subprocess.run([self.args.tfrec, *words], capture_output=True, check=False)

    def rows(self, name, path, payloads):
        ours = self.tfrec("cat", "--json=proto", path)
        lines = ours.stdout.decode().splitlines()
        for i, payload in enumerate(payloads):
            line = lines[i] if i < len(lines) else None
            sequence = line is not None and '"featureLists":' in line
            kind = tf.train.SequenceExample if sequence else tf.train.Example
            expected = theirs(payload, kind)
            self.n["rows" if expected is not None else "refused"] += 1
            if expected != line and name not in UPB_DROPS:
                self.bad.append((name, i, expected, line, ours.stderr.decode()))
            if expected is None or line is None:
                return

    def raw(self, name, payloads):
        path = os.path.join(self.folder, "raw.tfrecord")
        for i, payload in enumerate(payloads):
            run = subprocess.run(shlex.split(self.args.protoc) + ["--decode_raw"], input=payload,
                                 capture_output=True, check=False)
            expected = run.stdout.decode() if run.returncode == 0 else None
            write_records(path, [payload])
            ours = self.tfrec("raw", path)
            text = ours.stdout.decode().split("\n", 1)[1] if ours.returncode == 0 else None
            self.n["raw" if expected is not None else "raw refused"] += 1
            if expected != text:
                self.bad.append((name + " raw " + payload.hex()[:400], i, expected, text,
                                 ours.stderr.decode()))


def random_example(rng):
    e = tf.train.Example()
    for _ in range(rng.randrange(6)):
        f = e.features.feature["".join(rng.choice("ab/é日\U0001f600\"\\\n\x7f") for _ in range(4))]
        kind = rng.randrange(4)
        n = rng.randrange(5)
        if kind == 1:
            f.int64_list.value.extend(rng.randrange(-2**63, 2**63) >> rng.randrange(64)
                                      for _ in range(n))
            f.int64_list.SetInParent()
        elif kind == 2:
            f.float_list.value.extend(random_float(rng) for _ in range(40 * n))
            f.float_list.SetInParent()
        elif kind == 3:
            f.bytes_list.value.extend(rng.randbytes(rng.randrange(9)) for _ in range(n))
            f.bytes_list.SetInParent()
    return e.SerializeToString()


def random_float(rng):
    how = rng.randrange(3)
    if how == 0:
        return struct.unpack("<f", rng.randbytes(4))[0]
    if how == 1:
        return rng.randrange(-10**9, 10**9) / 10**rng.randrange(12)
    return float(f"{rng.randrange(10**rng.randrange(1, 10))}e{rng.randrange(-40, 30)}")


def damaged(payload, rng):
    p = bytearray(payload)
    for _ in range(rng.randrange(1, 4)):
        if p:
            p[rng.randrange(len(p))] = rng.randrange(256)
    return bytes(p[:rng.randrange(len(p) + 1)] if rng.randrange(3) == 0 else p)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--tfrec", required=True)
    p.add_argument("--data", required=True)
    p.add_argument("--protoc")
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--damaged", type=int, default=300)
    args = p.parse_args()
    rng = random.Random(args.seed)
    c = Checker(args)
    pool = []
    for path in sorted(glob.glob(args.data + "/tfrecord-samples/*")):
        if path.endswith(".md"):
            continue
        compression = "GZIP" if path.endswith(".gz") else ""
        payloads = [r.numpy() for r in tf.data.TFRecordDataset(path, compression)]
        c.rows(os.path.basename(path), path, payloads)
        pool += [x for x in payloads[:5] if len(x) < 5000]
    with open(args.data + "/goldens/formats/example-cases.json", encoding="utf-8") as f:
        cases = json.load(f)
    one = os.path.join(c.folder, "one.tfrecord")
    for case in cases["examples"] + cases["sequence_examples"]:
        payload = bytes.fromhex(case["hex"])
        write_records(one, [payload])
        c.rows(case["name"], one, [payload])
        pool.append(payload)
    payloads = [random_example(rng) for _ in range(2000)]
    write_records(one, payloads)
    c.rows("random", one, payloads)
    pool += payloads[:50]
    if args.protoc:
        c.raw("sound", pool)
        c.raw("damaged", [damaged(rng.choice(pool), rng) for _ in range(args.damaged)])
    for name, i, expected, got, message in c.bad[:10]:
        print(f"{name}[{i}]\n  theirs {str(expected)[:600]}\n  ours   {str(got)[:600]}\n  {message[:300]}")
    print(json.dumps({**c.n, "different": len(c.bad), "tensorflow": tf.__version__}))
    return 1 if c.bad else 0


if __name__ == "__main__":
    sys.exit(main())
