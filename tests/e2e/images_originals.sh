# The README's commands for Fashion-MNIST, CIFAR-10 and CIFAR-100: files in the formats of the originals become
# shards, a few steps of training, an evaluation of every image.  The images are made here.
# With sanitizers by name: images_classes.sh and images_road_data.sh run the same code
. "$T2_ROOT/tests/e2e/train_common.subr"
command -v python3 >/dev/null || { echo "no python3" >&2; exit 77; }

mkdir originals
python3 - <<'EOF'
import gzip, struct

def idx(name, magic, dims, data):
    with gzip.open("originals/fashion-%s.gz" % name, "wb") as f:
        f.write(struct.pack(">I%dI" % len(dims), magic, *dims) + data)

for part, n in (("train", 60000), ("t10k", 10000)):
    labels = bytes(i % 10 for i in range(n))
    rows = [bytes([20 * k + 10] * 784) for k in range(10)]
    idx(part + "-labels-idx1-ubyte", 2049, (n,), labels)
    idx(part + "-images-idx3-ubyte", 2051, (n, 28, 28), b"".join(rows[k] for k in labels))
EOF
python3 "$T2_ROOT/tests/support/cifar_archives.py" originals 40
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
