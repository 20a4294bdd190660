"""Builds, with t2t-vocab, every vocabulary that the originals recorded, and compares the bytes.

  python3 tests/support/vocab_runs.py DATA [some|all]   in an empty folder, t2t-vocab on PATH

One of four ways to the same bytes is tried for each run, with `all` every one: one thread, two, the counts
of three tasks, counts in little memory.  `some`: only every fifth run.

Inputs are given to the program as they are where that is possible; what a recording took out of a larger
file (every fourth line, a list of JSON strings with line feeds and lone surrogates in them) becomes a
TFRecord file and is read with --as_is.  Prints a table; exit code 1 when a row differs.
"""
import gzip
import json
import os
import subprocess
import sys
import tarfile
import zipfile

sys.dont_write_bytecode = True
from record_bytes import field, frame

DATA = sys.argv[1]
RUNS = os.path.join(DATA, "reference-runs")
SPLITS = ("", "j2", "tasks", "memory")  # ways to come to the same bytes


def write_records(path, texts):
    """One record with all texts as the values of the feature `text`, for each thousand of them."""
    with open(path, "wb") as f:
        for at in range(0, len(texts), 1000):
            values = b"".join(field(1, t) for t in texts[at:at + 1000])
            entry = field(1, b"text") + field(2, field(1, values))
            f.write(frame(field(1, field(1, entry))))


def read(path):
    with open(path, "rb") as f:
        data = f.read()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def recorded(folder, name="vocab"):
    path = os.path.join(RUNS, folder, name)
    return read(path if os.path.exists(path) else path + ".gz")


def find(name):
    for root in (os.path.join(RUNS, "subword-t2t"), DATA):
        if os.path.exists(os.path.join(root, name)):
            return os.path.join(root, name)
    return None


def lines_of(name):
    path = find(name)
    if path:
        data = read(path)
    else:  # a member of a zip file
        data = zipfile.ZipFile(os.path.join(DATA, "tatoeba-en-de", "deu-eng.zip")).read(name.split("/")[1])
    return data.decode("utf-8", "surrogatepass").split("\n")


def t2t_case(c):
    """-> (flags, inputs) of a case of subword-t2t."""
    flags = ["--target_size=%d" % c["target"]] if "target" in c else []
    for key in ("min_count", "iterations", "max_subtoken_length"):
        if c.get(key):
            flags.append("--%s=%d" % (key, c[key]))
    if "reserved_tokens" in c:
        flags.append("--reserved=" + ",".join(c["reserved_tokens"][2:]))
    if all(n.endswith(".gz") for n in c["inputs"]):
        return flags, [find(n) for n in c["inputs"]]
    texts = []
    for name in c["inputs"]:
        if c.get("json"):
            texts += json.loads(read(find(name)))
            continue
        for line in lines_of(name)[c.get("offset", 0)::c.get("every", 1)]:
            parts = line.split("\t")
            if c.get("column", -1) < len(parts):
                texts.append((parts[c["column"]] if "column" in c else line).strip())
    write_records("texts.tfrecord", [t.encode("utf-8", "surrogatepass") for t in texts])
    return flags + ["--feature=text", "--as_is"], ["texts.tfrecord"]


def official_inputs(c):
    if "inputs" in c:
        return [os.path.join(DATA, n) for n in c["inputs"]]
    paths = []
    for side in ("src", "tgt"):
        with open(os.path.join(DATA, "opennmt-wmt-ende-10k", side + "-train.txt"), "rb") as f:
            lines = f.read().split(b"\n")[:-1]
        for k, part in enumerate((lines[:4000], lines[4000:8000], lines[8000:])):
            paths.append("%s%d.txt" % (side, k))
            with open(paths[-1], "wb") as f:
                f.write(b"".join(line + b"\n" for line in part))
    return paths


def official_case(c):
    flags = ["--dialect=official", "--target_size=%d" % c["target"]]
    flags += ["--min_count=%d" % c["min_count"]] if c["min_count"] else ["--search"]
    if c.get("threshold"):
        flags.append("--threshold=%d" % c["threshold"])
    if c.get("file_byte_limit"):
        flags.append("--file_byte_budget=%d" % c["file_byte_limit"])
    return flags, official_inputs(c)


