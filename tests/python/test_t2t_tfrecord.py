"""The Python module on files that it writes itself.  Run by tests/e2e/python_module.sh in an empty folder."""
import glob
import gzip
import multiprocessing
import os
import pickle
import struct
import sys
import threading
import unittest

import numpy as np

import t2t_tfrecord as t
from t2t_tfrecord import DataLossError, Reader, Writer

N = 50


def row(i):
    return {"ids": np.arange(i % 7), "weights": [0.5 * i, -1.0], "name": b"n%d\0x" % i, "many": [b"", b"a" * i],
            "none": None, "big": [2**63 - 1, -2**63, i]}


def write(path, n=N, first=0, **more):
    with Writer(path, **more) as w:
        for i in range(first, first + n):
            w.write(row(i))
    return path


def frames(path):
    with open(path, "rb") as f:
        data = f.read()
    at = 0
    while at < len(data):
        n, crc = struct.unpack_from("<QI", data, at)
        payload = data[at + 12:at + 12 + n]
        assert crc == t.masked_crc32c(data[at:at + 8])
        assert struct.unpack_from("<I", data, at + 12 + n)[0] == t.masked_crc32c(payload)
        yield at, payload
        at += 16 + n


def child(reader, i, queue):
    queue.put(int(reader[i]["big"][2]))


