#!/usr/bin/env python3
"""CTranslate2 beside t2t-decoder, with one exported model: first that both translate alike, then how fast.

  PYTHON bench/check_ctranslate2.py --bin=build/release/bin --work=DIR --run=RUN --data_dir=DATA --source=FILE
         [--reference=FILE] [--speed_run=RUN --speed_data=DATA] [--pairs=3]

PYTHON has ctranslate2 (and sacrebleu for --reference).  RUN is a trained run of a Transformer, FILE lines of its source
language.

Identity: float32, greedily and by beams of 4 without a penalty of lengths, one line at a time in both: how many of the
lines have the same ids, and which differ.  The same of int8, which both round in ways of their own: how many lines differ
from float32's, of each; BLEU where there is a reference.

Speed (of --speed_run, else of RUN): 64 sentences of 15 words in batches of 32, 30 ids each; ours are limited to so many, the peer has to
make so many; a run of random weights has no end of its own.  Both at the same time, a thread and a core each, the cores exchanged within
a pair; target ids a second of processor time, without the start (ours: a file of 96 lines less one of 32).  Lines of that
run that both translate alike are counted, too.
"""
import argparse
import json
import os
import pathlib
import random
import re
import resource
import statistics
import subprocess
import sys

PENALTY = "alpha=0"
SENTENCES, BATCH, IDS, WORDS, EOS, EXTRA = 64, 32, 30, 15, 1, 50


def run(command):
    return subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True).stdout


def decode(a, run_dir, data, source, out, kind, beam, extra, batch, threads=1):
    """Ids of each line, up to EOS, which the peer does not give."""
    run([a.bin / "t2t-decoder", "--quiet", "--output_dir=%s" % run_dir, "--data_dir=%s" % data, "--num_threads=%d" % threads, "--precision=" + kind,
         "--decode_hparams=beam_size=%d,%s,extra_length=%d,batch_size=%d,identity_output=true" % (beam, PENALTY, extra, batch),
         "--decode_from_file=%s" % source, "--decode_to_file=%s" % out])
    rows = [[int(i) for i in line.split()] for line in pathlib.Path(out).read_text().split("\n")[:-1]]
    return [row[:row.index(EOS)] if EOS in row else row for row in rows]


def export(a, run_dir, data, name):
    folder = a.work / name
    run([a.bin / "t2t-exporter", "--quiet", "--format=ctranslate2", "--export_dir=%s" % folder, "--output_dir=%s" % run_dir, "--data_dir=%s" % data])
    return folder


def vocabulary(data):
    return next(pathlib.Path(data).glob("vocab.*"))


def ids_of(a, data, source):
    return [[int(i) for i in line.split()] for line in run([a.bin / "t2t-vocab", "encode", "--quiet", "--vocab=%s" % vocabulary(data), source]).split("\n")[:-1]]


class Peer:
    # the folder's add_source_eos has it put EOS behind sources itself
    def __init__(self, folder, kind):
        import ctranslate2
        words = json.loads((folder / "source_vocabulary.json").read_text(encoding="utf-8"))
        self.words, self.place = words, {w: i for i, w in enumerate(words)}
        self.translator = ctranslate2.Translator(str(folder), device="cpu", compute_type=kind, inter_threads=1, intra_threads=1)

    def translate(self, ids, **more):
        made = self.translator.translate_batch([[self.words[i] for i in row] for row in ids], length_penalty=0, return_scores=False, **more)
        return [[self.place[w] for w in m.hypotheses[0]] for m in made]


def bleu(a, rows, data):
    import sacrebleu
    ids, text = a.work / "ids", a.work / "text"
    ids.write_text("".join(" ".join(map(str, row)) + "\n" for row in rows))
    run([a.bin / "t2t-vocab", "decode", "--quiet", "--vocab=%s" % vocabulary(data), "--output=%s" % text, ids])
    return sacrebleu.corpus_bleu(text.read_text(encoding="utf-8").split("\n")[:-1], [pathlib.Path(a.reference).read_text(encoding="utf-8").split("\n")[:-1]]).score


