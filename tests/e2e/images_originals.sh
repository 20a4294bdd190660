# The README's commands for Fashion-MNIST, CIFAR-10 and CIFAR-100: files in the formats of the originals become
# shards, a few steps of training, an evaluation of every image.  The images are made here.
. "$T2_ROOT/tests/e2e/train_common.subr"
command -v python3 >/dev/null || { echo "no python3" >&2; exit 77; }

mkdir originals
python3 - <<'EOF'
import gzip, io, pickle, random, struct, tarfile

r = random.Random(1)

def idx(name, magic, dims, data):
    with gzip.open("originals/fashion-%s.gz" % name, "wb") as f:
        f.write(struct.pack(">I%dI" % len(dims), magic, *dims) + data)

for part, n in (("train", 60000), ("t10k", 10000)):
    labels = bytes(i % 10 for i in range(n))
    rows = [bytes([20 * k + 10] * 784) for k in range(10)]
    idx(part + "-labels-idx1-ubyte", 2049, (n,), labels)
    idx(part + "-images-idx3-ubyte", 2051, (n, 28, 28), b"".join(rows[k] for k in labels))

class Array:
    def __init__(self, data, rows): self.data, self.rows = data, rows

class Pickler(pickle._Pickler):
    """Python 2's, with its strings and NumPy's arrays of bytes."""
    def save(self, o, save_persistent_id=True):
        w = self.write
        if isinstance(o, str):
            return w(b"T" + struct.pack("<I", len(o)) + o.encode("latin-1"))
        if not isinstance(o, Array):
            return super().save(o, save_persistent_id)
        w(b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\n")
        self.save((0,)); self.save("b")
        w(b"\x87R(")
        self.save(1); self.save((o.rows, 3072))
        w(b"cnumpy\ndtype\n"); self.save("u1"); self.save(0); self.save(1); w(b"\x87R(")
        for x in (3, "|", None, None, None, -1, -1, 0): self.save(x)
        w(b"tb")
        self.save(False); self.save(o.data.decode("latin-1"))
        w(b"tb")

def pickled(o):
    f = io.BytesIO()
    Pickler(f, 2).dump(o)
    return f.getvalue()

def tar(name, members):
    with tarfile.open("originals/" + name, "w:gz") as t:
        for path, data in members:
            info = tarfile.TarInfo(path)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))

def rows(n, keys):
    data = r.randbytes(3072 * n)
    d = {"batch_label": "x", "data": Array(data, n), "filenames": ["%d.png" % i for i in range(n)]}
    return pickled({**d, **{key: [i % size for i in range(n)] for key, size in keys}})

tar("cifar-10-python.tar.gz", [("cifar-10-batches-py/" + n, rows(40, [("labels", 10)]))
                               for n in ["data_batch_%d" % i for i in range(1, 6)] + ["test_batch"]])
tar("cifar-100-python.tar.gz", [("cifar-100-python/train", rows(200, [("fine_labels", 100), ("coarse_labels", 20)])),
                                ("cifar-100-python/test", rows(50, [("fine_labels", 100), ("coarse_labels", 20)]))])
EOF
t2t-datagen --quiet --offline --problem=image_fashion_mnist,image_cifar10,image_cifar100 --data_dir=data --tmp_dir=originals
train() { # PROBLEM STEPS flags of the README
    problem=$1 steps=$2
    shift 2
    t2t-trainer --problem="image_$problem" --data_dir=data --output_dir="run.$problem" --train_steps="$steps" "$@" \
        2>"$problem.log" >"$problem.out"
}
train fashion_mnist 12 --model=record_net --hparams_set=record_net_mnist --hparams=batch_size=32 --eval_steps=5
grep -q 'images of 28 x 28 x 1 .* to 10 classes' fashion_mnist.log
grep -q 'train: 60,000 images' fashion_mnist.log
train cifar10 2 --model=record_net --hparams_set=record_net --hparams=batch_size=20
grep -q 'images of 32 x 32 x 3 .* to 10 classes' cifar10.log
grep -q 'step 2  dev: .*(40 images' cifar10.log
train cifar100 2 --model=resnet --hparams_set=resnet_cifar_15 --hparams=batch_size=8,layer_sizes=[1,1,1]
grep -q 'images of 32 x 32 x 3 .* to 100 classes' cifar100.log
grep -q 'step 2  dev: .*(50 images' cifar100.log
