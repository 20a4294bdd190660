"""Objects of a bucket, in pairs with rclone, s5cmd, boto3 and tf.io.gfile: 1,000 objects of 100 KB and one of 512 MB, brought
and sent.  The server is bench/object_store.c on loopback, as near as it is and as far away as --latency_ms says.

    bench_remote.py [--latency_ms 0,30] [--pairs 3] [--many 1000] [--large 512] [--only put.many] [--shared_cores]
                    [--dir FOLDER] [--plain] [--s5cmd FILE] [--python PYTHON_WITH_BOTO3] [--tensorflow PYTHON_WITH_TENSORFLOW_IO]

tensorflow-io 0.37.1 knows s3:// with TensorFlow 2.16 alone.

A store stands on another machine: here it has the last core to itself, the programs that are compared have the others.  With
--shared_cores all share all of them.  Files are in memory (/dev/shm), or in --dir: on a disk's file system what is written
lies in its page cache, which takes larger pieces than that of tmpfs.

--plain adds programs that do the least that bringing one object can cost, recv and write without a checksum, a retry or a second
connection (bench/plain_get.c), and the same into a mapping of the file, and into nothing: what no client can be much faster than.

A line of JSON for each figure: median seconds of ours and of the other, processor seconds of both programs, the ratio of the
medians, and the least and greatest ratio of a pair.  Others have the flags that serve them best: as many transfers at once as
ours has."""
import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
AT_ONCE = 64
BOTO = """
import os, sys, time, boto3
from boto3.s3.transfer import TransferConfig
from concurrent.futures import ThreadPoolExecutor
from botocore.config import Config
s3 = boto3.client("s3", region_name="us-east-1", config=Config(max_pool_connections=%d))
way, folder, prefix = sys.argv[1:]
start = time.monotonic()
config = TransferConfig(max_concurrency=16)
with ThreadPoolExecutor(%d) as pool:
    if way == "put":
        names = os.listdir(folder)
        list(pool.map(lambda n: s3.upload_file(os.path.join(folder, n), "bucket", prefix + "/" + n, Config=config), names))
    else:
        pages = s3.get_paginator("list_objects_v2").paginate(Bucket="bucket", Prefix=prefix + "/")
        keys = [o["Key"] for p in pages for o in p.get("Contents", [])]
        list(pool.map(lambda k: s3.download_file("bucket", k, os.path.join(folder, os.path.basename(k)), Config=config), keys))
print(time.monotonic() - start)
""" % (AT_ONCE, AT_ONCE)
GFILE = """
import os, sys, time
from concurrent.futures import ThreadPoolExecutor
import tensorflow as tf
import tensorflow_io
way, folder, prefix = sys.argv[1:]
start = time.monotonic()
far = "s3://bucket/" + prefix
source, target = (folder, far) if way == "put" else (far, folder)
with ThreadPoolExecutor(%d) as pool:
    list(pool.map(lambda n: tf.io.gfile.copy(source + "/" + n, target + "/" + n, overwrite=True), tf.io.gfile.listdir(source)))
print(time.monotonic() - start, flush=True)
os._exit(0)  # its destructors abort
""" % AT_ONCE


def pinned(command, cores):
    return ["taskset", "-c", ",".join(map(str, cores)), *command]


