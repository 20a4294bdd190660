# TensorFlow's own reader of Google Cloud Storage reads what we wrote there.  It knows Google's servers by name alone, so a
# proxy stands in for them.  T2_TENSORFLOW names a python with TensorFlow.
. "$T2_ROOT/tests/e2e/remote_common.subr"
[ -x "${T2_TENSORFLOW-}" ] || { echo 'T2_TENSORFLOW names no python with TensorFlow' >&2; exit 77; }
command -v openssl >/dev/null || { echo 'no openssl' >&2; exit 77; }
serve --bucket b
probe
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out certificate.pem -days 2 -subj /CN=googleapis.com \
    -addext 'subjectAltName=DNS:*.googleapis.com' 2>/dev/null
python3 "$T2_ROOT/tests/support/google_proxy.py" proxy "$(cat port)" certificate.pem key.pem &
proxy=$!
trap 'kill $server $proxy 2>/dev/null || true' EXIT
until [ -s proxy ]; do
    kill -0 $proxy || exit 1
    sleep 0.02
done
seq 20000 | sed 's/.*/{"id": &, "text": "record &"}/' >records.jsonl
tfrec convert --quiet records.jsonl -o local.tfrecord
tfrec convert --quiet records.jsonl -o gs://b/dir/one.tfrecord
tfrec shuffle --quiet local.tfrecord -o gs://b/dir/set@3
cat >read.py <<'END'
import hashlib, sys
import tensorflow as tf
def digest(paths):
    return sorted(hashlib.sha256(r.numpy()).hexdigest() for r in tf.data.TFRecordDataset(paths))
local = digest(["local.tfrecord"])
assert len(local) == 20000
assert digest(["gs://b/dir/one.tfrecord"]) == local
shards = tf.io.gfile.glob("gs://b/dir/set-*")
assert len(shards) == 3, shards
assert digest(shards) == local
assert tf.io.gfile.stat("gs://b/dir/one.tfrecord").length == tf.io.gfile.stat("local.tfrecord").length
END
http_proxy='' https_proxy=http://127.0.0.1:$(cat proxy) no_proxy='' CURL_CA_BUNDLE=$PWD/certificate.pem NO_GCE_CHECK=true TF_CPP_MIN_LOG_LEVEL=2 \
    timeout 300 "$T2_TENSORFLOW" read.py 2>err || { tail -n 20 err >&2; exit 1; }
grep -q '^GET /b/dir/one.tfrecord\|^GET /b/dir%2Fone.tfrecord' requests