class Case(unittest.TestCase):
    def check_row(self, e, i):
        want = row(i)
        self.assertEqual(sorted(e), sorted(want))
        self.assertEqual(e["ids"].dtype, np.int64)
        np.testing.assert_array_equal(e["ids"], want["ids"])
        self.assertEqual(e["weights"].dtype, np.float32)
        np.testing.assert_array_equal(e["weights"], want["weights"])
        self.assertEqual(e["name"], [want["name"]])
        self.assertEqual(e["many"], want["many"])
        self.assertIsNone(e["none"])
        np.testing.assert_array_equal(e["big"], want["big"])
        e["ids"][:1] = 5  # the arrays may be written to

    def test_sequence(self):
        for compression in (None, "gzip", "zlib", "bgzip"):
            r = Reader(write("a.tfrecord", compression=compression))
            self.assertEqual(len(r), N)
            for i, e in enumerate(r):
                self.check_row(e, i)
            self.assertEqual(i, N - 1)
            for i in (0, 7, N - 1, -1, -N, np.int64(3)):
                self.check_row(r[i], i % N)
            for i in (N, -N - 1):
                self.assertRaises(IndexError, r.__getitem__, i)
            self.assertEqual([int(e["big"][2]) for e in r[10:20:3]], [10, 13, 16, 19])
            self.assertEqual([int(e["big"][2]) for e in r[::-1]], list(range(N))[::-1])
            self.assertEqual([int(e["big"][2]) for e in r[[5, -1, 5]]], [5, N - 1, 5])
            self.assertEqual(r[N:], [])

    def test_bytes_are_those_of_the_file(self):
        write("a.tfrecord")
        want = [p for _, p in frames("a.tfrecord")]
        r = Reader("a.tfrecord", parse=False)
        self.assertEqual(list(r), want)
        self.assertEqual(r[:], want)
        with Writer("b.tfrecord") as w:
            for p in want:
                w.write(bytearray(p))
            w.write(b"")
        self.assertEqual(list(Reader("b.tfrecord", parse=False)), want + [b""])
        self.assertEqual(Reader("b.tfrecord")[-1], {})

    def test_inputs(self):
        with Writer("s@4") as w:
            for i in range(10):
                w.write(row(i))
            self.assertEqual(glob.glob("s-*-of-*"), [])
        self.assertEqual(w.n_records, 10)
        names = ["s-%05d-of-00004" % i for i in range(4)]
        self.assertEqual(sorted(glob.glob("s-*")), names)
        write("z.tfrecord", 3, 10)
        for inputs in ("s@4", "s@*", "s-?????-of-00004", names):
            r = Reader(inputs)
            self.assertEqual([os.path.normpath(p) for p in r.files], names)
            self.assertEqual([int(e["big"][2]) for e in r], list(range(10)))
        r = Reader(["s@4", "z.tfrecord"])
        self.assertEqual(len(r), 13)
        self.assertEqual([int(r[i]["big"][2]) for i in range(13)], list(range(13)))

    def test_fields(self):
        r = Reader(write("a.tfrecord"), fields=["ids", "absent"])
        self.assertEqual(list(r[3]), ["ids"])
        self.assertEqual(list(next(iter(r))), ["ids"])

    def test_batches(self):
        r = Reader(write("a.tfrecord"))
        n = 0
        for b in r.batches(8, {"ids": "int64", "weights": "float", "many": "bytes", "absent": None}):
            for k in range(len(b["ids"])):
                want = row(n)
                np.testing.assert_array_equal(b["ids"][k], want["ids"])
                np.testing.assert_array_equal(b["weights"][k], want["weights"])
                self.assertEqual(b["many"][k], want["many"])
                self.assertEqual(len(b["absent"][k]), 0)
                n += 1
        self.assertEqual((n, len(b["ids"])), (N, N % 8))
        b = r.batch([3, -1, 0], ["ids"])
        np.testing.assert_array_equal(b["ids"].padded(-1), [[0, 1, 2], [-1] * 3, [-1] * 3])
        np.testing.assert_array_equal(b["ids"].padded(9, 4)[0], [0, 1, 2, 9])
        np.testing.assert_array_equal(b["ids"].padded(9, 2)[0], [0, 1])
        with self.assertRaisesRegex(DataLossError, "'a.tfrecord': record 0: feature 'ids' has a list of int64"):
            list(r.batches(4, {"name": "bytes", "ids": "float"}))
        self.assertRaises(ValueError, next, r.batches(4))

    def test_damage_is_named(self):
        write("a.tfrecord")
        at = [a for a, _ in frames("a.tfrecord")][3]
        with open("a.tfrecord", "r+b") as f:
            f.seek(at + 20)
            byte = f.read(1)
            f.seek(at + 20)
            f.write(bytes([byte[0] ^ 1]))
        r, seen = Reader("a.tfrecord"), []
        with self.assertRaisesRegex(DataLossError, r"'a.tfrecord': record 3 at offset %d: data CRC" % at):
            for e in r:
                seen.append(e)
        self.assertEqual(len(seen), 3)
        self.assertRaisesRegex(DataLossError, "a.tfrecord.*CRC", r.__getitem__, 3)
        self.check_row(r[4], 4)
        os.truncate("a.tfrecord", at + 5)
        self.assertRaisesRegex(DataLossError, "cut short", list, Reader("a.tfrecord"))
        with Writer("b.tfrecord") as w:
            w.write(b"\xff\xff")
        self.assertRaisesRegex(DataLossError, "b.tfrecord: record 0: not an Example", list, Reader("b.tfrecord"))
        self.assertEqual(list(Reader("b.tfrecord", parse=False)), [b"\xff\xff"])
        with open("c.txt", "w") as f:
            f.write("this is a text of some length\n")
        self.assertRaisesRegex(DataLossError, "not a TFRecord file", list, Reader("c.txt"))
        self.assertRaises(FileNotFoundError, Reader, "absent.tfrecord")
        self.assertRaises(ValueError, Reader, [])

    def test_writer(self):
        with self.assertRaises(KeyError):
            with Writer("a.new") as w:
                w.write(b"x")
                raise KeyError
        with Writer("a.new") as w:
            w.write(b"x")
            w.abort()
        self.assertEqual(glob.glob("a.new*"), [])
        with Writer("made/below/a.tfrecord") as w:  # folders are made, as everywhere in t2t.c
            w.write({"a": [1]})
        self.assertEqual(w.n_records, 1)
        self.assertTrue(os.path.isfile("made/below/a.tfrecord"))
        self.assertRaises(OSError, Writer, "made/below/a.tfrecord/b.tfrecord")
        self.assertRaises(ValueError, Writer, "a.new", compression="rar")
        w = Writer("a.new")
        self.assertEqual(w.close(), 0)
        self.assertRaises(ValueError, w.write, b"x")
        for bad, error in (({"a": []}, ValueError), ({"a": [object()]}, TypeError), ({"a": 2**63}, OverflowError),
                           ({"a": np.array([2**63], np.uint64)}, OverflowError), ({"a\0b": 1}, ValueError)):
            self.assertRaises(error, t.build_example, bad)
        self.assertEqual(t.build_example({"b": 1, "a": "x"}), t.build_example({"a": [b"x"], "b": np.int8([1])}))
        self.assertEqual(t.build_example({}), b"\n\0")

    def test_damaged_gzip(self):
        with open("a.tfrecord", "wb") as f:
            f.write(gzip.compress(b"".join(p for _, p in frames(write("p.tfrecord"))))[:-9])
        self.assertRaises(DataLossError, list, Reader("a.tfrecord"))

    def test_threads(self):
        r, failed = Reader(write("a.tfrecord")), []

        def work(seed):
            for k in range(300):
                i = (k * 7 + seed) % N
                if int(r[i]["big"][2]) != i:
                    failed.append(i)
        threads = [threading.Thread(target=work, args=(s,)) for s in range(4)]
        for x in threads:
            x.start()
        for x in threads:
            x.join()
        self.assertEqual(failed, [])

    def test_processes(self):
        r = Reader(write("a.tfrecord"))
        self.check_row(pickle.loads(pickle.dumps(r))[2], 2)
        for method in ("fork", "spawn"):
            context = multiprocessing.get_context(method)
            queue = context.Queue()
            r[0]
            children = [context.Process(target=child, args=(r, i, queue)) for i in (5, 6)]
            for c in children:
                c.start()
            self.assertEqual(sorted(queue.get(timeout=30) for _ in children), [5, 6])
            for c in children:
                c.join()
                self.assertEqual(c.exitcode, 0)
            self.check_row(r[9], 9)

    def test_closed(self):
        with Reader(write("a.tfrecord")) as r:
            r[0]
        self.assertRaises(ValueError, r.__getitem__, 1)

    def test_crc(self):
        self.assertEqual(t.crc32c(b"123456789"), 0xE3069283)
        self.assertEqual(t.crc32c(b"56789", t.crc32c(b"1234")), 0xE3069283)

    def test_without_numpy(self):
        import subprocess
        write("a.tfrecord")
        code = ("import sys; sys.modules['numpy'] = None\n"
                "import t2t_tfrecord as t\n"
                "e = t.Reader('a.tfrecord')[6]\n"
                "assert list(e['ids']) == list(range(6)) and list(e['weights']) == [3.0, -1.0], e\n"
                "assert e['many'] == [b'', b'aaaaaa'] and list(e['big']) == [2**63 - 1, -2**63, 6]\n"
                "assert t.build_example({'a': [1.5, 2], 'b': [1, 2]})\n")
        subprocess.run([sys.executable, "-c", code], check=True)


if __name__ == "__main__":
    unittest.main(verbosity=1)
