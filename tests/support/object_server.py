"""A server of objects on loopback, for tests: S3 below /<bucket>/, Google Cloud Storage below /storage/v1/ and
/upload/storage/v1/, and the same objects as plain files below /web/<bucket>/.

    object_server.py [--port-file FILE] [--faults FILE] [--log FILE] [--key ID:SECRET[:TOKEN]] [--bearer TOKEN] [--folder DIR]

Objects are kept in memory, or below --folder.  --key: requests to S3 must be signed by it (version 4); --bearer: requests to
Google's must carry it.  --faults names a file that is read anew for every request, of lines "METHOD REGEX FAULT [TIMES]": the
first whose METHOD ('*' is any) and REGEX fit the method and path with query; FAULT is one of

    <status>[:<code>]   that answer, with an error text of the protocol
    cut                 half of the body, then the connection is closed
    close               the connection is closed at once
    flip                one bit of the body is another
    length              a body of fewer bytes than Content-Length says, the connection is kept until it is closed
    range               Content-Range of other bytes
    skew                the answer of S3 to a wrong clock, with a Date an hour away
    wait:<seconds>      later
    answer:<file>       the bytes of the file as a body
    changed             the object has another version from now on
    damage              one bit of what is sent here is another
    checksums           to a POST of uploads: CRC-32C of the parts are known here, and compared

Every request is a line of --log: "METHOD path?query [headers that matter]"."""
import argparse
import base64
import email.utils
import hashlib
import hmac
import http.server
import json
import os
import re
import socket
import socketserver
import threading
import time
import urllib.parse
from xml.sax.saxutils import escape

options = None
objects = {}  # bucket: {key: object}
uploads = {}
lock = threading.RLock()
fault_counts = {}
TABLE = []
for n in range(256):
    for _ in range(8):
        n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
    TABLE.append(n)


def crc32c(data):
    """Slow: only for objects of tests."""
    state = 0xFFFFFFFF
    for byte in data:
        state = TABLE[(state ^ byte) & 255] ^ state >> 8
    return state ^ 0xFFFFFFFF


class Object:
    generations = int(time.time() * 1000000)

    def __init__(self, data, headers=None, etag=None):
        Object.generations += 1
        self.data = data
        self.generation = Object.generations
        self.etag = etag or '"%s"' % hashlib.md5(data).hexdigest()
        self.changed = time.time()
        self.meta = {k.lower(): v for k, v in (headers or {}).items() if k.lower().startswith(("x-amz-meta-", "x-amz-server-side"))}
        if "x-amz-server-side-encryption" in self.meta:  # with a key of its own: 32 digits that are no MD5
            self.etag = '"%s"' % hashlib.md5(self.etag.encode()).hexdigest()
        self.crc = None

    def crc32c(self):
        if self.crc is None:
            self.crc = base64.b64encode(crc32c(self.data).to_bytes(4, "big")).decode()
        return self.crc

    def gcs(self, key):
        found = {"kind": "storage#object", "name": key, "size": str(len(self.data)), "generation": str(self.generation),
                 "md5Hash": base64.b64encode(hashlib.md5(self.data).digest()).decode(), "updated": self.iso()}
        if len(self.data) < 1 << 16:
            found["crc32c"] = self.crc32c()
        return found

    def iso(self):
        return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(self.changed))


def folder_of(bucket, key=""):
    return os.path.join(options.folder, bucket, *key.split("/"))


def load_folder():
    for bucket in os.listdir(options.folder):
        objects[bucket] = {}
        for here, _, names in os.walk(folder_of(bucket)):
            for name in names:
                path = os.path.join(here, name)
                with open(path, "rb") as f:
                    objects[bucket][os.path.relpath(path, folder_of(bucket))] = Object(f.read())


def store(bucket, key, found):
    with lock:
        objects[bucket][key] = found
        if options.folder:
            path = folder_of(bucket, key)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path + ".new", "wb") as f:
                f.write(found.data)
            os.replace(path + ".new", path)


def erase(bucket, key):
    with lock:
        found = objects[bucket].pop(key, None)
        if found and options.folder:
            os.unlink(folder_of(bucket, key))
        return found


