# What goes wrong between a store and us: what passes is tried again and leaves no trace, what does not is a
# sentence that says what to do; nothing half is ever read or left in a bucket.
. "$T2_ROOT/tests/e2e/remote_common.subr"
serve --bucket b
export AWS_ACCESS_KEY_ID=AKID AWS_SECRET_ACCESS_KEY=topsecret
probe
python3 - <<'END'
import json, random
random.seed(3)
with open("many.jsonl", "w") as f:
    for i in range(12000):
        f.write(json.dumps({"id": i, "text": "%x" % random.getrandbits(6000)}) + "\n")
END
tfrec convert --quiet many.jsonl -o many.tfrecord
head -n 200 many.jsonl >few.jsonl
tfrec convert --quiet few.jsonl -o few.tfrecord
for at in s3://b gs://b; do
    tfrec convert --quiet many.jsonl -o $at/${at%%:*}.tfrecord
done
python3 - "$AWS_ENDPOINT_URL/b" <<'END'
import sys, urllib.request
for name, headers in (("few", {}), ("many", {"x-amz-server-side-encryption": "aws:kms"})):
    data = open(name + ".tfrecord", "rb").read()
    for at in ("/others/%s.tfrecord", "/listed/%s-00000-of-00001"):
        urllib.request.urlopen(urllib.request.Request(sys.argv[1] + at % name, data, headers, method="PUT"))
END
check() { # path: read whole, without what is in the cache
    no_cache
    timeout 60 tfrec cat "$1" >out
    tfrec cat many.tfrecord | cmp - out
}
fault() { printf '%s\n' "$@" >faults; }

# ---- what passes ----
for kind in 429 500 503:SlowDown cut close length; do
    fault "GET ^/b/s3.tfrecord $kind 3" "GET alt=media $kind 3" "GET fields=name $kind 2"
    [ $kind = length ] || echo "HEAD . $kind 2" >>faults
    check s3://b/s3.tfrecord
    check gs://b/gs.tfrecord
    fault "PUT . $kind 3" "POST . $kind 2"
    for at in s3://b gs://b; do
        tfrec convert --quiet many.jsonl -o $at/again.tfrecord
        : >faults
        check $at/again.tfrecord
        fault "PUT . $kind 3" "POST . $kind 2 " # counted anew
    done
done
: >faults

# ---- objects of others: an ETag is no MD5 where a key of KMS or of the customer encrypts ----
check s3://b/others/many.tfrecord
: >requests
no_cache && tfrec count s3://b/listed/many@1 >/dev/null # what a listing names is not asked for first
[ "$(count HEAD)" = 0 ] && [ "$(count list-type)" -ge 1 ]
: >faults

# ---- what does not ----
export T2_REMOTE_TRIES=2
no_cache
fault '* ^/b/s3 403:AccessDenied' && fails 'AWS_ACCESS_KEY_ID may not read here.*ask the owner' tfrec count s3://b/s3.tfrecord
fault 'GET ^/b/s3 403:AccessDenied' && fails 'AWS_ACCESS_KEY_ID may not read here.*ask the owner' tfrec count s3://b/s3.tfrecord
fault '* ^/b/s3 400:ExpiredToken' && fails 'have expired or were withdrawn; renew them (aws sso' tfrec count s3://b/s3.tfrecord
fault '* ^/b/s3 skew' && fails "clock is 3[56][0-9]* s behind of the server's.*set the clock" tfrec count s3://b/s3.tfrecord
fault 'GET ^/b/s3 403:InvalidAccessKeyId' && fails 'does not know the credentials of AWS_ACCESS_KEY_ID' tfrec count s3://b/s3.tfrecord
fault 'GET ^/b/s3 301:PermanentRedirect' && fails 'set AWS_REGION' tfrec count s3://b/s3.tfrecord
fault 'GET ^/b/s3 503:SlowDown' && fails 'is busy and refused every try.*T2_REMOTE_PARALLEL' tfrec count s3://b/s3.tfrecord
fault 'GET ^/b/s3 500:InternalError' && fails 'failed at every try (500 InternalError)' tfrec count s3://b/s3.tfrecord
fault 'GET ^/b/s3 close' && fails '2 tries failed' tfrec count s3://b/s3.tfrecord
fault 'GET ^/b/s3 404:NoSuchBucket' && fails "there is no bucket 'b'" tfrec count s3://b/s3.tfrecord
fault 'GET alt=media 403:forbidden' && fails 'GOOGLE_APPLICATION_CREDENTIALS' tfrec count gs://b/gs.tfrecord
fault 'GET alt=media 401:authError' && fails 'GOOGLE_APPLICATION_CREDENTIALS' tfrec count gs://b/gs.tfrecord
: >faults
openssl genrsa -traditional 2048 >key.pem 2>/dev/null || openssl genrsa 2048 >key.pem
python3 - "$web" <<'END'
import json, sys
json.dump({"type": "service_account", "client_email": "me@here", "private_key": open("key.pem").read(),
           "token_uri": sys.argv[1] + "/token"}, open("account.json", "w"))
