# https: a certificate that nobody vouches for, or for another host, is refused; https does not lead to http
for tool in python3 openssl; do
    command -v $tool >/dev/null || { echo "no $tool" >&2; exit 77; }
done
no_proxy=127.0.0.1,localhost
export no_proxy
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost \
    -addext 'subjectAltName=IP:127.0.0.1' 2>/dev/null
cat >server.py <<'END'
import http.server, ssl, threading

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path.startswith("/to-http"):
            self.send_response(302)
            self.send_header("Location", "http://127.0.0.1:%d/f" % plain.server_address[1])
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"hello")

    def log_message(self, *_):
        pass

plain = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
safe = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("cert.pem", "key.pem")
safe.socket = context.wrap_socket(safe.socket, server_side=True)
threading.Thread(target=plain.serve_forever, daemon=True).start()
print(safe.server_address[1], flush=True)
safe.serve_forever()
END
python3 server.py >port.txt 2>server.err &
server=$!
trap 'kill $server 2>/dev/null || true' EXIT
while [ ! -s port.txt ]; do
    kill -0 $server || { cat server.err >&2; exit 1; }
    sleep 0.05
done
port=$(cat port.txt)
refused() { # words, url
    rc=0
    t2t-datagen --fetch="$2" --tmp_dir=d --download_wait=0.02 --download_retries=1 >out 2>err || rc=$?
    ! grep -q 'no libcurl' err || { tail -n 1 err >&2; exit 77; }
    [ $rc = 1 ] && grep -q "$1" err || { cat err; exit 1; }
    [ ! -e d/f ]
}
refused 'certificate' "https://127.0.0.1:$port/f"
! grep -q 'trying again' err || { cat err; exit 1; }
CURL_CA_BUNDLE=$PWD/cert.pem
export CURL_CA_BUNDLE
refused 'does not match\|no alternative' "https://localhost:$port/f"
refused 'redirects from https to http: http://127.0.0.1' "https://127.0.0.1:$port/to-http/f"
t2t-datagen --fetch="https://127.0.0.1:$port/f" --tmp_dir=d >out 2>err
[ "$(cat d/f)" = hello ]