def listing(bucket, prefix, delimiter, start, most):
    """Keys and folders from `start` on, at most so many, and where the next page begins."""
    keys, folders, last = [], [], None
    with lock:
        names = sorted(objects[bucket])
    for key in names:
        if not key.startswith(prefix):
            continue
        at = key.find(delimiter, len(prefix)) if delimiter else -1
        name = key if at < 0 else key[:at + 1]
        if name <= start or name in folders[-1:]:
            continue
        if len(keys) + len(folders) == most:
            return keys, folders, last
        (keys if at < 0 else folders).append(name)
        last = name
    return keys, folders, None


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "object-server"
    disable_nagle_algorithm = True
    wbufsize = 1 << 16

    def log_message(self, *words):
        pass

    # ---- answers ----

    def answer(self, status, body=b"", headers=None, length=None):
        if self.fault == "flip" and body:
            middle = len(body) // 2
            body = body[:middle] + bytes([body[middle] ^ 1]) + body[middle + 1:]
        if self.fault == "length":
            length = len(body) + 100
        headers = dict(headers or {})
        if self.fault == "range" and "Content-Range" in headers:
            headers["Content-Range"] = "bytes 1-%d/%d" % (len(body), len(body) + 1)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        if self.command == "HEAD":
            return
        if self.fault == "cut":
            self.wfile.write(body[:len(body) // 2])
            self.wfile.flush()
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self.wfile.write(body)
        if self.fault == "length":
            self.wfile.flush()
            self.close_connection = True

    def error(self, status, code="", headers=None):
        if self.path == "/token":
            body = json.dumps({"error": code, "error_description": "the server says " + code}).encode()
        elif self.path.startswith(("/storage/", "/upload/")):
            body = json.dumps({"error": {"code": status, "message": "the server says " + code,
                                         "errors": [{"reason": code, "message": "the server says " + code}]}}).encode()
        else:
            body = ('<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>%s</Code><Message>the server says %s</Message>'
                    '</Error>' % (escape(code), escape(code))).encode()
        self.fault = None
        self.answer(status, body, headers)

    def send_object(self, found, headers):
        size = len(found.data)
        match = re.match(r"bytes=(\d+)-(\d*)$", self.headers.get("Range", ""))
        if not match:
            return self.answer(200, found.data, headers)
        first = int(match.group(1))
        last = min(int(match.group(2) or size - 1), size - 1)
        if first > last:
            return self.error(416, "InvalidRange")
        headers["Content-Range"] = "bytes %d-%d/%d" % (first, last, size)
        return self.answer(206, found.data[first:last + 1], headers)

    # ---- faults ----

    def find_fault(self):
        if not options.faults or not os.path.exists(options.faults):
            return None
        with open(options.faults) as f:
            lines = f.read().splitlines()
        for line in lines:
            words = line.split()
            if len(words) < 3 or words[0] not in ("*", self.command) or not re.search(words[1], self.path):
                continue
            with lock:
                count = fault_counts.get(line, 0)
                if len(words) > 3 and count >= int(words[3]):
                    continue
                fault_counts[line] = count + 1
            return words[2]
        return None

    def strike(self, fault):
        """True when the fault has answered."""
        if fault == "close":
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return True
        if fault == "skew":
            self.date_time_string = lambda timestamp=None: email.utils.formatdate(time.time() + 3600, usegmt=True)
            self.error(400, "invalid_grant") if self.path == "/token" else self.error(403, "RequestTimeTooSkewed")
            del self.date_time_string
            return True
        if fault.startswith("wait:"):
            time.sleep(float(fault[5:]))
            return False
        if fault.startswith("answer:"):
            with open(fault[7:], "rb") as f:
                self.answer(200, f.read(), {"Content-Type": "application/xml"})
            return True
        if re.match(r"\d{3}(:|$)", fault):
            status, _, code = fault.partition(":")
            self.error(int(status), code, {"Retry-After": "0"} if status in ("429", "503") else None)
            return True
        self.fault = fault
        return False

    # ---- requests ----

    def handle_one_request(self):
        self.fault = None
        try:
            super().handle_one_request()
        except (ConnectionError, BrokenPipeError, OSError):
            self.close_connection = True

    def do(self):
        length = int(self.headers.get("Content-Length") or 0)
        self.body = self.rfile.read(length) if length else b""
        if options.log:
            words = ["%s=%s" % (k, self.headers[k]) for k in ("Range", "If-Match", "Content-Range", "Content-MD5", "x-amz-checksum-crc32c") if self.headers[k]]
            with lock, open(options.log, "a") as f:
                f.write(" ".join([self.command, self.path] + words) + "\n")
        fault = self.find_fault()
        if fault and self.strike(fault):
            return
        path, _, query = self.path.partition("?")
        self.query = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
        if path == "/token":
            return self.token()
        if path.startswith("/storage/v1/b/") or path.startswith("/upload/storage/v1/b/"):
            return self.gcs(path)
        if path.startswith("/web/"):
            return self.web(path[5:])
        return self.s3(path, query)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = do

    def token(self):
        form = dict(urllib.parse.parse_qsl(self.body.decode()))
        if form.get("grant_type") not in ("urn:ietf:params:oauth:grant-type:jwt-bearer", "refresh_token"):
            return self.error(400, "invalid_grant")
        if options.log:
            with lock, open(options.log, "a") as f:
                f.write("TOKEN %s\n" % json.dumps(form))
        self.answer(200, json.dumps({"access_token": options.bearer or "token", "expires_in": 3599, "token_type": "Bearer"}).encode())

    def web(self, path):
        bucket, _, key = urllib.parse.unquote(path).partition("/")
        found = objects.get(bucket, {}).get(key)
        if not found:
            return self.answer(404, b"<html>not here</html>")
        headers = {"ETag": found.etag, "Accept-Ranges": "bytes",
                   "Last-Modified": email.utils.formatdate(found.changed, usegmt=True)}
        if "plain" in self.query:
            del headers["Accept-Ranges"]
            return self.answer(200, found.data, headers)
        self.send_object(found, headers)

    # ---- S3 ----

    def signature_of(self, path, query):
        """What version 4 makes of this request."""
        match = re.match(r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d+)/([^/]+)/s3/aws4_request, ?SignedHeaders=([^,]+), ?Signature=(\w+)",
                         self.headers.get("Authorization", ""))
        if not match:
            return None, None, "AccessDenied"
        key, day, region, names, signature = match.groups()
        pairs = sorted(p if "=" in p else p + "=" for p in query.split("&")) if query else []
        lines = "".join("%s:%s\n" % (n, " ".join((self.headers.get(n) or "").split())) for n in names.split(";"))
        payload = self.headers.get("x-amz-content-sha256", hashlib.sha256(self.body).hexdigest())
        if payload not in ("UNSIGNED-PAYLOAD", hashlib.sha256(self.body).hexdigest()):
            return None, None, "XAmzContentSHA256Mismatch"
        request = "\n".join([self.command, path, "&".join(pairs), lines, names, payload])
        text = "\n".join(["AWS4-HMAC-SHA256", self.headers["x-amz-date"], "%s/%s/s3/aws4_request" % (day, region),
                          hashlib.sha256(request.encode()).hexdigest()])
        secret = ("AWS4" + options.key.split(":")[1]).encode()
        for word in (day, region, "s3", "aws4_request"):
            secret = hmac.new(secret, word.encode(), hashlib.sha256).digest()
        right = hmac.new(secret, text.encode(), hashlib.sha256).hexdigest()
        if key != options.key.split(":")[0]:
            return None, None, "InvalidAccessKeyId"
        if options.key.count(":") == 2 and (self.headers.get("x-amz-security-token") != options.key.split(":")[2] or
                                            "x-amz-security-token" not in names):
            return None, None, "InvalidToken"
        return signature, right, "SignatureDoesNotMatch"

    def s3(self, path, query):
        if options.key:
            signature, right, code = self.signature_of(path, query)
            if signature is None or signature != right:
                return self.error(403, code)
        bucket, _, key = urllib.parse.unquote(path[1:]).partition("/")
        if bucket not in objects:
            return self.error(404, "NoSuchBucket")
        if not key:
            return self.s3_list(bucket)
        if self.command in ("PUT", "POST", "DELETE") and ("uploadId" in self.query or "uploads" in self.query):
            return self.s3_parts(bucket, key)
        if self.command == "PUT":
            found = self.s3_sent(Object(self.body, self.headers))
            if found:
                store(bucket, key, found)
                self.answer(200, b"", {"ETag": found.etag})
            return None
        if self.command == "DELETE":
            erase(bucket, key)
            return self.answer(204)
        found = objects[bucket].get(key)
        if not found:
            return self.error(404, "NoSuchKey")
        if self.fault == "changed":
            found = Object(found.data + b"!")
            store(bucket, key, found)
        if self.headers.get("If-Match", found.etag) != found.etag:
            return self.error(412, "PreconditionFailed")
        headers = {"ETag": found.etag, "Accept-Ranges": "bytes", **found.meta,
                   "Last-Modified": email.utils.formatdate(found.changed, usegmt=True)}
        return self.send_object(found, headers)

    def s3_sent(self, found):
        if self.fault == "damage":
            self.body = bytes([self.body[0] ^ 1]) + self.body[1:]
            found = Object(self.body)
        said = self.headers.get("Content-MD5")
        if said and base64.b64decode(said) != hashlib.md5(self.body).digest():
            self.error(400, "BadDigest")
            return None
        said = self.headers.get("x-amz-checksum-crc32c")
        if said and base64.b64decode(said) != crc32c(self.body).to_bytes(4, "big"):
            self.error(400, "BadDigest")
            return None
        return found

    def s3_list(self, bucket):
        q = self.query
        keys, folders, after = listing(bucket, q.get("prefix", ""), q.get("delimiter"),
                                       q.get("continuation-token", ""), int(q.get("max-keys", 1000)))
        name = urllib.parse.quote_plus if q.get("encoding-type") == "url" else escape
        text = ['<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">']
        text.append("<IsTruncated>%s</IsTruncated>" % ("true" if after else "false"))
        for key in keys:
            o = objects[bucket][key]
            text.append("<Contents><Key>%s</Key><LastModified>%s</LastModified><ETag>%s</ETag><Size>%d</Size></Contents>" %
                        (name(key), o.iso(), escape(o.etag, {'"': "&quot;"}), len(o.data)))
        text += ["<CommonPrefixes><Prefix>%s</Prefix></CommonPrefixes>" % name(f) for f in folders]
        if q.get("encoding-type") == "url":
            text.append("<EncodingType>url</EncodingType>")
        if after:
            text.append("<NextContinuationToken>%s</NextContinuationToken>" % escape(after))
        text.append("</ListBucketResult>")
        self.answer(200, "".join(text).encode(), {"Content-Type": "application/xml"})

    def s3_parts(self, bucket, key):
        if "uploads" in self.query:
            with lock:
                name = "upload %d/+" % (len(uploads) + 1)
                uploads[name] = {"headers": self.headers, "parts": {}}
                uploads[name]["checksums"] = self.fault == "checksums"
            known = {"x-amz-checksum-algorithm": self.headers["x-amz-checksum-algorithm"]} if self.fault == "checksums" else {}
            return self.answer(200, ("<InitiateMultipartUploadResult><UploadId>%s</UploadId>"
                                     "</InitiateMultipartUploadResult>" % name).encode(), known)
        upload = uploads.get(self.query["uploadId"])
        if not upload:
            return self.error(404, "NoSuchUpload")
        if self.command == "PUT":
            part = self.s3_sent(Object(self.body))
            if part:
                upload["parts"][int(self.query["partNumber"])] = part
                self.answer(200, b"", {"ETag": part.etag})
            return None
        del uploads[self.query["uploadId"]]
        if self.command == "DELETE":
            return self.answer(204)
        numbers = [int(n) for n in re.findall(rb"<PartNumber>(\d+)</PartNumber>", self.body)]
        parts = [upload["parts"][n] for n in numbers]
        sums = re.findall(rb"<ChecksumCRC32C>([^<]*)</ChecksumCRC32C>", self.body)
        if upload["checksums"] and sums != [p.crc32c().encode() for p in parts]:
            return self.error(400, "InvalidPart")
        digest = hashlib.md5(b"".join(bytes.fromhex(p.etag.strip('"')) for p in parts)).hexdigest()
        found = Object(b"".join(p.data for p in parts), upload["headers"], '"%s-%d"' % (digest, len(parts)))
        store(bucket, key, found)
        return self.answer(200, ("<CompleteMultipartUploadResult><ETag>%s</ETag></CompleteMultipartUploadResult>" %
                                 escape(found.etag)).encode())

    # ---- Google Cloud Storage ----

    def gcs(self, path):
        if options.bearer and self.headers.get("Authorization") != "Bearer " + options.bearer:
            return self.error(401, "authError")
        match = re.match(r"/(upload/)?storage/v1/b/([^/]+)/o(?:/(.+))?$", path)
        if not match or match.group(2) not in objects:
            return self.error(404, "notFound")
        bucket, key = match.group(2), urllib.parse.unquote(match.group(3) or "")
        if match.group(1):
            return self.gcs_upload(bucket)
        if not key:
            q = self.query
            keys, folders, after = listing(bucket, q.get("prefix", ""), q.get("delimiter"), q.get("pageToken", ""),
                                           int(q.get("maxResults", 1000)))
            page = {"items": [objects[bucket][k].gcs(k) for k in keys], "prefixes": folders}
            if after:
                page["nextPageToken"] = after
            return self.answer(200, json.dumps({k: v for k, v in page.items() if v}).encode())
        found = objects[bucket].get(key)
        if not found:
            return self.error(404, "notFound")
        if self.command == "DELETE":
            erase(bucket, key)
            return self.answer(204)
        if self.fault == "changed":
            found = Object(found.data + b"!")
            store(bucket, key, found)
        if self.query.get("generation", str(found.generation)) != str(found.generation):
            return self.error(404, "notFound")
        if self.query.get("alt") != "media":
            return self.answer(200, json.dumps(found.gcs(key)).encode())
        return self.send_object(found, {"x-goog-generation": str(found.generation)})

    def gcs_store(self, bucket, metadata, data):
        found = Object(data)
        if len(data) < 1 << 16 and metadata.get("crc32c", found.crc32c()) != found.crc32c():
            return self.error(400, "invalid")
        store(bucket, metadata["name"], found)
        return self.answer(200, json.dumps(found.gcs(metadata["name"])).encode())

    def gcs_upload(self, bucket):
        if self.query.get("uploadType") == "multipart":
            mark = b"--" + re.search(r"boundary=(\S+)", self.headers["Content-Type"]).group(1).encode()
            _, first, rest = self.body.split(mark, 2)
            data = rest.split(b"\r\n\r\n", 1)[1]
            return self.gcs_store(bucket, json.loads(first.split(b"\r\n\r\n", 1)[1]), data[:data.rindex(b"\r\n" + mark)])
        if self.command == "POST":
            with lock:
                name = str(len(uploads) + 1)
                uploads[name] = {"metadata": json.loads(self.body), "data": b""}
            return self.answer(200, b"", {"Location": "http://%s/upload/storage/v1/b/%s/o?upload_id=%s" %
                                          (self.headers["Host"], bucket, name)})
        upload = uploads[self.query["upload_id"]]
        span = re.match(r"bytes (?:(\d+)-(\d+)|\*)/(\d+)", self.headers["Content-Range"])
        if span.group(1) is not None and int(span.group(1)) <= len(upload["data"]):
            upload["data"] = upload["data"][:int(span.group(1))] + self.body
        if len(upload["data"]) == int(span.group(3)):
            return self.gcs_store(bucket, upload["metadata"], upload["data"])
        return self.answer(308, b"", {"Range": "bytes=0-%d" % (len(upload["data"]) - 1)} if upload["data"] else None)


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 256


def main():
    global options
    parser = argparse.ArgumentParser()
    for name in ("port-file", "faults", "log", "key", "bearer", "folder"):
        parser.add_argument("--" + name)
    parser.add_argument("--bucket", action="append", default=[])
    options = parser.parse_args()
    if options.folder:
        load_folder()
    for bucket in options.bucket:
        objects.setdefault(bucket, {})
    server = Server(("127.0.0.1", 0), Handler)
    if options.port_file:
        with open(options.port_file + ".new", "w") as f:
            f.write("%d\n" % server.server_address[1])
        os.replace(options.port_file + ".new", options.port_file)
    server.serve_forever()


if __name__ == "__main__":
    main()
