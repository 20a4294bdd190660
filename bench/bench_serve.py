#!/usr/bin/env python3
"""t2t-decoder --serve under load: 64 clients' rate beside that of a file, latencies, and 200 clients for a minute
without an error or a leak.

  python3 bench/bench_serve.py [--seconds 60] [--hidden 256] [--output_dir RUN --data_dir DATA --lines FILE]

Without a run a small model is trained on made sentences until it ends them.  Each client has one connection and sends one sentence at a time, the next when it has its answer.  The file
rate is that of t2t-decoder --decode_from_file with the same lines and batch size, before and after, the better of
the two counts; on a machine with other work processor seconds of a sentence tell more (ratio_of_cpu).  All answers to a line must be equal.  Memory is the server's VmRSS
after 10 s, in the middle and at the end: it grows with the shapes of batches that have been there, so the second half
may add 2 %.
"""
import argparse
import asyncio
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time

import common

BIN = os.path.join(common.ROOT, "build", "release", "bin")
HEAD = "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"


def tool(*argv):
    return subprocess.run([os.path.join(BIN, argv[0])] + list(argv[1:]), check=True, capture_output=True, text=True)


def make_run(folder, hidden):
    data, run, lines = (os.path.join(folder, x) for x in ("data", "run", "lines"))
    tool("t2t-datagen", "--quiet", "--problem=translate_ende_numbers", "--data_dir=" + data, "--tmp_dir=" + folder,
         "--max_cases=400")
    tool("t2t-trainer", "--quiet", "--problem=translate_ende_numbers", "--data_dir=" + data, "--output_dir=" + run,
         "--train_steps=120", "--hparams_set=transformer_tiny", "--hparams=hidden_size=%d,filter_size=%d,num_heads=4,"
         "num_hidden_layers=3,batch_size=1024,learning_rate_warmup_steps=60,learning_rate_constant=0.5" % (hidden, 4 * hidden))
    r = random.Random(1)
    with open(lines, "w") as f:
        for i in range(1024):
            f.write(" ".join(str(r.randrange(50)) for _ in range(r.randrange(8, 16))) + "\n")
    return run, data, lines


def file_rate(run, data, lines, settings, folder):
    """Sentences a second, and processor seconds of one."""
    def used():
        r = resource.getrusage(resource.RUSAGE_CHILDREN)
        return r.ru_utime + r.ru_stime
    before = used()
    out = tool("t2t-decoder", "--quiet", "--json", "--output_dir=" + run, "--data_dir=" + data, "--decode_hparams=" + settings,
               "--decode_from_file=" + lines, "--decode_to_file=" + os.path.join(folder, "out")).stdout
    return json.loads(out)["sentences_per_second"], (used() - before) / json.loads(out)["lines"]


def resident(pid):
    with open("/proc/%d/status" % pid) as f:
        return next(int(x.split()[1]) for x in f if x.startswith("VmRSS"))  # KiB


def processor_seconds(pid):
    with open("/proc/%d/stat" % pid) as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Load:
    def __init__(self, port, path, lines):
        self.port, self.path, self.lines = port, path, lines
        self.latencies, self.wrong, self.texts, self.next = [], [], {}, 0

    async def client(self, until):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        while time.monotonic() < until:
            line = self.lines[self.next % len(self.lines)]
            self.next += 1
            body = json.dumps({"instances": [line]}).encode()
            since = time.monotonic()
            writer.write((HEAD % (self.path, len(body))).encode() + body)
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            length = next(int(x.split(":")[1]) for x in head.split("\r\n") if x.lower().startswith("content-length"))
            answer = json.loads(await reader.readexactly(length))
            self.latencies.append(time.monotonic() - since)
            if " 200 " not in head.split("\r\n")[0]:
                self.wrong.append(str(answer))
            elif self.texts.setdefault(line, answer["predictions"][0]["text"]) != answer["predictions"][0]["text"]:
                self.wrong.append("another answer for '%s'" % line)
        writer.close()

    async def run(self, n_clients, seconds):
        self.latencies, self.wrong, since = [], [], time.monotonic()
        results = await asyncio.gather(*(self.client(since + seconds) for _ in range(n_clients)), return_exceptions=True)
        self.wrong += [repr(x) for x in results if x is not None]
        times = sorted(self.latencies)
        return {"clients": n_clients, "seconds": round(time.monotonic() - since, 2), "requests": len(times),
                "errors": len(self.wrong), "per_second": round(len(times) / (time.monotonic() - since), 2),
                "p50_ms": round(1000 * times[len(times) // 2], 1), "p99_ms": round(1000 * times[len(times) * 99 // 100], 1)}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--seconds", type=float, default=60)
    p.add_argument("--hidden", type=int, default=256)
    p.add_argument("--settings", default="beam_size=4,extra_length=20,batch_size=64")
    p.add_argument("--output_dir")
    p.add_argument("--data_dir")
    p.add_argument("--lines")
    a = p.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run, data, path = (a.output_dir, a.data_dir, a.lines) if a.output_dir else make_run(folder, a.hidden)
        lines = open(path, encoding="utf-8").read().split("\n")[:-1]
        rates = [file_rate(run, data, path, a.settings, folder)]
        server = subprocess.Popen([os.path.join(BIN, "t2t-decoder"), "--quiet", "--serve=127.0.0.1:0", "--output_dir=" + run,
                                   "--data_dir=" + data, "--decode_hparams=" + a.settings, "--serve_name=model"],
                                  stdout=subprocess.PIPE, text=True)
        try:
            port = int(server.stdout.readline().strip().rstrip("/").split(":")[2])
            load = Load(port, "/v1/models/model:predict", lines)
            asyncio.run(load.run(64, 5))
            before = processor_seconds(server.pid)
            few = asyncio.run(load.run(64, max(10, a.seconds / 3)))
            few["cpu_ms"] = round(1000 * (processor_seconds(server.pid) - before) / few["requests"], 2)
            asyncio.run(load.run(200, min(10, a.seconds)))
            memory = [resident(server.pid)]
            halves = []
            for _ in range(2):
                halves.append(asyncio.run(load.run(200, a.seconds / 2)))
                memory.append(resident(server.pid))
            wrong = load.wrong[:3]
        finally:
            server.send_signal(signal.SIGTERM)
            code = server.wait(60)
        rates.append(file_rate(run, data, path, a.settings, folder))
    ratio = few["per_second"] / max(r[0] for r in rates)
    cpu = 1000 * min(r[1] for r in rates) / few["cpu_ms"]
    result = {"bench": "serve", "settings": a.settings, "file_per_second": [round(r[0], 2) for r in rates],
              "file_cpu_ms": [round(1000 * r[1], 2) for r in rates], "few": few, "many": halves,
              "ratio_to_file": round(ratio, 3), "ratio_of_cpu": round(cpu, 3), "rss_kib": memory, "exit": code, "wrong": wrong}
    print(json.dumps(result))
    bad = [x for x, failed in (("errors", few["errors"] or halves[0]["errors"] or halves[1]["errors"]), ("a rate below 0.9 of the file's", ratio < 0.9),
                               ("memory grows", memory[2] > memory[1] * 1.02 + 2048), ("the server's exit code", code != 0)) if failed]
    if bad:
        sys.exit("missed: " + ", ".join(bad))


if __name__ == "__main__":
    main()
