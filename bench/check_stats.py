#!/usr/bin/env python3
"""Compares `tfrec schema` and `tfrec stats` with TensorFlow, TFX, TFDS and NumPy.

usage: bench/check_stats.py TFREC FILE...

Needs tensorflow, tensorflow_metadata, tensorflow_datasets and numpy in the Python that runs it; each FILE
holds tf.train.Example records.  Prints one line a file, exits 1 at the first difference.
"""
import json
import math
import os
import subprocess
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np
import tensorflow as tf

KINDS = {"int64_list": "int64", "float_list": "float", "bytes_list": "bytes"}


def compression(path):
    with open(path, "rb") as f:
        return "GZIP" if f.read(2) == b"\x1f\x8b" else ""


def tfrec(tool, *args):
    return subprocess.run([tool, *args, "--quiet"], check=True, stdout=subprocess.PIPE).stdout.decode()


def read(path):
    """features: name -> list of (kind, values); payloads."""
    features, payloads = {}, []
    for raw in tf.data.TFRecordDataset([path], compression_type=compression(path)).as_numpy_iterator():
        example = tf.train.Example.FromString(raw)
        payloads.append(raw)
        for name, feature in example.features.feature.items():
            kind = feature.WhichOneof("kind")
            if kind:
                features.setdefault(name, []).append((KINDS[kind], list(getattr(feature, kind).value)))
    return features, payloads


def same(what, ours, theirs, tolerance=0.0):
    if ours is None and theirs is None:
        return
    if isinstance(theirs, float) and not isinstance(ours, str) and ours is not None:
        if math.isclose(ours, theirs, rel_tol=max(tolerance, 1e-7), abs_tol=1e-12):
            return
    elif ours == theirs:
        return
    sys.exit(f"{what}: tfrec {ours!r}, reference {theirs!r}")


def quantile(lengths, q):
    """The least value that at least q of all do not exceed."""
    return int(np.percentile(np.asarray(lengths), q, method="inverted_cdf"))


def check_lengths(what, ours, lengths):
    same(f"{what} min", ours["min"], min(lengths))
    same(f"{what} max", ours["max"], max(lengths))
    same(f"{what} mean", ours["mean"], float(np.mean(lengths)))
    if ours["exact"]:
        same(f"{what} p50", ours["p50"], quantile(lengths, 50))
        same(f"{what} p99", ours["p99"], quantile(lengths, 99))


def check_feature(what, ours, lists):
    kind, values = lists[0][0], [v for _, l in lists for v in l]
    same(f"{what} kind", ours["kind"], kind)
    same(f"{what} records", ours["records"], len(lists))
    same(f"{what} values", ours["values"], len(values))
    check_lengths(f"{what} length", ours["length"], [len(l) for _, l in lists])
    if not values:
        return
    if kind == "bytes":
        check_lengths(f"{what} bytes", ours["size"], [len(v) for v in values])
        same(f"{what} bytes in all", ours["size"]["sum"], sum(map(len, values)))
    else:
        exact = [float(v) for v in values if math.isfinite(v)]
        same(f"{what} min", ours["min"], min(values) if kind == "int64" else min(exact), 1e-6)
        same(f"{what} max", ours["max"], max(values) if kind == "int64" else max(exact), 1e-6)
        same(f"{what} mean", ours["mean"], math.fsum(exact) / len(exact))
    distinct = len(set(values))
    if ours["distinct"]["exact"]:
        same(f"{what} distinct", ours["distinct"]["count"], distinct)
    else:
        same(f"{what} distinct", ours["distinct"]["count"], float(distinct), 0.05)
    counts = {}
    for v in values:
        counts[v] = counts.get(v, 0) + 1
    for top in ours.get("top", []):
        key = top["value"]
        if kind == "bytes":
            if "base64" in top or top.get("cut"):
                continue
            key = key.encode()
        elif kind == "float":
            key = float(np.float32(key))
        same(f"{what} count of {key!r}", top["count"], counts.get(key))


def check_stats(tool, path, features, payloads):
    ours = json.loads(tfrec(tool, "stats", "--json", path))
    same(f"{path} records", ours["records"], len(payloads))
    same(f"{path} duplicates", ours["duplicates"]["count"], len(payloads) - len(set(payloads)))
    by_name = {f["name"]: f for f in ours["features"]}
    for name, lists in features.items():
        check_feature(f"{path} {name}", by_name[name], lists)


def check_parsing_spec(tool, path, features, payloads):
    scope = {}
    exec(tfrec(tool, "schema", "--format=parsing_spec", path), scope)  # made from the file named by the caller
    seen = 0
    for batch in scope["read"]([path], 7):
        for name, value in batch.items():
            rows = tf.sparse.to_dense(value).numpy() if isinstance(value, tf.SparseTensor) else value.numpy()
            seen = max(seen, 0) + (len(rows) if name == sorted(batch)[0] else 0)
    same(f"{path} records by parsing_spec", seen, len(payloads))


def check_pbtxt(tool, path, features):
    from google.protobuf import text_format
    from tensorflow_metadata.proto.v0 import schema_pb2

    schema = text_format.Parse(tfrec(tool, "schema", "--format=pbtxt", path), schema_pb2.Schema())
    types = {"int64": schema_pb2.INT, "float": schema_pb2.FLOAT, "bytes": schema_pb2.BYTES}
    by_name = {f.name: f for f in schema.feature}
    for name, lists in features.items():
        same(f"{path} {name} pbtxt", by_name[name].type, types[lists[0][0]])


def check_tfds(tool, path, features, payloads):
    import tensorflow_datasets as tfds
    from tensorflow_datasets.core import example_parser

    made = tfds.features.FeatureConnector.from_json(json.loads(tfrec(tool, "schema", "--format=tfds", path)))
    parser = example_parser.ExampleParser(made.get_serialized_info())
    for raw in payloads[:20]:
        row = made.decode_example(parser.parse_example(raw))
        example = tf.train.Example.FromString(raw)
        for name, feature in example.features.feature.items():
            kind = feature.WhichOneof("kind")
            value = row.get(name)
            if kind == "int64_list":
                same(f"{path} {name} by TFDS", np.ravel(value).tolist(), list(feature.int64_list.value))


def main():
    tool, paths = sys.argv[1], sys.argv[2:]
    for path in paths:
        features, payloads = read(path)
        check_parsing_spec(tool, path, features, payloads)
        check_pbtxt(tool, path, features)
        check_tfds(tool, path, features, payloads)
        check_stats(tool, path, features, payloads)
        print(f"{os.path.basename(path)}: {len(payloads)} records, {len(features)} features agree")


if __name__ == "__main__":
    main()
