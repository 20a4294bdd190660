"""Makes, with data_download, what the official Transformer's program of this name was recorded making, and compares.

  python3 tests/support/official_runs.py DATA [RUN...]   in an empty folder, data_download and t2t-vocab on PATH

What the original itself repeats (README of each run) must be equal: bytes of vocabulary and compiled text, the dev
shard with its map entries sorted, the multiset of records of each training shard, log lines.  Then ways that must
not matter: threads, memory, archives in place of text.  Prints a table; exit code 1 when a row differs.
"""
import functools
import gzip
import hashlib
import http.server
import json
import os
import shutil
import struct
import subprocess
import sys
import tarfile
import threading

DATA = os.path.abspath(sys.argv[1])
RUNS = os.path.join(DATA, "reference-runs")
DOWNLOADS = {"official-download": "official", "official-download-small": "official_small"}
ARCHIVES = (("training-parallel-nc-v12.tgz", ("nc/news-commentary-v12.de-en.en", "nc/news-commentary-v12.de-en.de")),
            ("training-parallel-commoncrawl.tgz", ("commoncrawl.de-en.en", "commoncrawl.de-en.de")),
            ("training-parallel-europarl-v7.tgz", ("training/europarl-v7.de-en.en", "training/europarl-v7.de-en.de")),
            ("dev.tgz", ("dev/newstest2013.en", "dev/newstest2013.de")))
failed = 0


def row(run, what, same, detail=""):
    global failed
    failed += not same
    print("%-38s %-34s %-9s %s" % (run, what, "equal" if same else "DIFFERENT", detail), flush=True)


def read(path):
    with open(path, "rb") as f:
        data = f.read()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def recorded(run, name):
    path = os.path.join(RUNS, run, name)
    return read(path if os.path.exists(path) else path + ".gz")


def sha(data):
    return hashlib.sha256(data).hexdigest()


def payloads(shard):
    at = 0
    while at < len(shard):
        n = struct.unpack_from("<Q", shard, at)[0]
        yield shard[at + 12:at + 12 + n]
        at += n + 16


def multiset(shard):
    return sha("".join(h + "\n" for h in sorted(sha(p) for p in payloads(shard))).encode())


def tool(*args):
    p = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if p.returncode:
        sys.exit("%s: exit code %d\n%s" % (" ".join(args), p.returncode, p.stderr.decode()))
    return p.stderr.decode()


def sums(folder):
    return {n: sha(read(os.path.join(folder, n))) for n in sorted(os.listdir(folder)) if "manifest" not in n}


def newstest2014(folder):
    os.makedirs(folder)
    for side in ("en", "de"):
        with open(os.path.join(folder, "newstest2014." + side), "wb") as f:
            f.write(read(os.path.join(DATA, "wmt-newstest-ende", "newstest2014-deen.%s.gz" % side)))


def check_log(run, log, data, raw):
    lines = [x.partition(": ")[2] for x in log.splitlines() if x.startswith("data_download: ")]
    lines = [x.replace(data, "DATA_DIR").replace(raw, "RAW_DIR") for x in lines if not x.startswith("warning: ")]
    row(run, "log lines", lines == recorded(run, "log.txt").decode().splitlines(), "%d lines" % len(lines))


def check_shards(run, data):
    table = [x.split("\t") for x in recorded(run, "shards.tsv").decode().splitlines()[1:]]
    ours = {n: read(os.path.join(data, n)) for n in os.listdir(data) if "-of-" in n}
    same = [x[0] in ours and len(ours[x[0]]) == int(x[2]) and multiset(ours[x[0]]) == x[5] for x in table]
    row(run, "records of each shard", all(same) and len(ours) == len(table), "%d of %d shards" % (sum(same), len(table)))
    in_order = [x[0] for x in table if x[0] in ours and sha(ours[x[0]]) == x[4]]
    row(run, "dev shard, SHA256SUMS.sorted", "wmt32k-dev-00001-of-00001" in in_order)


def check_download(run, recipe):
    raw, data = run + ".raw", run + ".data"
    subprocess.check_call([sys.executable, os.path.join(RUNS, "tools", "prepare.py"), recipe, DATA, raw])
    newstest2014(data)
    log = tool("data_download", "--data_dir=" + data, "--raw_dir=" + raw)
    row(run, "vocab.ende.32768", read(data + "/vocab.ende.32768") == recorded(run, "vocab.ende.32768"))
    for line in recorded(run, "SHA256SUMS.compiled").decode().splitlines():
        want, name = line.split()
        row(run, name, sha(read(os.path.join(raw, name))) == want)
    check_shards(run, data)
    check_log(run, log, data, raw)
    check_other_ways(run, raw, data)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


def serve(folder):
    """A loopback mirror of a folder; returns its address."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    os.environ["no_proxy"] = "127.0.0.1"
    return "http://127.0.0.1:%d" % server.server_port


def check_other_ways(run, raw, data):
    """The same bytes with other threads, little memory, and from archives."""
    want = sums(data)
    os.makedirs(run + ".archives")
    for name, members in ARCHIVES:
        with tarfile.open(os.path.join(run + ".archives", name), "w:gz") as t:
            for m in members:
                t.add(os.path.join(raw, m), m)
    for what, raw_dir, flags in (("1 thread", raw, ["-j1"]), ("7 threads, 1 MB", raw, ["-j7", "--shuffle_memory=1M"]),
                                 ("archives of a mirror", run + ".raw2",
                                  ["--mirror=" + serve(run + ".archives"), "--noverify_downloads"])):
        other = run + ".other"
        newstest2014(other)
        tool("data_download", "-dd", other, "-rd", raw_dir, *flags)
        row(run, "all files, " + what, sums(other) == want)
        shutil.rmtree(other)


def check_vocabulary(c):
    """A case of official-subtokenizer: bytes of the vocabulary and log lines (ids: tests/oracle)."""
    run = "official-subtokenizer/" + c["case"]
    if "recipe" in c:
        if not os.path.isdir("recipe"):
            subprocess.check_call([sys.executable, os.path.join(RUNS, "tools", "prepare.py"), c["recipe"], DATA, "recipe"])
        inputs = [os.path.join("recipe", f) for f in c["files"]]
    else:
        inputs = [os.path.join(DATA, f) for f in c["inputs"]]
    flags = ["--target_size=%d" % c["target"]]
    flags += ["--search"] if c["min_count"] is None else ["--min_count=%d" % c["min_count"]]
    flags += ["--%s=%d" % (ours, c[key]) for key, ours in (("threshold", "threshold"), ("file_byte_limit", "file_byte_budget")) if key in c]
    tool("t2t-vocab", "build", "--dialect=official", "-o", "vocab", *flags, *inputs)
    row(run, "vocab", read("vocab") == recorded(run, "vocab"))


for name, recipe in DOWNLOADS.items():
    if not sys.argv[2:] or name in sys.argv[2:]:
        check_download(name, recipe)
if not sys.argv[2:] or "official-subtokenizer" in sys.argv[2:]:
    for case in json.loads(read(os.path.join(RUNS, "official-subtokenizer", "cases.json"))):
        check_vocabulary(case)
sys.exit(failed > 0)