def identity(a):
    folder, ids = export(a, a.run, a.data_dir, "identity"), ids_of(a, a.data_dir, a.source)
    found = {}
    for beam in (1, 4):
        for kind in ("float32", "int8"):
            mine = decode(a, a.run, a.data_dir, a.source, a.work / "ours.ids", kind, beam, EXTRA, 32)
            peer = Peer(folder, kind)
            theirs = [peer.translate([row], beam_size=beam, max_decoding_length=len(row) + 1 + EXTRA)[0] for row in ids]
            found[beam, kind] = mine, theirs
            line = {"identity": kind, "beam": beam, "lines": len(ids), "same": sum(m == t for m, t in zip(mine, theirs))}
            if a.reference:
                line.update(bleu_ours=bleu(a, mine, a.data_dir), bleu_theirs=bleu(a, theirs, a.data_dir))
            if kind == "int8":
                line.update({who + "_unlike_float32": sum(x != y for x, y in zip(found[beam, "float32"][k], found[beam, "int8"][k]))
                             for k, who in enumerate(("ours", "theirs"))})
            print(json.dumps(line), flush=True)
            if kind == "float32":
                for m, t in zip(mine, theirs):
                    if m != t:
                        print("  ours", *m, "\n  theirs", *t)


def processor_s(who):
    u = resource.getrusage(who)
    return u.ru_utime + u.ru_stime


def speed_ours(a, run_dir, data, kind, beam):
    times = []
    for n in (BATCH, BATCH + SENTENCES):
        before = processor_s(resource.RUSAGE_CHILDREN)
        made = decode(a, run_dir, data, a.work / ("lines.%d" % n), a.work / "speed.ids", kind, beam, IDS - WORDS - 1, BATCH)
        times.append(processor_s(resource.RUSAGE_CHILDREN) - before)
    return sum(map(len, made[BATCH:])) / (times[1] - times[0]), made[BATCH:]


def speed_theirs(a, folder, data, kind, beam):
    peer, ids = Peer(folder, kind), ids_of(a, data, a.work / ("lines.%d" % (BATCH + SENTENCES)))[BATCH:]
    peer.translate(ids[:2], beam_size=beam, min_decoding_length=3, max_decoding_length=3)
    before = processor_s(resource.RUSAGE_SELF)
    made = peer.translate(ids, beam_size=beam, max_batch_size=BATCH, min_decoding_length=IDS, max_decoding_length=IDS)
    return sum(map(len, made)) / (processor_s(resource.RUSAGE_SELF) - before), made


def on_core(core, work):
    """A child process on one core; returns a function that waits for its result."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.sched_setaffinity(0, {core})
        with os.fdopen(write, "w") as f:
            json.dump(work(), f)
        os._exit(0)
    os.close(write)

    def wait():
        with os.fdopen(read) as f:
            text = f.read()
        os.waitpid(child, 0)
        return json.loads(text)
    return wait


def speed(a):
    run_dir, data = (a.speed_run, a.speed_data) if a.speed_run else (a.run, a.data_dir)
    folder, r = export(a, run_dir, data, "speed"), random.Random(3)
    words = [w[1:-2] for w in vocabulary(data).read_text(encoding="utf-8").split("\n") if re.fullmatch(r"'[A-Za-z]{3,8}_'", w)]
    lines = [" ".join(r.choice(words) for _ in range(WORDS)) for _ in range(BATCH + SENTENCES)]
    for n in (BATCH, len(lines)):
        (a.work / ("lines.%d" % n)).write_text("\n".join(lines[:n]) + "\n")
    for kind, beam in [c.split(":") for c in a.cases.split(",")]:
        beam, ratios = int(beam), []
        for _ in range(a.pairs):
            both = []
            for cores in ((0, 1), (1, 0)):
                waits = [on_core(cores[0], lambda: speed_ours(a, run_dir, data, kind, beam)), on_core(cores[1], lambda: speed_theirs(a, folder, data, kind, beam))]
                both.append([w() for w in waits])
            (mine, ours), (theirs, peers) = both[0]
            rates = [(x[0][0], x[1][0]) for x in both]
            ratios.append((rates[0][0] / rates[0][1] * rates[1][0] / rates[1][1]) ** 0.5)
            print(json.dumps({"speed": kind, "beam": beam, "ours": [round(x, 1) for x, _ in rates], "theirs": [round(y, 1) for _, y in rates], "ratio": round(ratios[-1], 3),
                              "same lines": sum(m[:len(t)] == t[:len(m)] for m, t in zip(ours, peers)), "lines": len(ours)}), flush=True)
        print(json.dumps({"speed": kind, "beam": beam, "median": round(statistics.median(ratios), 3), "pairs": a.pairs}), flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("bin", "work"):
        p.add_argument("--" + name, required=True, type=pathlib.Path)
    for name in ("run", "data_dir", "source", "reference", "speed_run", "speed_data"):
        p.add_argument("--" + name)
    p.add_argument("--pairs", type=int, default=3)
    p.add_argument("--cases", default="float32:4,int8:4,int8:1")
    a = p.parse_args()
    a.work.mkdir(parents=True, exist_ok=True)
    if a.source:
        identity(a)
    if a.pairs > 0:
        speed(a)


if __name__ == "__main__":
    sys.exit(main())
