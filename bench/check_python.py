#!/usr/bin/env python3
"""Compares python/t2t_tfrecord with TensorFlow's own reader, and tries it under PyTorch's DataLoader.

  python3 bench/check_python.py --peers DIR [--data DIR]     DIR: environments tf2 and torch (bench/common.py)

tf2: every file of DATA/tfrecord-samples (those under 300 MB): the same records, in order and by number, the
same features of every Example, the same batches as tf.io.parse_example makes ragged; what our Writer writes,
read by TensorFlow, and the other way round, plain and compressed.  torch: DataLoader with 0 and 2 workers,
fork and spawn, gives every record once and the same batches.
"""
import argparse
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
MAX_BYTES = 300 << 20


def files_of(data):
    for folder, _, names in sorted(os.walk(os.path.join(data, "tfrecord-samples"))):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if os.path.getsize(path) < MAX_BYTES and not name.endswith((".md", ".json", ".txt", ".idx", ".py", ".pbtxt")):
                yield path


def compression(path):
    with open(path, "rb") as f:
        head = f.read(2)
    return "GZIP" if head == b"\x1f\x8b" else "ZLIB" if head in (b"\x78\x9c", b"\x78\x01", b"\x78\xda") else ""


def same_example(ours, theirs):
    import numpy as np
    theirs = theirs.features.feature
    assert sorted(ours) == sorted(theirs), (sorted(ours), sorted(theirs))
    for name, value in ours.items():
        kind = theirs[name].WhichOneof("kind")
        want = getattr(theirs[name], kind).value if kind else None
        if kind == "bytes_list":
            assert value == list(want), name
        elif kind is None:
            assert value is None, name
        else:
            assert value.dtype == (np.int64 if kind == "int64_list" else np.float32), name
            np.testing.assert_array_equal(value, np.array(want, value.dtype))


def same_batch(tf, records, ours, columns):
    spec = {k: tf.io.RaggedFeature({1: tf.string, 2: tf.float32, 3: tf.int64}[v]) for k, v in columns.items()}
    theirs = tf.io.parse_example(records, spec)
    for name in columns:
        assert theirs[name].row_splits.numpy().tolist() == ours[name].splits.tolist(), name
        values = theirs[name].values.numpy()
        assert values.tolist() == (ours[name].values if isinstance(ours[name].values, list) else ours[name].values.tolist()), name


