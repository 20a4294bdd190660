#!/usr/bin/env python3
"""Compares resizing (augment/resize_cv.c) with OpenCV itself, over every pair of sizes up to 199.

  python3 -m venv /tmp/opencv && /tmp/opencv/bin/pip install opencv-python-headless==5.0.0.93
  /tmp/opencv/bin/python bench/check_resize_opencv.py [--build=build/release] [--largest=199] [METHOD ...]

Needs `make build/release/bench/bench_resize`, which explains the images.  The reference is OpenCV 5.0.0.  Exit code 1
when a method differs by more than ALLOWED says (docs/numerics.md has the reasons).  With OpenCV 4 the differences are
counted and told, but only those of the methods that OpenCV 5 left as they were are errors.
"""
import argparse
import os
import subprocess
import sys

import cv2
import numpy as np

METHODS = {
    "nearest": cv2.INTER_NEAREST, "nearest_exact": cv2.INTER_NEAREST_EXACT, "linear": cv2.INTER_LINEAR,
    "linear_exact": cv2.INTER_LINEAR_EXACT, "area": cv2.INTER_AREA, "cubic": cv2.INTER_CUBIC,
    "lanczos": cv2.INTER_LANCZOS4,
}
# (method, floats): the largest difference of a value
ALLOWED = {
    ("cubic", False): 1, ("cubic", True): 1e-4 * 255, ("lanczos", False): 1, ("lanczos", True): 2e-4,
    ("linear", True): 2e-5,
}
CHANGED_IN_5 = {("nearest_exact", False), ("nearest_exact", True), ("cubic", False), ("cubic", True), ("linear", True)}


def source(a, b, width, height, channels):
    i = np.arange(width * height * channels, dtype=np.uint32)
    x = i * np.uint32(2654435761) ^ np.uint32((a * 40503 + b * 9973) & 0xffffffff)
    x ^= x >> np.uint32(15)
    x *= np.uint32(2246822519)
    return (x >> np.uint32(24)).astype(np.uint8).reshape(height, width, channels)


def jobs(largest, line):
    for a in range(1, largest + 1):
        for b in range(1, largest + 1):
            channels = 3 if (a + b) % 5 == 0 else 1
            if not line:
                yield a, b, (a, b), (b, a), channels
            else:
                yield a, b, (a, 1), (b, 1), channels
                yield a, b, (1, a), (1, b), channels


def check(args, method, floats, line):
    """Returns the number of jobs that differ, the largest difference, what differs first."""
    command = [os.path.join(args.build, "bench", "bench_resize"), "--serve", "--method=" + method, "--largest=%d" % args.largest]
    command += ["--floats"] * floats + ["--line"] * line
    kind = np.float32 if floats else np.uint8
    n_jobs, n_differ, largest, first = 0, 0, 0.0, ""
    with subprocess.Popen(command, stdout=subprocess.PIPE) as ours:
        for a, b, start, end, channels in jobs(args.largest, line):
            image = source(a, b, start[0], start[1], channels).astype(kind)
            theirs = cv2.resize(image, end, interpolation=METHODS[method]).ravel()
            data = ours.stdout.read(theirs.nbytes)
            if len(data) != theirs.nbytes:
                sys.exit("bench_resize ended early: %s" % " ".join(command))
            mine = np.frombuffer(data, kind)
            n_jobs += 1
            if mine.tobytes() == theirs.tobytes():
                continue
            difference = np.abs(mine.astype(np.float64) - theirs.astype(np.float64))
            n_differ += 1
            largest = max(largest, float(difference.max()))
            at = int(difference.argmax())
            first = first or "%d x %d to %d x %d x %d, value %d: ours %g, OpenCV's %g" % (*start, *end, channels, at, mine[at], theirs[at])
    if ours.wait() != 0:
        sys.exit("failed: %s" % " ".join(command))
    return n_jobs, n_differ, largest, first


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--largest", type=int, default=199)
    parser.add_argument("methods", nargs="*", default=sorted(METHODS))
    args = parser.parse_args()
    is_reference, bad = cv2.__version__.startswith("5."), 0
    cv2.setNumThreads(1)
    print("OpenCV " + cv2.__version__)
    for method in args.methods:
        for floats in (False, True):
            if method == "linear_exact" and floats:
                continue  # OpenCV has none
            for line in (False, True):
                n_jobs, n_differ, largest, first = check(args, method, floats, line)
                wrong = largest > ALLOWED.get((method, floats), 0) and (is_reference or (method, floats) not in CHANGED_IN_5)
                bad += wrong
                print("%-14s %-6s %-5s %6d images, %6d differ, by up to %g%s" %
                      (method, "floats" if floats else "bytes", "lines" if line else "", n_jobs, n_differ, largest, "  WRONG" if wrong else ""),
                      flush=True)
                if n_differ:
                    print("    first: " + first)
    print("%d wrong" % bad)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
