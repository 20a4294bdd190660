#!/usr/bin/env python3
"""Registers, shared memory and occupancy of every CUDA kernel, as ptxas says: a table in Markdown.

  cuda_registers.py [--arch 90a] [--jobs 2] [--most-spills BYTES] [FILE.cu ...] >bench/results/DATE-cuda-registers.md

Needs nvcc, no GPU.  Occupancy is the share of a multiprocessor's warps that can be there at once, by
registers, shared memory and the size of blocks; 2048 threads, 65536 registers, 227 KiB of shared
memory (sm_90) or 163 KiB (sm_80).  Exit code 1 when a kernel stores and loads more than
BYTES (0) of registers in local memory.
"""
import argparse
import concurrent.futures
import glob
import os
import re
import subprocess
import sys
import tempfile

SHARED = {"80": 163, "90": 227}


def compile_file(source, arch, nvcc):
    with tempfile.TemporaryDirectory() as folder:
        command = [nvcc, "-std=c++17", "-O3", "-I.", "-gencode", "arch=compute_%s,code=sm_%s" % (arch, arch), "-Xptxas", "-v", *(["-fmad=false"] if re.search("update|optimizer", source) else []),
                   "-Xcompiler", "-Wall", "--keep", "--keep-dir", folder, "-c", source, "-o", os.path.join(folder, "out.o")]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            sys.exit(run.stderr)
        ptx = "".join(open(p, encoding="utf-8").read() for p in glob.glob(os.path.join(folder, "*.ptx")))
    threads = {}
    for name, rest in re.findall(r"\.entry (\w+)\(.*?\)(.*?)\{", ptx, re.S):
        sizes = re.search(r"\.maxntid (\d+)(?:, (\d+))?(?:, (\d+))?", rest)
        threads[name] = 1
        for n in sizes.groups() if sizes else []:
            threads[name] *= int(n or 1)
        if not sizes:
            threads[name] = None
    kernels = []
    for name, text in re.findall(r"Compiling entry function '(\w+)'.*?\n(.*?Used [^\n]*)", run.stderr, re.S):
        number = lambda pattern: int((re.search(pattern, text) or [0, "0"])[1])
        kernels.append({"symbol": name, "source": source, "registers": number(r"Used (\d+) registers"),
                        "shared": number(r"(\d+) bytes smem"), "stack": number(r"(\d+) bytes stack frame"),
                        "spills": number(r"(\d+) bytes spill stores") + number(r"(\d+) bytes spill loads"),
                        "threads": threads.get(name)})
    return kernels


def occupancy(k, arch):
    threads = k["threads"] or 1
    warps = (threads + 31) // 32
    per_warp = (k["registers"] * 32 + 255) // 256 * 256
    blocks = min(32, 64 // warps, 65536 // max(1, per_warp * warps), SHARED[arch[:2]] * 1024 // (k["shared"] + 1024))
    return 100 * blocks * warps // 64


def names(symbols):
    out = subprocess.run(["c++filt"], input="\n".join(symbols), capture_output=True, text=True, check=True).stdout
    short = []
    for line in out.splitlines():
        line = line.replace("(anonymous namespace)::", "").replace("void ", "")
        short.append(re.sub(r"\(.*", "", re.sub(r"_GLOBAL__N__\w+::", "", line)))
    return short


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--arch", default="90a")
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("--nvcc", default="nvcc")
    p.add_argument("--most-spills", type=int, default=0)
    p.add_argument("files", nargs="*")
    a = p.parse_args()
    files = a.files or sorted(glob.glob("train/device/cuda/*.cu"))
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        kernels = sum(pool.map(lambda f: compile_file(f, a.arch, a.nvcc), files), [])
    version = subprocess.run([a.nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    print("# Kernels of the device cuda: registers, shared memory, occupancy\n")
    print("`bench/cuda_registers.py --arch %s`, nvcc %s. Stack: memory of a thread for arrays that are indexed by what is not known "
          "when compiled; spills: registers that had no room.\n" % (a.arch, re.search(r"release ([\d.]+)", version)[1]))
    print("| file | kernel | threads a block | registers | shared bytes | stack | spills | occupancy |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    for k, name in zip(kernels, names([k["symbol"] for k in kernels])):
        print("| %s | %s | %s | %d | %d | %d | %d | %s |" % (os.path.basename(k["source"]), name, k["threads"] or "?", k["registers"], k["shared"],
                                                             k["stack"], k["spills"],
                                                             "%d %%" % occupancy(k, a.arch) if k["threads"] else "?"))
    sys.exit(1 if not kernels or any(k["spills"] > a.most_spills for k in kernels) else 0)


if __name__ == "__main__":
    main()