END
GOOGLE_APPLICATION_CREDENTIALS=$PWD/account.json
export GOOGLE_APPLICATION_CREDENTIALS
fault 'POST ^/token skew' && fails "clock is 3[56][0-9]* s behind of the server's.*set the clock" tfrec count gs://b/gs.tfrecord
fault 'POST ^/token 400:invalid_grant' && fails "account.json' have expired or were withdrawn; renew them (gcloud auth" tfrec count gs://b/gs.tfrecord
fault 'POST ^/token 401:invalid_client' && fails "does not know the credentials of '.*account.json' (invalid_client)" tfrec count gs://b/gs.tfrecord
fault 'GET alt=media 401:authError' && fails "does not know the credentials of '.*account.json' (authError)" tfrec count gs://b/gs.tfrecord
fault 'GET alt=media 403:forbidden' && fails "account.json' may not read here" tfrec count gs://b/gs.tfrecord
unset GOOGLE_APPLICATION_CREDENTIALS
: >faults
fails "there is no bucket 'none'" tfrec count s3://none/x
fails "there is no bucket 'none'" tfrec count gs://none/x
fails "there is no bucket 'none'" tfrec convert many.jsonl -o s3://none/x.tfrecord
fails "there is no bucket 'none'" tfrec convert many.jsonl -o gs://none/x.tfrecord
fails 'the name of a bucket is wanted' tfrec count gs:///x

# ---- bytes that are not the object's ----
fault 'HEAD . length' && fails 'other bytes than those asked for' tfrec count s3://b/s3.tfrecord
fault 'GET ^/b/s3 flip 1' && fails 'CRC-32C\|CRC mismatch\|checksum' tfrec count s3://b/s3.tfrecord
fault 'GET alt=media flip 1' && fails 'MD5\|CRC mismatch\|checksum' tfrec count gs://b/gs.tfrecord
fault 'GET ^/b/others flip 1' && fails 'have the MD5' tfrec count s3://b/others/few.tfrecord
fault 'GET ^/b/s3 range' && fails 'other bytes than those asked for' tfrec count s3://b/s3.tfrecord
fault 'GET alt=media range' && fails 'other bytes than those asked for' tfrec count gs://b/gs.tfrecord
: >faults
check s3://b/s3.tfrecord # and a bad copy is not kept
check gs://b/gs.tfrecord
# replaced while it is read
fault 'GET ^/b/s3 changed 1' && no_cache && fails 'was changed while it was read' tfrec count s3://b/s3.tfrecord
fault 'GET alt=media changed 1' && no_cache && fails 'was changed or removed while it was read' tfrec count gs://b/gs.tfrecord

# ---- hostile listings ----
listing() { # text of the message, bytes
    printf '%b' "$2" >listing
    fault 'GET list-type answer:listing' 'GET ^/storage/v1/b/b/o\?delimiter answer:listing'
    fails "$1" tfrec count "$3"
}
x='<ListBucketResult><Contents><Key>'
listing 'XML, offset' '<ListBucketResult><Contents>' s3://b/d
listing 'document type' '<!DOCTYPE a [<!ENTITY b "c">]><a/>' s3://b/d
listing 'not UTF-8' "$x\\377</Key></Contents></ListBucketResult>" s3://b/d
listing 'was not asked for' "$x/etc/passwd</Key><Size>1</Size></Contents></ListBucketResult>" s3://b/d
listing 'without end' "$(printf '<a>%.0s' $(seq 40))" s3://b/d
listing 'is no listing' '<html></html>' s3://b/d
listing 'says not how it goes on' '<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>' s3://b/d
listing 'is no listing' '[1, 2]' gs://b/d
listing 'gs://b/d:1:' '{"items": [' gs://b/d
listing 'without a size' '{"items": [{"name": "d/x", "size": "-1"}]}' gs://b/d
: >faults

# ---- an upload that fails leaves what was there ----
no_cache
tfrec convert --quiet many.jsonl -o s3://b/kept.tfrecord
for kind in 403:AccessDenied 500 close; do
    for step in 'PUT partNumber=2' 'POST uploadId=' 'POST uploads='; do
        fault "$step $kind"
        fails s3://b/kept.tfrecord tfrec shuffle many.tfrecord -o s3://b/kept.tfrecord
        : >faults
        check s3://b/kept.tfrecord
        fault "$step $kind"
        fails s3://b/new.tfrecord tfrec shuffle many.tfrecord -o s3://b/new.tfrecord
        : >faults
        fails 'no such file' tfrec count s3://b/new.tfrecord
    done
done

# ---- parts are compared with a CRC-32C where the store knows it, else with an MD5 ----
sums() { # pattern of the header, file: the part was refused once, and came again
    [ "$(grep -c "PUT .*partNumber=1.*$1=" requests)" = 2 ] && check s3://b/$2.tfrecord
}
: >requests
fault 'POST uploads checksums' 'PUT partNumber=1 damage 1'
tfrec convert --quiet many.jsonl -o s3://b/crc.tfrecord
sums x-amz-checksum-crc32c crc
! grep -q 'PUT .*Content-MD5' requests
: >requests
fault 'POST uploads 501:NotImplemented 1' 'PUT partNumber=1 damage 1 ' # counted anew
tfrec convert --quiet many.jsonl -o s3://b/md5.tfrecord
sums Content-MD5 md5
! grep -q x-amz-checksum-crc32c requests

tfrec convert --quiet many.jsonl -o gs://b/kept.tfrecord
fault 'PUT upload_id 500'
fails gs://b/kept.tfrecord tfrec shuffle many.tfrecord -o gs://b/kept.tfrecord
: >faults
check gs://b/kept.tfrecord

# ---- the cache has a limit, and is not needed ----
no_cache
T2_CACHE_SIZE=1K tfrec count s3://b/kept.tfrecord gs://b/kept.tfrecord >/dev/null
[ "$(find cache/objects -type f | wc -l)" = 0 ]
[ "$(find cache/incoming -type f | wc -l)" = 0 ]
tfrec count s3://b/kept.tfrecord >/dev/null
fails "T2_CACHE_SIZE is 'much'" env T2_CACHE_SIZE=much tfrec count s3://b/kept.tfrecord
