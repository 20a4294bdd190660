#!/usr/bin/env python3
"""tests/support/line_sources.py FOLDER - the text of WMT English-German as it is unpacked, and archives of
MNIST, with little in them: for command lines that name these problems."""
import gzip
import io
import os
import struct
import sys
import tarfile

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)


def add(archive, name, data):
    info = tarfile.TarInfo(name)
    info.size = len(data)
    archive.addfile(info, io.BytesIO(data))


def texts(n, first):
    numbers = [(first + 7 * i) % 997 for i in range(n)]
    return ("".join("the number %d and %d\n" % (k, k % 31) for k in numbers),
            "".join("die Zahl %d und %d\n" % (k, k % 31) for k in numbers))


def sgml(language, text):
    kind = "src" if language == "en" else "ref"
    lines = "".join('<seg id="%d">%s</seg>\n' % (i + 1, line) for i, line in enumerate(text.splitlines()))
    return '<%sset setid="x" srclang="any">\n<doc docid="a">\n%s</doc>\n</%sset>\n' % (kind, lines, kind)


for number, (stem, n) in enumerate((("training-parallel-nc-v13/news-commentary-v13.de-en", 300),
                                    ("commoncrawl.de-en", 200), ("training/europarl-v7.de-en", 200))):
    for language, text in zip(("en", "de"), texts(n, number)):
        path = os.path.join(folder, stem + "." + language)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)

with tarfile.open(os.path.join(folder, "dev.tgz"), "w:gz") as dev:
    for language, text in zip(("en", "de"), texts(30, 5)):
        add(dev, "dev/newstest2013.%s" % language, text.encode())
        add(dev, "dev/newstest2013-%s.%s.sgm" % ("src" if language == "en" else "ref", language),
            sgml(language, text).encode())

for name, n in ("train", 300), ("t10k", 100):
    with gzip.open(os.path.join(folder, name + "-images-idx3-ubyte.gz"), "wb", 1) as f:
        f.write(struct.pack(">4i", 2051, n, 28, 28) + bytes(28 * 28 * n))
    with gzip.open(os.path.join(folder, name + "-labels-idx1-ubyte.gz"), "wb", 1) as f:
        f.write(struct.pack(">2i", 2049, n) + bytes(i % 10 for i in range(n)))
