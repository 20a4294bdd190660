"""Objects of a bucket on loopback, in pairs with rclone and boto3: 1,000 objects of 100 KB and one of 512 MB, brought and
sent.  The server is tests/support/object_server.py, the same for all.

    bench_remote.py [--python PYTHON_WITH_BOTO3] [--pairs 3] [--many 1000] [--large 512]

A line of JSON for each figure: seconds of ours and of the other, and the ratio of the medians."""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BOTO = """
import os, sys, boto3
from boto3.s3.transfer import TransferConfig
from concurrent.futures import ThreadPoolExecutor
s3 = boto3.client("s3", region_name="us-east-1")
way, folder, prefix = sys.argv[1:]
config = TransferConfig(max_concurrency=16)
with ThreadPoolExecutor(16) as pool:
    if way == "put":
        names = os.listdir(folder)
        list(pool.map(lambda n: s3.upload_file(os.path.join(folder, n), "bucket", prefix + "/" + n, Config=config), names))
    else:
        pages = s3.get_paginator("list_objects_v2").paginate(Bucket="bucket", Prefix=prefix + "/")
        keys = [o["Key"] for p in pages for o in p.get("Contents", [])]
        list(pool.map(lambda k: s3.download_file("bucket", k, os.path.join(folder, os.path.basename(k)), Config=config), keys))
"""


def run(command, env):
    start = time.monotonic()
    subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - start


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--python")
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--many", type=int, default=1000)
    parser.add_argument("--large", type=int, default=512)
    options = parser.parse_args()
    work = tempfile.mkdtemp()
    port_file = os.path.join(work, "port")
    server = subprocess.Popen([sys.executable, os.path.join(ROOT, "tests/support/object_server.py"), "--port-file", port_file,
                               "--bucket", "bucket"])
    try:
        while not os.path.exists(port_file):
            time.sleep(0.05)
        url = "http://127.0.0.1:" + open(port_file).read().strip()
        env = dict(os.environ, AWS_ENDPOINT_URL=url, AWS_ACCESS_KEY_ID="a", AWS_SECRET_ACCESS_KEY="s", no_proxy="127.0.0.1",
                   T2_CACHE=os.path.join(work, "cache"), HOME=work)
        env.pop("AWS_CA_BUNDLE", None)  # rclone cannot take it
        for name, n, size in (("many", options.many, 100000), ("large", 1, options.large << 20)):
            folder = os.path.join(work, name)
            os.mkdir(folder)
            for i in range(n):
                with open(os.path.join(folder, "%05d" % i), "wb") as f:
                    f.write(os.urandom(min(size, 1 << 20)) * max(1, size >> 20))
            compare(options, work, env, url, name, folder)
    finally:
        server.kill()
        shutil.rmtree(work)


def compare(options, work, env, url, name, folder):
    ours = os.path.join(ROOT, "build/release/bench/bench_remote")
    remote = ":s3,provider=Other,env_auth=true,endpoint='%s',force_path_style=true:bucket/" % url
    peers = {}
    if shutil.which("rclone"):
        flags = ["--transfers=16", "--checkers=16", "--s3-upload-concurrency=8", "--multi-thread-streams=16", "--ignore-times", "--s3-no-check-bucket"]
        peers["rclone"] = {"put": lambda to: ["rclone", "copy", *flags, folder, remote + name],
                           "get": lambda to: ["rclone", "copy", *flags, remote + name, to]}
    if options.python:
        peers["boto3"] = {"put": lambda to: [options.python, "-c", BOTO, "put", folder, name],
                          "get": lambda to: [options.python, "-c", BOTO, "get", to, name]}
    for way in ("put", "get"):
        for peer, commands in peers.items():
            times = ([], [])
            for _ in range(options.pairs):
                for k in (0, 1):
                    to = os.path.join(work, "to")
                    shutil.rmtree(to, ignore_errors=True)
                    shutil.rmtree(env["T2_CACHE"], ignore_errors=True)
                    os.mkdir(to)
                    if k == 0:
                        command = [ours, "put", folder, "s3://bucket/" + name] if way == "put" else \
                                  [ours, "get", "s3://bucket/" + name]
                    else:
                        command = commands[way](to)
                    times[k].append(run(command, env))
            mine, theirs = statistics.median(times[0]), statistics.median(times[1])
            print(json.dumps({"figure": "remote.%s.%s" % (way, name), "peer": peer, "seconds": round(mine, 3),
                              "peer_seconds": round(theirs, 3), "ratio": round(theirs / mine, 2)}), flush=True)


if __name__ == "__main__":
    main()
