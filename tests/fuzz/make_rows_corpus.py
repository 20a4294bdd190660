#!/usr/bin/env python3
"""Writes the seeds of fuzz_row_json, fuzz_raw_message, fuzz_report: corpus/row_json/, raw_message/, report/.

usage: make_rows_corpus.py [CORPUS_DIR]        same files every time
"""
import os
import struct
import sys

from make_tfrecord_corpus import varint

ROWS = {
    "short": '{"inputs":[3,-1],"label":7,"score":[0.1,1.0,1e-07],"name":"caf\\u00e9","raw":{"base64":"_wA="}}',
    "kinds": '{"a":[],"b":{"int64":[]},"c":{"float":["NaN","-Infinity",1]},"d":{"bytes":["x"]},"e":null,"f":true}',
    "proto": '{"features":{"feature":{"a":{"int64List":{"value":["3",1]}},"b":{"bytesList":{"value":["eA=="]}},'
             '"c":{"float_list":{"value":[1.5,"NaN"]}},"d":{}}}}',
    "sequence": '{"context":{"id":[1]},"feature_lists":{"a":[[1],[2,3],[]],"b":[],"t":[["x"],{"bytes":[]}]}}',
    "proto_sequence": '{"context":{"feature":{"id":{"int64List":{"value":["1"]}}}},"featureLists":{"featureList":'
                      '{"a":{"feature":[{},{"floatList":{"value":[0.5]}}]},"b":{}}}}',
    "names": '{"features":[1],"context":"x","feature_lists":{"base64":"AA=="},"":2,"\\ud83d\\ude00":[1,2.5]}',
    "escapes": '{"a":"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000"}',
}


def field(number, body):
    return varint(number << 3 | 2) + varint(len(body)) + body


def number(n, v):
    return varint(n << 3) + varint(v)


def event(step, kind, body):
    return b"\x09" + struct.pack("<d", 1600000000.5) + number(2, step) + field(kind, body)


def tensor(dtype, dims, rest):
    shape = b"".join(field(2, number(1, d)) for d in dims)
    return number(1, dtype) + field(2, shape) + rest


def value(tag, rest, plugin=None, content=b""):
    meta = field(9, field(1, field(1, plugin) + field(2, content))) if plugin else b""
    return event(5, 5, field(1, field(1, tag) + rest + meta))


PNG = b"\x89PNG\r\n\x1a\n" + bytes(8) + struct.pack(">II", 5, 4) + b"\x08\x02"
MESSAGES = {
    "example": bytes.fromhex("0a2f0a0b0a016112061a040a0201020a0d0a016212080a060a0278310a000a110a0163120c120a0a08"
                             "0000c03f0000a0bf"),
    "sequence": bytes.fromhex("0a0f0a0b0a02696412051a030a010112130a110a056672616d6512080a060a040a026630"),
    "groups": bytes.fromhex("0b0b0c0c1378a401") + b"\x14" + number(5, 2**64 - 1),
    "fixed": b"\x0d" + struct.pack("<f", 1.5) + b"\x11" + struct.pack("<d", 2.5) + field(3, b"text 'x'\n\xff"),
    "version": b"\x09" + struct.pack("<d", 1600000000.0) + field(3, b"brain.Event:2"),
    "session": event(0, 7, number(1, 1)),
    "old_scalar": value(b"loss", b"\x15" + struct.pack("<f", 0.5)),
    "no_tag": event(5, 5, field(1, b"\x15" + struct.pack("<f", 0.5))),
    "new_scalar": value(b"loss", field(8, tensor(1, [], field(4, struct.pack("<f", 0.5)))), b"scalars"),
    "old_histogram": value(b"w", field(5, b"".join(
        bytes([n << 3 | 1]) + struct.pack("<d", v) for n, v in ((1, -1.0), (2, 2.0), (3, 2.0), (4, 1.0), (5, 5.0)))
        + field(6, struct.pack("<3d", -0.5, 1.0, 1e308)) + field(7, struct.pack("<3d", 1.0, 0.0, 1.0)))),
    "new_histogram": value(b"w", field(8, tensor(2, [1, 3], field(4, struct.pack("<3d", 1, 2, 1)))), b"histograms"),
    "old_image": value(b"p", field(4, number(1, 4) + number(2, 5) + number(3, 3) + field(4, PNG))),
    "new_image": value(b"p", field(8, tensor(7, [3], field(8, b"5") + field(8, b"4") + field(8, PNG))), b"images"),
    "text": value(b"t", field(8, tensor(7, [], field(8, b"hello **world**"))), b"text"),
    "halves": value(b"h", field(8, tensor(19, [2], field(13, varint(0x3c00) + varint(0x7c00))))),
    "hparams": value(b"_hparams_/session_start_info", b"", b"hparams",
                     field(3, field(1, field(1, b"lr") + field(2, b"\x11" + struct.pack("<d", 0.1)))
                           + field(1, field(1, b"name") + field(2, field(3, b"base"))))),
    "audio": value(b"a", field(6, b"\x0d" + struct.pack("<f", 16000) + number(2, 1) + field(4, b"RIFF"))),
}


def example(**features):
    def feature(v):
        if isinstance(v[0], bytes):
            return field(1, b"".join(field(1, x) for x in v))
        if isinstance(v[0], float):
            return field(2, field(1, struct.pack("<%df" % len(v), *v)))
        return field(3, field(1, b"".join(varint(x & 2**64 - 1) for x in v)))

    entries = b"".join(field(1, field(1, k.replace("__", "/").encode()) + field(2, feature(v))) for k, v in features.items())
    return field(1, entries)


def records(*payloads):
    return b"".join(bytes([len(p)]) + p for p in payloads)


JPEG = bytes.fromhex("ffd8ffe000104a46494600010100000100010000ffc0000b080004000501011100ffda00080101003f00ffd9")
REPORTS = {
    "none": b"",
    "text": records(example(text=[b"<b>&\"'"], label=[7], ids=[3, 4, 1]), example(text=[b"\xff\x00"], label=[-2], ids=[1])),
    "floats": records(example(score=[0.5, float("nan"), 1e38]), example(score=[-1.0]), example(score=[float("inf")])),
    "pictures": records(example(image__encoded=[JPEG], image__format=[b"jpeg"], image__class__label=[3]),
                        example(image__encoded=[PNG], image__format=[b"png"], image__class__text=[b"cat"])),
    "equal": records(*[example(a=[1, 2])] * 3),
    "kinds": records(example(a=[1]), example(a=[b"x"]), example(a=[0.5])),
    "no_example": records(example(a=[1]), b"\x0a\xff", b"hello"),
    "nul_names": records(example(**{"a\0bcdefghijkl": [1], "a\0b": [2]}), example(**{"a\0bcdefghijkl": [1], "a\0c": [2]})),
    "sequence": records(MESSAGES["sequence"]),
}


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "corpus")
    seeds = {"row_json": {k: v.encode() for k, v in ROWS.items()}, "raw_message": MESSAGES, "report": REPORTS}
    seeds["row_json"].update({"record_" + k: MESSAGES[k] for k in ("example", "sequence")})
    for target, files in seeds.items():
        os.makedirs(os.path.join(root, target), exist_ok=True)
        for name, data in files.items():
            with open(os.path.join(root, target, name), "wb") as f:
                f.write(data)


if __name__ == "__main__":
    main()
