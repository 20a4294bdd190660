"""What all bench scripts share: flags, finding the peers, pairs and medians, the ceiling, the JSON lines.

A bench script `bench_<name>.py` measures ours and each peer that is there in alternation (A B A B), on
the same cores and the same input, and prints one JSON line per figure:

  {"id","work","ours","unit","peer","peer_value","ratio","goal","ceiling","threads","pairs","spread","identity"}

  id          "tfrecord.read.text/tf": stable name of the figure; the part after '/' is the peer
  work        one sentence: what both did
  ours        median of our runs, in `unit`; larger is better
  peer_value  median of the peer's runs; null when the peer is not there
  ratio       median of the ratios ours/peer of the pairs; null without a peer
  goal        the ratio that the project wants, or null
  ceiling     what the machine could do in the same run ({} without a compiler or the peers' ceiling.c)
  pairs       number of pairs kept (those whose ceiling moved by more than 10 % are dropped)
  spread      the smallest and the largest ratio of a pair: what the machine's noise was
  identity    how it was checked that both did the same work, or null when there was no peer

The same lines, with date, revision, machine and its load, are appended to bench/results/<date>-<name>.jsonl (--nosave: not).

Use:

  import common
  args = common.arguments("tfrecord", __doc__)            # common flags; more by extra=lambda p: ...
  bench = common.Bench("tfrecord", args)
  bench.figure("tfrecord.read.text", "read every record", "rec/s", ours=call, goal=60,
               peers={"tf": (call, "same number of records")})

A call takes nothing and returns a rate, or (rate, check): both checks of a pair must be equal, else
the figure is refused.  `bench.peer_script(...)` makes such a call from a script in PEER_SCRIPTS,
`bench.program(...)` from a program of ours that prints one JSON object with "value" and "check".

PEERS=DIR (or --peers DIR) names the folder that holds the environments tf1, tfm, tf2, torch;
PEER_SCRIPTS=DIR (or --peer_scripts) the peers' scripts.  Standard library only.
"""
import argparse
import datetime
import hashlib
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
ENVIRONMENTS = ("tf1", "tfm", "tf2", "torch")
CEILING_DRIFT = 0.10


def arguments(name, doc, extra=None):
    """The common flags; `extra(parser)` adds a script's own."""
    p = argparse.ArgumentParser(prog="bench_%s.py" % name, description=doc,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--peers", default=os.environ.get("PEERS") or None, metavar="DIR",
                   help="folder with the environments %s [$PEERS]" % ", ".join(ENVIRONMENTS))
    p.add_argument("--peer_scripts", metavar="DIR",
                   default=os.environ.get("PEER_SCRIPTS") or os.path.join(ROOT, "..", "shared", "peers"),
                   help="folder with the peers' scripts [$PEER_SCRIPTS or ../shared/peers]")
    p.add_argument("--data", metavar="DIR",
                   default=os.environ.get("T2_DATA") or os.path.join(ROOT, "..", "shared", "data"),
                   help="folder with input data [$T2_DATA or ../shared/data]")
    p.add_argument("--build", default=os.environ.get("BUILD") or os.path.join(ROOT, "build", "release"),
                   metavar="DIR", help="build folder with bin/ and bench/ [$BUILD or build/release]")
    p.add_argument("--tmp", default=None, metavar="DIR", help="folder for inputs [a fresh one, removed]")
    p.add_argument("--threads", type=int, default=1, help="threads of both sides [1]")
    p.add_argument("--pairs", type=int, default=5, help="pairs of runs for each figure [5]")
    p.add_argument("--only", default="", metavar="TEXT", help="figures whose id contains TEXT")
    p.add_argument("--quick", action="store_true", help="small input and 2 pairs: a trial, not saved")
    p.add_argument("--nosave", action="store_true", help="do not append to bench/results/")
    if extra:
        extra(p)
    a = p.parse_args()
    if a.quick:
        a.pairs, a.nosave = min(a.pairs, 2), True
    return a