def run(command, env):
    """Wall-clock and processor seconds.  A script that prints seconds has left out its start: modules of Python take some."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    said = subprocess.run(command, env=env, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        wall = float(said[-1])
    except (IndexError, ValueError):
        pass
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def peers_of(options, url, name, folder):
    """{peer: {way: function from a local folder to the command}}"""
    remote = ":s3,provider=Other,env_auth=true,endpoint='%s',force_path_style=true:bucket/" % url
    peers = {}
    if shutil.which("rclone"):
        rclone = ["rclone", "copy", "--transfers=%d" % AT_ONCE, "--checkers=%d" % AT_ONCE, "--s3-upload-concurrency=16",
                   "--multi-thread-streams=16", "--ignore-times", "--s3-no-check-bucket"]
        peers["rclone"] = {"put": lambda to: [*rclone, folder, remote + name], "get": lambda to: [*rclone, remote + name, to]}
    if options.s5cmd:
        s5cmd = [options.s5cmd, "--endpoint-url", url, "cp", "--concurrency=16"]
        peers["s5cmd"] = {"put": lambda to: [*s5cmd, folder + "/", "s3://bucket/%s/" % name],
                          "get": lambda to: [*s5cmd, "s3://bucket/%s/*" % name, to + "/"]}
    if options.plain and name == "large":
        plain = [os.path.join(ROOT, "build/release/bench/plain_get"), url.rpartition(":")[2], "bucket/%s/00000" % name]
        for way in ("write", "map", "drop"):
            peers["plain-" + way] = {"get": lambda to, w=way: [*plain, to + "/00000", "131072", w]}
    for peer, python, script in (("boto3", options.python, BOTO), ("tf.io.gfile", options.tensorflow, GFILE)):
        if python:
            peers[peer] = {"put": lambda to, p=python, s=script: [p, "-c", s, "put", folder, name],
                           "get": lambda to, p=python, s=script: [p, "-c", s, "get", to, name]}
    return peers


def compare(options, work, env, url, latency_ms, name, folder):
    ours = os.path.join(ROOT, "build/release/bench/bench_remote")
    size = sum(os.path.getsize(os.path.join(folder, n)) for n in os.listdir(folder))
    sent = [ours, "put", folder, "s3://bucket/" + name]
    if options.only not in "put." + name and options.only in "get." + name:
        run(sent, env)  # what is brought has to be there
    for way in ("put", "get"):
        if options.only not in way + "." + name:
            continue
        for peer, commands in peers_of(options, url, name, folder).items():
            if way not in commands:
                continue
            times, cpu = ([], []), ([], [])
            for _ in range(options.pairs):
                for k in (0, 1):
                    to = os.path.join(work, "to")
                    shutil.rmtree(to, ignore_errors=True)
                    shutil.rmtree(env["T2_CACHE"], ignore_errors=True)
                    os.mkdir(to)
                    if k == 0:
                        command = sent if way == "put" else [ours, "get", "s3://bucket/" + name]
                    else:
                        command = commands[way](to)
                    wall, used = run(pinned(command, options.client_cores), env)
                    times[k].append(wall)
                    cpu[k].append(used)
                if way == "get" and sum(os.path.getsize(os.path.join(to, n)) for n in os.listdir(to)) != size:
                    raise SystemExit("bench: %s brought other bytes" % peer)
            ratios = [b / a for a, b in zip(*times)]
            print(json.dumps({"figure": "remote.%s.%s" % (way, name), "latency_ms": latency_ms, "peer": peer,
                              "seconds": round(statistics.median(times[0]), 3), "peer_seconds": round(statistics.median(times[1]), 3),
                              "cpu": round(statistics.median(cpu[0]), 3), "peer_cpu": round(statistics.median(cpu[1]), 3),
                              "ratio": round(statistics.median(ratios), 2),
                              "spread": [round(min(ratios), 2), round(max(ratios), 2)]}), flush=True)


def serve(options, work, folders, latency_ms):
    port_file = os.path.join(work, "port-%d" % latency_ms)
    store = [os.path.join(ROOT, "build/release/bench/object_store"), port_file, str(latency_ms)]
    server = subprocess.Popen(pinned(store, options.store_cores))
    try:
        while not os.path.exists(port_file):
            time.sleep(0.05)
        url = "http://127.0.0.1:" + open(port_file).read().strip()
        env = dict(os.environ, AWS_ENDPOINT_URL=url, S3_ENDPOINT=url, AWS_ACCESS_KEY_ID="a",
                   AWS_SECRET_ACCESS_KEY="s", AWS_REGION="us-east-1", no_proxy="127.0.0.1", TF_CPP_MIN_LOG_LEVEL="3",
                   T2_CACHE=os.path.join(work, "cache"), HOME=work)
        env.pop("AWS_CA_BUNDLE", None)  # rclone cannot take it
        for name, folder in folders.items():
            compare(options, work, env, url, latency_ms, name, folder)
    finally:
        server.kill()
        server.wait()


def main():
    parser = argparse.ArgumentParser()
    for name in ("python", "tensorflow", "s5cmd", "dir"):
        parser.add_argument("--" + name)
    parser.add_argument("--only", default="")
    parser.add_argument("--latency_ms", default="0,30")
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--many", type=int, default=1000)
    parser.add_argument("--large", type=int, default=512)
    parser.add_argument("--shared_cores", action="store_true")
    parser.add_argument("--plain", action="store_true")
    options = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))
    alone = len(cores) > 1 and not options.shared_cores
    options.client_cores, options.store_cores = (cores[:-1], cores[-1:]) if alone else (cores, cores)
    work = tempfile.mkdtemp(dir=options.dir or ("/dev/shm" if os.path.isdir("/dev/shm") else None))
    try:
        folders = {}
        for name, n, size in (("many", options.many, 100000), ("large", 1, options.large << 20)):
            folders[name] = os.path.join(work, name)
            os.mkdir(folders[name])
            for i in range(n):
                with open(os.path.join(folders[name], "%05d" % i), "wb") as f:
                    f.write(os.urandom(min(size, 1 << 20)) * max(1, size >> 20))
        for latency_ms in options.latency_ms.split(","):
            serve(options, work, folders, int(latency_ms))
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
