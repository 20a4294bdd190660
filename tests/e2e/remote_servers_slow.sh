# Against servers of others: moto (S3) and gcp-storage-emulator (Google Cloud Storage), both from PyPI; what we
# wrote is read by Amazon's and Google's own clients, and theirs by us.  The packages go into a virtual
# environment of this test, or are in the one that T2_REMOTE_VENV names.
. "$T2_ROOT/tests/e2e/remote_common.subr"
venv=${T2_REMOTE_VENV:-$PWD/venv}
[ -x "$venv/bin/python" ] || python3 -m venv "$venv" || { echo "no virtual environment" >&2; exit 77; }
"$venv/bin/python" -c 'import moto, gcp_storage_emulator, boto3, google.cloud.storage' 2>/dev/null ||
    timeout 500 "$venv/bin/pip" install -q 'moto[server]' gcp-storage-emulator boto3 google-cloud-storage 2>pip.log ||
    { echo "no packages: $(tail -n 1 pip.log)" >&2; exit 77; }

free_port() { python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
s3=$(free_port)
gs=$(free_port)
"$venv/bin/moto_server" -H 127.0.0.1 -p "$s3" >moto.log 2>&1 &
servers=$!
"$venv/bin/gcp-storage-emulator" start --host=127.0.0.1 --port="$gs" --in-memory --default-bucket=bucket >gcs.log 2>&1 &
servers="$servers $!"
trap 'kill $servers 2>/dev/null || true' EXIT
export AWS_ENDPOINT_URL="http://127.0.0.1:$s3" STORAGE_EMULATOR_HOST="http://127.0.0.1:$gs"
export AWS_ACCESS_KEY_ID=testing AWS_SECRET_ACCESS_KEY=testing AWS_DEFAULT_REGION=us-east-1
cat >clients.py <<'END'
import sys, time, urllib.request
import boto3
from google.auth.credentials import AnonymousCredentials
from google.cloud import storage
s3 = boto3.client("s3")
def bucket():
    return storage.Client(project="test", credentials=AnonymousCredentials()).bucket("bucket")
if sys.argv[1] == "begin":
    for _ in range(100):
        try:
            s3.create_bucket(Bucket="bucket")
            bucket().exists()
            break
        except Exception:
            time.sleep(0.2)
elif sys.argv[1] == "get":
    at, key, to = sys.argv[2:]
    if at == "s3":
        s3.download_file("bucket", key, to)
    else:
        bucket().blob(key).download_to_filename(to)
elif sys.argv[1] == "put":
    at, path, key = sys.argv[2:]
    if at == "s3":
        s3.upload_file(path, "bucket", key)
    else:
        bucket().blob(key).upload_from_filename(path)
END
"$venv/bin/python" clients.py begin
python3 - <<'END'
import json, random
random.seed(3)
with open("many.jsonl", "w") as f:
    for i in range(24000):
        f.write(json.dumps({"id": i, "text": "%x" % random.getrandbits(6000)}) + "\n")
END
head -n 20 many.jsonl >few.jsonl
tfrec convert --quiet many.jsonl -o many.tfrecord
tfrec convert --quiet few.jsonl -o few.tfrecord

remote_train() { # steps
    t2t-trainer --problem=translate_ende_numbers --data_dir="$at/data" --output_dir="$at/run" --train_steps="$1" \
        --hparams_set=transformer_tiny --local_eval_frequency=5 --eval_steps=2 \
        --hparams=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=1,batch_size=512 2>log || { cat log >&2; exit 1; }
}
for scheme in s3 gs; do
    at=$scheme://bucket/dir
    for n in few many; do
        tfrec convert --quiet $n.jsonl -o $at/$n.tfrecord
        no_cache
        tfrec cat $at/$n.tfrecord >out
        tfrec cat $n.tfrecord | cmp - out
        "$venv/bin/python" clients.py get $scheme dir/$n.tfrecord theirs
        cmp $n.tfrecord theirs
        "$venv/bin/python" clients.py put $scheme $n.tfrecord "theirs/$n"
        tfrec cat $scheme://bucket/theirs/$n >out
        tfrec cat $n.tfrecord | cmp - out
    done
    tfrec convert --quiet few.jsonl --to=tfrecord -o "$at/odd/a b+é%41"
    no_cache
    tfrec count $at | grep -q 'in 2 files'
    tfrec count "$at/odd/a b+é%41" >/dev/null
    "$venv/bin/python" clients.py get $scheme "dir/odd/a b+é%41" theirs
    cmp few.tfrecord theirs
    tfrec shuffle --quiet many.tfrecord -o $at/set@5
    no_cache
    tfrec count "$at/set@5" | grep -q '24000 records .*in 5 files'
    fails 'no such file' tfrec count $at/none
    fails "there is no bucket 'nobucket'" tfrec count $scheme://nobucket/x
    t2t-datagen --quiet --problem=translate_ende_numbers --data_dir=$at/data --tmp_dir=tmp --max_cases=300 2>log
    no_cache
    remote_train 10
    no_cache
    remote_train 15
    grep -q "continues '$at/run' at step 10" log
done
