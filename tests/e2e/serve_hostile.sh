# t2t-decoder --serve: requests that make no sense, are too much, or come too slowly are answered with an error, and the
# server goes on; one model file is all it needs.
. "$T2_ROOT/tests/e2e/train_common.subr"
. "$T2_ROOT/tests/e2e/serve_common.subr"
command -v python3 >/dev/null || { echo "no python3" >&2; exit 77; }

data data 400
train run 8
t2t-exporter --quiet --output_dir=run --data_dir=data --format=bundle --export_dir=model.safetensors >/dev/null
serve --model=./model.safetensors --decode_hparams=beam_size=1,extra_length=4 --serve_name=my.model-1 \
    --serve_body=20000 --serve_instances=3 --serve_ids=40 --serve_queue=3 --serve_timeout=5
predict=${url}v1/models/my.model-1:predict

answers 200 -d '{"instances": ["1 2 3"]}' "$predict"
cp answer good

bad() { # TEXT BODY
    refuses 400 "$1" --data-binary "$2" "$predict"
}
bad 'body:' ''
bad 'body:' '{"instances": ["1"]'
bad "not a JSON object" '[]'
bad 'either "instances" or "inputs"' '{}'
bad 'either "instances" or "inputs"' '{"instances": [], "inputs": []}'
bad 'is not a list' '{"instances": "text"}'
bad 'is not a list' '{"instances": {"b64": ""}}'
bad 'no instance' '{"instances": []}'
bad 'signature_name' '{"signature_name": 7, "instances": ["1"]}'
bad 'instance 1: expected a text' '{"instances": ["1", null]}'
bad 'instance 0: expected a text' '{"instances": [{"input": {"input": {"input": {"input": "1"}}}}]}'
bad 'instance 0: expected a text' '{"instances": [{"input": "1", "inputs": "1"}]}'
bad 'not a string in base64' '{"instances": [{"b64": "*"}]}'
bad 'instance 0: ' '{"instances": [{"b64": "AAAA"}]}'
bad "no ids in the feature 'inputs'" '{"instances": [{"b64": ""}]}'
bad 'item 1 of the list is not an id' '{"instances": [[1, -1]]}'
bad 'item 0 of the list is not an id' '{"instances": [[4294967296]]}'
bad 'the list of ids is empty' '{"instances": [[]]}'
bad 'id 1000000 is not one of' '{"instances": [[1000000, 1]]}'
bad 'ids are more than the 40' "{\"instances\": [\"$(seq -s ' ' 50)\"]}"
bad 'body:' "$(printf '{"instances": ["\377"]}')"
bad 'body:' '{"instances": ["\u0000"]}'
bad 'body:' '{"instances": ["\ud800"]}'
refuses 413 '4 instances are more than the 3' -d '{"instances": ["1", "2", "3", "4"]}' "$predict"
for n in 5000 19000; do # deep
    head -c $n /dev/zero | tr '\0' '[' >deep
    bad 'body:' @deep
done
head -c 19000 /dev/urandom >random
bad '' @random
head -c 60000 /dev/zero >long
refuses 413 'longer than 20000 bytes' -H 'Expect:' --data-binary @long "$predict"
refuses 413 'longer than 20000 bytes' -H 'Expect:' -H 'Transfer-Encoding: chunked' --data-binary @long "$predict"
refuses 413 'longer than 20000 bytes' -H 'Expect: 100-continue' --data-binary @long "$predict"

refuses 404 'Latest(other)' -d '{}' "${url}v1/models/other:predict"
refuses 404 'Specific(my.model-1, 7)' -d '{}' "${url}v1/models/my.model-1/versions/7:predict"
for path in v1 v1/models/ v1/models/my.model-1/versions/x:predict v1/models/my.model-1/versions/99999999999999999999 \
    v1/models/my.model-1:explain v1/models/my.model-1%3Apredict ../../etc/passwd v1/models/../../etc/passwd \
    v1/models/my.model-1%00:predict '%2e%2e/etc/passwd'; do
    refuses 404 'nothing is here' --path-as-is -d '{}' "$url$path"
done
refuses 400 ':predict alone' -d '{}' "${url}v1/models/my.model-1:classify"
refuses 405 'only POST' "$predict"
grep -qi '^Allow: POST' head
refuses 405 'only GET' -X DELETE "${url}v1/models/my.model-1"
refuses 405 'only GET' -d x "${url}metrics"

# what curl does not send: no HTTP, a head without end, a body that stops; a client that leaves while it is waited for
python3 - "$url" <<'END'
import socket, sys, time
host, port = sys.argv[1][len("http://"):].rstrip("/").split(":")
def connect(data):
    s = socket.create_connection((host, int(port)), timeout=60)
    s.sendall(data)
    return s
def ends(s):  # the server closes, sooner or later
    try:
        while s.recv(65536):
            pass
    except ConnectionError:
        pass
    s.close()
head = b"POST /v1/models/my.model-1:predict HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n"
slow = [connect(b"POST /v1"), connect(head % 100 + b'{"instances"'), connect(b"\x16\x03\x01\x00\xff" + b"\0" * 300)]
ends(connect(bytes(range(256)) * 400))
ends(connect(b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\n\r\n"))
ends(connect(b"GET / HTTP/1.1\r\n" + b"x: y\r\n" * 20000 + b"\r\n"))
body = b'{"instances": ["1 2 3"]}'
for _ in range(3):
    connect(head % len(body) + body).close()
# a body that drips is cut off, though it never pauses; and so are, meanwhile, those that say nothing more
s = connect(head % 10000)
since = time.time()
try:
    while time.time() - since < 60:
        s.sendall(b" ")
        time.sleep(0.2)
    sys.exit("a dripping body was read for a minute")
except ConnectionError:
    pass
for s in slow:
    ends(s)
END

# requests beyond the queue are refused, and only those
clients=
for i in $(seq 12); do
    curl -sS --max-time 60 -o "many.$i" -D "many.$i.head" -d '{"instances": ["1 2 3", "1 2 3", "1 2 3"]}' "$predict" &
    clients="$clients $!"
done
for p in $clients; do
    wait "$p"
done
for i in $(seq 12); do
    case $(head -n 1 "many.$i.head") in
    *' 200 '*) ;;
    *' 503 '*) grep -q 'waited too long' "many.$i" ;; # a machine that is very slow
    *' 429 '*) grep -qi '^Retry-After: 1' "many.$i.head" && grep -q 'too many requests' "many.$i" ;;
    *) cat "many.$i.head" >&2 && exit 1 ;;
    esac
done

answers 200 -d '{"instances": ["1 2 3"]}' "$predict"
cmp good answer
stop_server

fails 2 t2t-decoder --serve=127.0.0.1 --model=./model.safetensors 2>err
says err 'expected an address and a port'
fails 2 t2t-decoder --serve=host:80 --model=./model.safetensors 2>err
says err 'expected an address and a port'
fails 1 t2t-decoder --serve=192.0.2.1:0 --model=./model.safetensors 2>err
says err 'cannot listen there'
fails 2 t2t-decoder --serve=127.0.0.1:0 --serve_queue=2 --serve_instances=3 --model=./model.safetensors 2>err
says err 'is less than the 3 of --serve_instances'
fails 2 t2t-decoder --serve=127.0.0.1:0 --decode_from_file=x --model=./model.safetensors 2>err
says err '--serve excludes --decode_from_file'