def machine():
    """What the figures were measured on; no host name, no paths."""
    info = {"system": platform.system(), "release": platform.release(), "arch": platform.machine(),
            "cpus": len(os.sched_getaffinity(0)), "cpu": "", "memory_gib": None}
    try:
        with open("/proc/cpuinfo") as f:
            text = f.read()
        for line in text.splitlines():
            if line.startswith("model name"):
                info["cpu"] = line.split(":", 1)[1].strip()
                break
        flags = text.partition("\nflags")[2].partition("\n")[0].split()
        info["cpu_features"] = [x for x in ("sse4_2", "pclmulqdq", "avx2", "avx512f", "vpclmulqdq",
                                            "avx512_bf16", "avx512_vnni", "amx_bf16") if x in flags]
        with open("/proc/meminfo") as f:
            info["memory_gib"] = round(int(f.readline().split()[1]) / 2**20, 1)
    except (OSError, ValueError, IndexError):
        pass
    return info


def commit():
    """The revision measured, "-dirty" when files differ from it; None outside git."""
    try:
        out = subprocess.run(["git", "describe", "--always", "--dirty", "--abbrev=12"], cwd=ROOT,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
        return out.stdout.decode().strip()
    except (OSError, subprocess.CalledProcessError):
        return None


CPUS = os.sched_getaffinity(0)  # before anything is pinned


def pin(threads):
    """Keeps this process and its children on the first `threads` CPUs it may use."""
    os.sched_setaffinity(0, set(sorted(CPUS)[:threads]))
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
        os.environ[name] = str(threads)


def last_json(text):
    """The last line of `text` that is a JSON object; None when there is none."""
    for line in reversed(text.splitlines()):
        if line.startswith("{"):
            try:
                return json.loads(line)
            except ValueError:
                pass
    return None


class Refused(Exception):
    """A figure that must not be reported: the two sides did different work, or a run failed."""


class Bench:
    def __init__(self, name, args):
        self.name, self.args = name, args
        self.machine, self.commit = machine(), commit()
        self.date = datetime.date.today().isoformat()
        self.failed = 0
        self._own_tmp = None
        self.tmp = args.tmp
        if self.tmp is None:
            self._own_tmp = tempfile.TemporaryDirectory(prefix="t2-bench-")
            self.tmp = self._own_tmp.name
        self._ceiling_program = self._compile_ceiling()
        pin(args.threads)

    # ---- where things are ----
    def python(self, environment):
        """The interpreter of a peers' environment, or None when it is not there."""
        if self.args.peers:
            path = os.path.join(self.args.peers, environment, "bin", "python")
            if os.path.exists(path):
                return path
        return None

    def has(self, environment, module):
        """Whether an environment is there and holds a Python module."""
        python = self.python(environment)
        return python is not None and subprocess.run([python, "-c", "import " + module], stdout=subprocess.DEVNULL,
                                                     stderr=subprocess.DEVNULL).returncode == 0

    def ours(self, program):
        """Path of one of our programs: a tool, or a bench program."""
        for folder in ("bin", "bench"):
            path = os.path.join(self.args.build, folder, program)
            if os.path.exists(path):
                return path
        raise SystemExit("bench: error: no '%s' in '%s': run make first" % (program, self.args.build))

    def temporary(self, name):
        return os.path.join(self.tmp, name)

    # ---- calls ----
    def run(self, command, env=None, timeout_s=600):
        """Runs a command, returns the last JSON object it printed."""
        e = dict(os.environ)
        e.update(env or {})
        p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=e, timeout=timeout_s)
        out = last_json(p.stdout.decode(errors="replace"))
        if p.returncode != 0 or out is None:
            tail = p.stderr.decode(errors="replace").strip().splitlines()[-1:] or ["no output"]
            raise Refused("'%s' failed (%d): %s" % (os.path.basename(command[0]), p.returncode, tail[0]))
        return out

    def program(self, program, *flags, env=None):
        """A call on one of our programs, which prints {"value":, "check":}."""
        path = self.ours(program)

        def call():
            out = self.run([path] + [str(f) for f in flags], env)
            return out["value"], out.get("check")
        return call

    def peer_script(self, environment, script, *flags, key="value"):
        """A call on a peers' script, or None when the environment or the script is not there."""
        python, path = self.python(environment), os.path.join(self.args.peer_scripts, script)
        if python is None or not os.path.exists(path):
            return None

        def call():
            return self.run([python, path] + [str(f) for f in flags])[key], None
        return call

    # ---- the machine's ceiling ----
    def _compile_ceiling(self):
        source = os.path.join(self.args.peer_scripts, "ceiling.c")
        try:
            with open(source, "rb") as f:
                key = hashlib.sha256(f.read()).hexdigest()[:12]
            out = os.path.join(self.tmp, "ceiling-" + key)
            if not os.path.exists(out):
                subprocess.run(["cc", "-O3", "-march=native", "-pthread", "-o", out, source], check=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            return out
        except (OSError, subprocess.CalledProcessError):
            return None

    def ceiling(self, what, path=None):
        """{"memcpy": GB/s, ...} of right now; {} when it cannot be measured."""
        if not what or self._ceiling_program is None:
            return {}
        command = [self._ceiling_program, "--threads", str(self.args.threads), "--what", what]
        try:
            out = self.run(command + (["--file", path] if path else []))
        except (Refused, OSError, subprocess.TimeoutExpired):
            return {}
        out.pop("threads", None)
        return out

    # ---- figures ----
    def figure(self, id, work, unit, ours, peers=None, goal=None, ceiling="memcpy", path=None):
        """Measures ours against each peer (a dict of name -> (call or None, identity)); prints the lines.

        `goal` is a number or a dict of peer -> number.  Without a peer that runs, one line with
        ratio null is printed.  A refused figure is told on stderr and makes the script exit 1.
        """
        only = self.args.only
        there = {k: v for k, v in (peers or {}).items() if v[0] is not None}
        if only not in id:
            there = {k: v for k, v in there.items() if only in "%s/%s" % (id, k)}
            if not there:
                return
        for name, (call, identity) in (there or {None: (None, None)}).items():
            want = goal.get(name) if isinstance(goal, dict) else goal
            try:
                self._one(id if name is None else "%s/%s" % (id, name), work, unit, ours, name, call,
                          identity, want, ceiling, path)
            except (Refused, OSError, subprocess.TimeoutExpired) as e:
                self.failed += 1
                print("bench: error: %s: %s" % (id if name is None else "%s/%s" % (id, name), e), file=sys.stderr)

    def _one(self, id, work, unit, ours, name, peer, identity, goal, what, path):
        a_values, b_values, ratios, tops, dropped = [], [], [], [], 0
        for i in range(self.args.pairs):
            top = self.ceiling(what, path)
            a, a_check = _split(ours())
            b, b_check = (None, None) if peer is None else _split(peer())
            if a_check is not None and b_check is not None and a_check != b_check:
                raise Refused("ours and %s did different work: %s, %s" % (name, a_check, b_check))
            if tops and top and _drift(tops[0], top) > CEILING_DRIFT and i - dropped >= 1:
                dropped += 1
                continue
            tops.append(top)
            a_values.append(a)
            if b is not None:
                b_values.append(b)
                ratios.append(a / b)
        line = {"id": id, "work": work, "ours": _round(statistics.median(a_values)), "unit": unit, "peer": name,
                "peer_value": _round(statistics.median(b_values)) if b_values else None,
                "ratio": _round(statistics.median(ratios)) if ratios else None, "goal": goal,
                "ceiling": {k: _round(statistics.median([t[k] for t in tops if k in t])) for k in (tops[0] or {})},
                "threads": self.args.threads, "pairs": len(a_values),
                "spread": [_round(min(ratios)), _round(max(ratios))] if ratios else None, "identity": identity if b_values else None}
        print(json.dumps(line), flush=True)
        self.save(line)

    def save(self, line):
        """Appends a line with date, revision and machine to bench/results/."""
        if self.args.nosave:
            return
        folder = os.path.join(HERE, "results")
        os.makedirs(folder, exist_ok=True)
        full = dict(line, date=self.date, commit=self.commit, machine=self.machine,
                    load=round(os.getloadavg()[0], 2))
        with open(os.path.join(folder, "%s-%s.jsonl" % (self.date, self.name)), "a", encoding="utf-8") as f:
            f.write(json.dumps(full) + "\n")

    def finish(self):
        """Exit status of the script."""
        if self._own_tmp is not None:
            self._own_tmp.cleanup()
        return 1 if self.failed else 0


def _split(result):
    return result if isinstance(result, tuple) else (result, None)


def _round(x):
    return float("%.6g" % x)


def _drift(a, b):
    return max([abs(b[k] / a[k] - 1) for k in a if k in b and a[k]] or [0.0])
