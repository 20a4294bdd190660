#!/usr/bin/env python3
"""Writes corpus/bag, counts, csv, npz, tar and the hostile files of corpus/yaml beside this script; always the same
bytes."""

import io
import pathlib
import struct
import tarfile
import zipfile

HERE = pathlib.Path(__file__).parent / "corpus"


def put(target, name, data):
    folder = HERE / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)


def csvs():
    put("csv", "plain", b"a,b,c\n1,0.5,x\n2,,y\n")
    put("csv", "quotes", b'a,b\r\n"x,""y""\r\nz",1\r\n"",2\r\n')
    put("csv", "lists", b"\tids\tn\n1;2;3\t7\n;\t8\n")
    put("csv", "odd", b'\xef\xbb\xbfa\n-9223372036854775808\n9223372036854775807\n007\n"\nnan\n')
    put("csv", "broken", b'a,b\n"x"y,1\n')


def yamls():
    put("yaml", "laughs", b"a: &a [x, x]\n" + b"".join(b"%c: &%c [*%c, *%c]\n" % (c, c, c - 1, c - 1) for c in range(98, 110)))
    put("yaml", "directives", b"".join(b"%%TAG !a%d! x\n" % i for i in range(20)) + b"---\na: 1\n")


def bags():
    def bag(kind, records):
        ends = [sum(map(len, records[:i + 1])) for i in range(len(records))]
        return kind + b"".join(records) + struct.pack(f"<{len(ends)}Q", *ends)

    def frame(data):
        return struct.pack("<IBQ", 0xFD2FB528, 0xE0, len(data)) + (len(data) << 3 | 1).to_bytes(3, "little") + data
    put("bag", "plain", bag(b"\0", [b"alpha", b"", b"beta"]))
    put("bag", "frames", bag(b"\1", [frame(b"alpha"), b"", frame(b"beta")]))
    put("bag", "backwards", b"\0abc" + struct.pack("<3Q", 3, 1, 3))


def counts():
    put("counts", "plain", b"t2t.c word counts 1\n3 the\n1 \\n\n18446744073709551615 caf\xc3\xa9\n")
    put("counts", "no_count", b"t2t.c word counts 1\nx the\n")


def npy(descr, shape, data, version=1, fortran=False):
    head = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(head)) + head + data


def zipped(arrays, method=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as z:
        for member, data in arrays.items():
            z.writestr(zipfile.ZipInfo(member + ".npy"), data, method)
    return out.getvalue()


def npzs():
    put("npz", "npy", npy("<i8", "(2,)", struct.pack("<2q", 1, -1)))
    put("npz", "fortran", npy(">f4", "(2, 3)", struct.pack(">6f", *range(6)), 2, True))
    put("npz", "shared", shared(20))
    put("npz", "name_not_utf8", zipped({"@@": npy("<i4", "(1,)", bytes(4))}).replace(b"@@", b"\xff\xff"))
    for name, method in ("stored", zipfile.ZIP_STORED), ("deflated", zipfile.ZIP_DEFLATED):
        put("npz", name, zipped({
            "x/values": npy("<i4", "(3,)", bytes(12)), "x/row_splits": npy("<i8", "(3,)", struct.pack("<3q", 0, 1, 3)),
            "t": npy("<U2", "(2,)", "a\0é\0".encode("utf-32-le")), "h": npy("<f2", "(2, 1)", b"\0\x3c\1\0"),
            "b/bytes": npy("|u1", "(4,)", b"abc\0"), "b/byte_splits": npy("<i8", "(3,)", struct.pack("<3q", 0, 0, 4)),
        }, method))


def shared(n):
    """Every entry of the directory names the one member that is there."""
    data = zipped({"a": npy("|u1", "(4000,)", bytes(4000))}, zipfile.ZIP_DEFLATED)
    at, end = data.index(b"PK\1\2"), data.index(b"PK\5\6")
    entries = data[at:end] * n
    return data[:at] + entries + struct.pack("<4s4HIIH", b"PK\5\6", 0, 0, n, n, len(entries), at, 0)


def tars():
    for name, form in ("ustar", tarfile.USTAR_FORMAT), ("pax", tarfile.PAX_FORMAT), ("gnu", tarfile.GNU_FORMAT):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=form, bufsize=512) as t:
            long = "k/ü" * 60 if form != tarfile.USTAR_FORMAT else "k"
            for member, data in ("d/1.cls", b"7\n"), ("d/1.txt", b"x"), (f"{long}.x.npy", npy("<f4", "(1,)", bytes(4))), \
                    ("no", b""), ("d/2.cls", b"x"):
                info = tarfile.TarInfo(member)
                info.size = len(data)
                t.addfile(info, io.BytesIO(data))
        put("tar", name, out.getvalue()[:8192])


if __name__ == "__main__":
    csvs()
    yamls()
    bags()
    counts()
    npzs()
    tars()
