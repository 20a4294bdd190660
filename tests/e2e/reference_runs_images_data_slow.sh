# All shards of image_mnist and image_mnist_tune against the recorded run: order, labels, pixels.
# shellcheck source=tests/e2e/reference_runs_images.subr
. "$T2_ROOT/tests/e2e/reference_runs_images.subr"
t2t t2t-mnist mnist image_mnist,image_mnist_tune '*'
exit $rc