def check_file(tf, t, path):
    theirs = [r.numpy() for r in tf.data.TFRecordDataset(path, compression_type=compression(path))]
    raw = t.Reader(path, parse=False)
    assert list(raw) == theirs, "records differ"
    assert len(raw) == len(theirs)
    for i in range(0, len(theirs), 1 + len(theirs) // 50):
        assert raw[i] == theirs[i] and raw[i - len(theirs)] == theirs[i], "record %d differs" % i
    kinds, n_examples = {}, 0
    reader = t.Reader(path)
    try:
        examples = list(reader)
    except t.DataLossError as e:
        try:
            for r in theirs:
                tf.train.Example.FromString(r)
        except Exception:  # the payload is no Example for TensorFlow either
            return len(theirs), 0
        raise e
    for ours, r in zip(examples, theirs):
        e = tf.train.Example.FromString(r)
        same_example(ours, e)
        for name, f in e.features.feature.items():
            kind = {"bytes_list": 1, "float_list": 2, "int64_list": 3}.get(f.WhichOneof("kind"))
            if kind:
                kinds.setdefault(name, set()).add(kind)
        n_examples += 1
    columns = {k: v.pop() for k, v in kinds.items() if len(v) == 1}
    if columns:
        ours = next(reader.batches(100, {k: {1: "bytes", 2: "float", 3: "int64"}[v] for k, v in columns.items()}))
        same_batch(tf, theirs[:100], ours, columns)
    return len(theirs), n_examples


def with_tensorflow(data):
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import tensorflow as tf
    import t2t_tfrecord as t
    bad = 0
    for path in files_of(data):
        name = os.path.relpath(path, data)
        try:
            n, n_examples = check_file(tf, t, path)
            print("ok    %s: %d records, %d Examples" % (name, n, n_examples), flush=True)
        except (tf.errors.DataLossError, t.DataLossError) as e:
            try:
                list(t.Reader(path, parse=False))
                verdict = "we read it"
            except t.DataLossError as e2:
                verdict = None if isinstance(e, tf.errors.DataLossError) else str(e2)
            bad += verdict is not None
            print("%s %s: TensorFlow: %s; %s" % ("BAD  " if verdict else "ok   ", name, str(e).splitlines()[0], verdict or "refused by both"))
        except AssertionError as e:
            bad += 1
            print("BAD   %s: %s" % (name, str(e)[:300]))
    rows = [{"a": [i, -i], "b": [0.5 * i], "c": b"%d" % i, "d": None} for i in range(300)]
    for ours, theirs in ((None, ""), ("gzip", "GZIP"), ("zlib", "ZLIB"), ("bgzip", "GZIP")):
        with t.Writer("w.tfrecord", compression=ours) as w:
            for r in rows:
                w.write(r)
        n, n_examples = check_file(tf, t, "w.tfrecord") if ours != "bgzip" else (300, 300)
        records = [r.numpy() for r in tf.data.TFRecordDataset("w.tfrecord", compression_type=theirs)]
        assert records == [t.build_example(r) for r in rows]
        with tf.io.TFRecordWriter("v.tfrecord", theirs) as w:
            for r in records:
                w.write(tf.train.Example.FromString(r).SerializeToString(deterministic=True))
        assert list(t.Reader("v.tfrecord", parse=False)) == records  # our bytes are the deterministic ones
        print("ok    written as %s, read by TensorFlow as '%s', and back" % (ours, theirs))
    return bad


def number_of(item):
    return int(item["a"][0])


def with_torch(_):
    import torch
    from torch.utils.data import DataLoader
    import t2t_tfrecord as t
    from t2t_tfrecord.torch import Dataset, pad_collate
    with t.Writer("w@3") as w:
        for i in range(500):
            w.write({"a": list(range(i, i + 1 + i % 5)), "b": [0.5 * i], "c": b"%d" % i})
    ds, want = Dataset("w@3", fields=["a", "b", "c"]), None
    assert len(ds) == 500 and ds[7]["a"].dtype == torch.int64 and ds[7]["b"].dtype == torch.float32
    for workers, method in ((0, None), (2, "fork"), (2, "spawn")):
        loader = DataLoader(ds, batch_size=32, shuffle=True, num_workers=workers, collate_fn=pad_collate,
                            multiprocessing_context=method, generator=torch.Generator().manual_seed(1))
        got = [(b["a"].tolist(), b["b"].tolist(), b["c"]) for _ in range(2) for b in loader]
        seen = sorted(int(x[0]) for a, _, _ in got for x in a)
        assert seen == sorted(list(range(500)) * 2)
        want = want or got
        assert got == want
        print("ok    DataLoader, %d workers%s: 1000 records in two epochs, the batches of 0 workers" % (workers, method and " by " + method or ""))
    plain = DataLoader(t.Reader("w@3"), batch_size=None, num_workers=2)
    assert [int(e["a"][0]) for e in plain] == list(range(500))
    print("ok    a Reader as the data set itself")
    return 0


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--peers", default=os.environ.get("PEERS"), metavar="DIR")
    p.add_argument("--data", default=os.environ.get("T2_DATA") or os.path.join(ROOT, "..", "shared", "data"))
    p.add_argument("--role", choices=["tf2", "torch"], help=argparse.SUPPRESS)
    a = p.parse_args()
    if a.role:
        return 1 if {"tf2": with_tensorflow, "torch": with_torch}[a.role](a.data) else 0
    status = 0
    for role in ("tf2", "torch"):
        python = os.path.join(a.peers or "", role, "bin", "python")
        if not os.path.exists(python):
            print("skip  %s: no environment (--peers)" % role)
            continue
        env = dict(os.environ, PYTHONPATH=os.path.join(ROOT, "python"), PYTHONDONTWRITEBYTECODE="1")
        with tempfile.TemporaryDirectory(prefix="t2-check-") as d:
            status |= subprocess.run([python, os.path.abspath(__file__), "--role", role, "--data", os.path.abspath(a.data)],
                                     env=env, cwd=d).returncode
    return status


if __name__ == "__main__":
    sys.exit(main())
