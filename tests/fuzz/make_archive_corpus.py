#!/usr/bin/env python3
"""Writes corpus/archive and corpus/packed_images beside this script; always the same bytes."""

import bz2
import gzip
import io
import lzma
import pathlib
import tarfile
import zipfile

CORPUS = pathlib.Path(__file__).parent / "corpus"
HERE = CORPUS / "archive"


def tar():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as t:
        for name, data in (("./d/a", b"alpha\n"), ("d/\u00fc" + "b" * 120, b"")):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))
        link = tarfile.TarInfo("d/same")
        link.type, link.linkname = tarfile.LNKTYPE, "d/a"
        t.addfile(link)
    return out.getvalue()


def links(n):
    """Every link is passed on the way to the file of the next one."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as t:
        for i in range(n):
            t.addfile(tarfile.TarInfo(f"f{i}"))
            link = tarfile.TarInfo(f"l{i}")
            link.type, link.linkname = tarfile.LNKTYPE, f"f{i}"
            t.addfile(link)
    return out.getvalue().rstrip(b"\0") + bytes(1024)


def tar_of(members, form):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as t:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))
    return out.getvalue().rstrip(b"\0") + bytes(1024 + -len(out.getvalue().rstrip(b"\0")) % 512)


def zipped():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in (("d/a", b"alpha\n" * 9), ("d/b", b"")):
            z.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data)
    return out.getvalue()


def main():
    HERE.mkdir(parents=True, exist_ok=True)
    plain = tar().rstrip(b"\0") + bytes(1024)
    for name, data in (
        ("tar", plain),
        ("tar.gz", gzip.compress(plain, 9, mtime=0)),
        ("tar.bz2", bz2.compress(plain)),
        ("tar.xz", lzma.compress(plain)),
        ("text.gz", gzip.compress(b"alpha\n", 9, mtime=0)),
        ("zip", zipped()),
        ("links.tar.gz", gzip.compress(links(60), 9, mtime=0)),
        ("page", b"<!DOCTYPE html><html></html>\n"),
    ):
        (HERE / name).write_bytes(data)
    images = CORPUS / "packed_images"
    images.mkdir(parents=True, exist_ok=True)
    for name, form in (("gnu", tarfile.GNU_FORMAT), ("pax", tarfile.PAX_FORMAT)):
        classes = [(f"n{k}.tar", tar_of([(f"n{k}_{'a' * 110 * k}.JPEG", b"\xff\xd8\xff")], form)) for k in (1, 0)]
        (images / name).write_bytes(tar_of(classes, form))


main()