def prepared(recipe):
    """The texts of a recipe of the runs, unpacked."""
    folder = os.path.abspath("prepared." + recipe)
    subprocess.run([sys.executable, os.path.join(RUNS, "tools", "prepare.py"), recipe, DATA, folder],
                   check=True, stdout=subprocess.DEVNULL, env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1"))
    for base, _, names in list(os.walk(folder)):
        for name in names:
            if name.endswith(".tgz"):
                with tarfile.open(os.path.join(base, name)) as t:
                    for m in t.getmembers():
                        if m.isfile():
                            to = os.path.join(base, "from." + name, os.path.basename(m.name))
                            os.makedirs(os.path.dirname(to), exist_ok=True)
                            with open(to, "wb") as f:
                                f.write(t.extractfile(m).read())
    return folder


def files_of(folder, *names):
    found = {}
    for base, _, files in os.walk(folder):
        for f in files:
            found.setdefault(f, os.path.join(base, f))
    return [found[n] for n in names]


def datagen_rows(some):
    """(name, flags, inputs, recorded bytes) of runs of whole programs."""
    ende = ["%s.%s" % (n, lang) for n in ("news-commentary-v13.de-en", "commoncrawl.de-en", "europarl-v7.de-en")
            for lang in ("en", "de")]
    official = ["%s.%s" % (n, lang) for n in ("news-commentary-v12.de-en", "commoncrawl.de-en", "europarl-v7.de-en")
                for lang in ("en", "de")]
    for recipe in ("multi30k",) if some else ("multi30k", "tatoeba5k"):
        yield ("t2t-text2text-" + recipe, [], files_of(prepared(recipe), "inputs.train.txt", "targets.train.txt"),
               recorded("t2t-text2text-" + recipe, "vocab.text2text_tmpdir.32768.subwords"))
    if some:
        return
    yield ("t2t-ende-wmt32k", ["--file_byte_budget=1000000", "--max_subtoken_length=200"],
           files_of(prepared("ende"), *ende), recorded("t2t-ende-wmt32k", "vocab.translate_ende_wmt32k.32768.subwords"))
    for recipe, run in (("official_small", "official-download-small"), ("official", "official-download")):
        yield run, ["--dialect=official"], files_of(prepared(recipe), *official), recorded(run, "vocab.ende.32768")


def build(flags, inputs, split):
    command = ["t2t-vocab", "build", "--quiet", "-j1", "-o", "vocab"]
    if split == "tasks":
        counts = []
        how = [f for f in flags if f.startswith(("--feature", "--as_is", "--file_byte_budget", "--dialect"))]
        left = [f for f in flags if f.startswith("--dialect") or f not in how]
        for task in range(3):
            counts.append("counts%d" % task)
            subprocess.run(["t2t-vocab", "count", "--quiet", "--task=%d/3" % task, "-o", counts[-1]] + how + inputs,
                           check=True)
        subprocess.run(command + ["--counts"] + left + counts, check=True)
    else:
        extra = {"": [], "j2": ["-j2"], "memory": ["--max_memory=100M"]}[split]
        subprocess.run(command + extra + flags + inputs, check=True)
    return read("vocab")


def rows(some):
    for name, make in (("subword-t2t", t2t_case), ("official-subtokenizer", official_case)):
        for c in json.loads(read(os.path.join(RUNS, name, "cases.json")))[::5 if some else 1]:
            flags, inputs = make(c)
            yield name + "/" + c["case"], flags, inputs, recorded(os.path.join(name, c["case"]))
    yield from datagen_rows(some)


def main():
    everything, some = sys.argv[2:] == ["all"], sys.argv[2:] == ["some"]
    bad = n_rows = 0
    print("%-46s %9s %8s  %s" % ("run", "entries", "bytes", "  ".join("%-7s" % (s or "j1") for s in SPLITS)))
    for name, flags, inputs, want in rows(some):
        verdicts = []
        for split in SPLITS:
            if not everything and split != SPLITS[n_rows % len(SPLITS)]:
                verdicts.append("    -")
                continue
            verdicts.append("equal" if build(flags, inputs, split) == want else "DIFFERS")
        bad += "DIFFERS" in verdicts
        n_rows += 1
        print("%-46s %9d %8d  %s" % (name, want.count(b"\n"), len(want), "  ".join("%-7s" % v for v in verdicts)), flush=True)
    print("%d runs, %d differ" % (n_rows, bad))
    return 1 if bad or n_rows < (5 if some else 20) else 0


if __name__ == "__main__":
    sys.exit(main())
