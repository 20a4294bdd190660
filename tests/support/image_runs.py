#!/usr/bin/env python3
"""For tests/e2e/reference_runs_images_data.sh, with the standard library only.

image_runs.py prepare TOOLS RECIPE DATA TMP    prepare.py of the recorded runs, without NumPy: its arrays are pickled as
                                               NumPy pickles them
image_runs.py pixels DIR                       file, records, hash of labels and pixels, first labels: pixels.py's columns
image_runs.py digests DIR STEM...              stem, shards, records, hash of names, order and all features, of PNG the pixels
"""
import hashlib, pathlib, runpy, struct, sys, types, zlib


# ---- arrays that pickle like NumPy's

class dtype:
    def __reduce__(self):
        return dtype, ("u1", False, True), (3, "|", None, None, None, -1, -1, 0)

    def __setstate__(self, state):
        pass


class ndarray:
    def __init__(self, data=b"", shape=()):
        self.data, self.shape = data, shape

    def reshape(self, *shape):
        return ndarray(self.data, shape)

    def copy(self):
        return self

    def __reduce__(self):
        return _reconstruct, (ndarray, (0,), b"b"), (1, self.shape, dtype(), False, self.data)


def _reconstruct(*_):
    return ndarray()


def fake_numpy():
    numpy, core, multiarray = (types.ModuleType(n) for n in ("numpy", "numpy.core", "numpy.core.multiarray"))
    numpy.core, core.multiarray = core, multiarray
    for thing, module in ((dtype, numpy), (ndarray, numpy), (_reconstruct, multiarray)):
        thing.__module__, thing.__qualname__ = module.__name__, thing.__name__
        setattr(module, thing.__name__, thing)
    numpy.uint8, numpy.frombuffer = "u1", lambda data, dtype: ndarray(data, (len(data),))
    sys.modules.update({m.__name__: m for m in (numpy, core, multiarray)})


def prepare(tools, *args):
    fake_numpy()
    sys.path.insert(0, tools)
    sys.argv = ["prepare.py", *args]
    runpy.run_path(str(pathlib.Path(tools) / "prepare.py"), run_name="__main__")


# ---- records

def records(data):
    at = 0
    while at < len(data):
        n, = struct.unpack_from("<Q", data, at)
        yield data[at + 12:at + 12 + n]
        at += 16 + n


def fields(data):
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(data):
        tag = varint()
        value = varint()
        if tag & 7 == 2:
            at += value
            value = data[at - value:at]
        yield tag >> 3, value


def example(record):
    entries = [dict(fields(e)) for _, e in fields(dict(fields(record))[1])]
    return {e[1].decode(): next(iter(dict(fields(e[2])).items())) for e in entries}


def first_int(feature):
    value = dict(fields(feature[1]))[1]
    return value if isinstance(value, int) else value[0]


def png(data):
    """(height, width, channels, pixels) of 8 bits, grey or RGB."""
    at, idat = 8, b""
    while at < len(data):
        n, name = struct.unpack_from(">I4s", data, at)
        if name == b"IHDR":
            width, height, bits, colour = struct.unpack_from(">IIBB", data, at + 8)
        if name == b"IDAT":
            idat += data[at + 8:at + 8 + n]
        at += 12 + n
    assert bits == 8
    bpp = {0: 1, 2: 3}[colour]
    raw, out, above = zlib.decompress(idat), bytearray(), bytearray(width * bpp)
    for y in range(height):
        start = y * (width * bpp + 1)
        kind, line = raw[start], bytearray(raw[start + 1:start + 1 + width * bpp])
        for i in range(len(line) if kind else 0):
            a = line[i - bpp] if i >= bpp else 0
            b, c = above[i], above[i - bpp] if i >= bpp else 0
            if kind == 4:
                p = a + b - c
                distances = (abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c)
                guess = min(distances)[2]
            else:
                guess = (0, a, b, (a + b) // 2)[kind]
            line[i] = (line[i] + guess) & 255
        out += line
        above = line
    return height, width, bpp, bytes(out)


def pixels(folder):
    for path in sorted(pathlib.Path(folder).glob("*-of-*")):
        h, labels = hashlib.sha256(), []
        for record in records(path.read_bytes()):
            e = example(record)
            label = first_int(e["image/class/label"])
            height, width, bpp, data = png(dict(fields(e["image/encoded"][1]))[1])
            h.update(b"%d\n%dx%dx%d\n" % (label, height, width, bpp))
            h.update(data)
            labels.append(label)
        print(path.name, len(labels), h.hexdigest(), " ".join(map(str, labels[:3])), sep="\t")


def digests(directory, *stems):
    for stem in stems:
        h, n = hashlib.sha256(), 0
        shards = sorted(pathlib.Path(directory).glob(stem + "-*-of-*"))
        for shard in shards:
            h.update(shard.name.encode())
            for record in records(shard.read_bytes()):
                n += 1
                for name, (kind, values) in sorted(example(record).items()):
                    at = values.find(b"\x89PNG\r\n") if name == "image/encoded" else -1
                    part = values if at < 0 else b"%d %d %d " % png(values[at:])[:3] + png(values[at:])[3]
                    h.update(b"%s %d %d " % (name.encode(), kind, len(part)) + part)
        print(stem, len(shards), n, h.hexdigest())


if __name__ == "__main__":
    {"prepare": prepare, "pixels": pixels, "digests": digests}[sys.argv[1]](*sys.argv[2:])
