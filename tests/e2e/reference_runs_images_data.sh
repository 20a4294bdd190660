# What the originals were recorded making of images, made again: CIFAR and the development set of MNIST equal in
# names, order, labels and pixels (PNG bytes are the encoder's own), imagenet_to_gcs byte for byte.  Prints a
# table; all shards of MNIST are in reference_runs_images_data_slow.sh.
# With sanitizers by name: it compares bytes; class_problems.sh and image_problems.sh run the same code
# shellcheck source=tests/e2e/reference_runs_images.subr
. "$T2_ROOT/tests/e2e/reference_runs_images.subr"
t2t t2t-cifar10 cifar10 image_cifar10,image_cifar10_plain '*'
t2t t2t-cifar100 cifar100 image_cifar100,image_cifar20 '*'
t2t t2t-mnist mnist image_mnist 'image_mnist-train-00009*'

run=imagenet-to-gcs.sorted-glob
jpeg-to-tfrecord --quiet --raw_data_dir="$T2_DATA/imagenet-sample" --output_dir=gcs >/dev/null
(cd gcs && sha256sum -c <"$runs/$run/SHA256SUMS.sorted") >sums 2>/dev/null || true
same=$(grep -c ': OK$' sums)
row $run "bytes" "$same" "$(wc -l <"$runs/$run/SHA256SUMS.sorted")"
# of 1024 shards for training and 128 for validation the original has written those of SHA256SUMS
row $run "empty shards" "$(find gcs -type f -empty | wc -l)" $((1024 + 128 - $(wc -l <"$runs/$run/SHA256SUMS.sorted")))
exit $rc
