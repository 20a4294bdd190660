"""cifar_archives.py FOLDER ROWS: cifar-10-python.tar.gz and cifar-100-python.tar.gz as the archives are, of noise,
with so many images a batch of CIFAR-10, five times as many of CIFAR-100 to train on and ROWS + 10 to test."""
import io, os, pickle, random, struct, sys, tarfile

folder, n = sys.argv[1], int(sys.argv[2])
r = random.Random(2)


class Array:
    def __init__(self, data, rows):
        self.data, self.rows = data, rows


class Pickler(pickle._Pickler):
    """Python 2's, with its strings and NumPy's arrays of bytes."""

    def save(self, o, save_persistent_id=True):
        w = self.write
        if isinstance(o, str):
            return w(b"T" + struct.pack("<I", len(o)) + o.encode("latin-1"))
        if not isinstance(o, Array):
            return super().save(o, save_persistent_id)
        w(b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\n")
        self.save((0,))
        self.save("b")
        w(b"\x87R(")
        self.save(1)
        self.save((o.rows, 3072))
        w(b"cnumpy\ndtype\n")
        self.save("u1")
        self.save(0)
        self.save(1)
        w(b"\x87R(")
        for x in (3, "|", None, None, None, -1, -1, 0):
            self.save(x)
        w(b"tb")
        self.save(False)
        self.save(o.data.decode("latin-1"))
        w(b"tb")


def rows(n, keys):
    d = {"batch_label": "x", "data": Array(r.randbytes(3072 * n), n), "filenames": ["%d.png" % i for i in range(n)]}
    f = io.BytesIO()
    Pickler(f, 2).dump({**d, **{key: [i % size for i in range(n)] for key, size in keys}})
    return f.getvalue()


def tar(name, members):
    with tarfile.open(os.path.join(folder, name), "w:gz") as t:
        for path, data in members:
            info = tarfile.TarInfo(path)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))


tar("cifar-10-python.tar.gz", [("cifar-10-batches-py/" + name, rows(n, [("labels", 10)]))
                               for name in ["data_batch_%d" % i for i in range(1, 6)] + ["test_batch"]])
hundred = [("fine_labels", 100), ("coarse_labels", 20)]
tar("cifar-100-python.tar.gz", [("cifar-100-python/train", rows(5 * n, hundred)), ("cifar-100-python/test", rows(n + 10, hundred))])
