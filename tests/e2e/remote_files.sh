# Files of a bucket and local ones are the same to every tool: S3 with signed requests, Google Cloud Storage
# with a token, a web server for reading; small and large, listed, by pattern and by @N.
. "$T2_ROOT/tests/e2e/remote_common.subr"
serve --bucket b --key AKID:topsecret:sessiontoken --bearer googletoken
export AWS_ACCESS_KEY_ID=AKID AWS_SECRET_ACCESS_KEY=topsecret AWS_SESSION_TOKEN=sessiontoken
probe
openssl genrsa -traditional 2048 >key.pem 2>/dev/null || openssl genrsa 2048 >key.pem
python3 - "$web" <<'END'
import json, random, sys
json.dump({"type": "service_account", "client_email": "me@here", "private_key": open("key.pem").read(),
           "token_uri": sys.argv[1] + "/token"}, open("account.json", "w"))
random.seed(3)
with open("many.jsonl", "w") as f:
    for i in range(12000):
        f.write(json.dumps({"id": i, "text": "%x" % random.getrandbits(6000)}) + "\n")
END
export GOOGLE_APPLICATION_CREDENTIALS=$PWD/account.json
head -n 20 many.jsonl >few.jsonl
tfrec convert --quiet many.jsonl -o many.tfrecord
tfrec convert --quiet few.jsonl -o few.tfrecord

for at in s3://b/dir gs://b/other; do
    for n in few many; do
        tfrec convert --quiet $n.jsonl -o "$at/$n.tfrecord"
        for way in warm cold; do
            [ $way = warm ] || no_cache
            tfrec cat "$at/$n.tfrecord" >out
            tfrec cat $n.tfrecord | cmp - out
            tfrec verify "$at/$n.tfrecord" >verified
        done
    done
    # a piece of a large file needs some pieces of it: how many were begun ahead is a matter of time
    no_cache && : >requests
    tfrec head -n 1 "$at/many.tfrecord" >out
    [ "$(count 'Range=bytes')" -le 6 ]
    # listed, by pattern, by @N
    tfrec shuffle --quiet --seed=1 "$at/many.tfrecord" -o "$at/set@7"
    tfrec shuffle --quiet --seed=1 many.tfrecord -o set@7
    no_cache
    for i in 0 3 6; do
        tfrec cat "$at/set-0000$i-of-00007" >out
        tfrec cat set-0000$i-of-00007 | cmp - out
    done
    tfrec count "$at/set@7" | grep -q '12000 records .*in 7 files'
    tfrec count "$at/set-*-of-00007" | grep -q '12000 records .*in 7 files'
    tfrec count "$at" | grep -q 'in 9 files'
    # an index beside a file, and record N by it
    tfrec index "$at/many.tfrecord" >indexed
    no_cache && : >requests
    tfrec get 11999 "$at/many.tfrecord" >out
    tfrec get 11999 many.tfrecord | cmp - out
    # names of all kinds
    for name in 'a b' 'x+y&z=1' 'é%41' "it's" '~#?'; do
        tfrec convert --quiet few.jsonl --to=tfrecord -o "$at/odd/$name"
        no_cache
        tfrec cat "$at/odd/$name" >out
        tfrec cat few.tfrecord | cmp - out
    done
    tfrec count "$at/odd" | grep -q 'in 5 files'
    fails "'$at/none': no such file" tfrec count "$at/none"
    t2t-vocab build --quiet --target_size=300 -o "$at/v.subwords" few.jsonl
    t2t-vocab build --quiet --target_size=300 -o v.subwords few.jsonl
    no_cache
    t2t-vocab encode --vocab="$at/v.subwords" few.jsonl >out
    t2t-vocab encode --vocab=v.subwords few.jsonl | cmp - out
done
! grep -q gs: requests # no path of ours is in a request
[ ! -e gs: ] && [ ! -e s3: ]

# What both protocols wrote is one set of objects, which a web server gives, too.
tfrec cat "$web/web/b/dir/many.tfrecord" >out
tfrec cat many.tfrecord | cmp - out
tfrec cat "$web/web/b/dir/many.tfrecord?plain" | cmp - out # a server without ranges
fails 'https:// is only read' tfrec convert few.jsonl -o "$web/web/b/x.tfrecord"
fails 'a web server has no folders' tfrec count "$web/web/b/dir/*"
fails 'a user and a password' tfrec count http://me:secret@127.0.0.1/x
fails 'signature or token' tfrec count "$web/x?X-Amz-Signature=topsecret"

# The token was asked for with what Google checks, signed by the key.
grep -q '^TOKEN' requests || tfrec count gs://b/other >/dev/null
grep '^TOKEN' requests | head -n 1 >token
openssl rsa -in key.pem -pubout >public.pem 2>/dev/null
python3 - <<'END'
import base64, json
form = json.loads(open("token").read()[6:])
head, claims, signature = form["assertion"].split(".")
un = lambda s: base64.urlsafe_b64decode(s + "=" * (-len(s) % 4))
assert json.loads(un(head)) == {"alg": "RS256", "typ": "JWT"}
c = json.loads(un(claims))
assert c["iss"] == "me@here" and c["exp"] - c["iat"] == 3600 and c["scope"].endswith("devstorage.read_write"), c
open("signed", "w").write(head + "." + claims)
open("signature", "wb").write(un(signature))
END
openssl dgst -sha256 -verify public.pem -signature signature signed >/dev/null

# No secret is ever printed.
T2_LOG=debug tfrec --verbosity=debug count s3://b/none gs://b/none >all 2>&1 || true
T2_LOG=debug tfrec count --verbosity=debug s3://b/none gs://b/none >>all 2>&1 || true
! grep -qE 'topsecret|sessiontoken|googletoken|PRIVATE' all
