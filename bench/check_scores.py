#!/usr/bin/env python3
"""Compares t2t-bleu with sacreBLEU 2.6, rouge-score 0.1.2, jiwer 4 and Tensor2Tensor's rouge.py, digit by digit.

  check_scores.py --t2t_bleu=build/release/bin/t2t-bleu [--rouge_py=FILE] [--only TEXT] [--lines N]

Run by a Python that has the packages (sacrebleu[ja], sentencepiece, rouge-score, jiwer).  The texts are made:
words, numbers, punctuation, Chinese, Japanese, odd white space, empty lines, from fixed seeds.  sacreBLEU's
program and ours get the same files and flags, and must print the same bytes, with 15 decimals; what is said
about a paired test in words is ours and left out.  --rouge_py is utils/rouge.py of tensor2tensor 1.15.7.
"""
import argparse
import importlib.util
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import types

PIECES = ("the a of to and in that house Haus fährt größer naïve İstanbul ΟΔΟΣ ΣΑΣ don't it's 's O'Neil U.S. e.g. "
          "1,000.50 3.5 1999. .5 5. 10-year 1-2 a-b x--y ... -- – — “ ” \" ' ( ) [ ] { } < > & &amp; &lt; &quot; % $ € "
          "£ + = # @ / \\ * _ ^ ~ | ` ! ? ; : , . 中文 字符 他说 。 ， “你好” 日本語 です カタカナ ひらがな ！ ？ ・ 「 」 Ａ１ ２． "
          "한국어 русский العربية हिन्दी 😀 👨‍👩‍👧 é ﬁ Ⅻ ² ½ ٣.٤ → ∑ ☃ running ran easily flies dying news relational "
          "conditional hopping happy skies agreed yyyy oiling").split()
SPACES = [" "] * 40 + ["  ", "\t", "\u00a0", "\u3000", " \t ", "\u2028", "\x1c", "\x85", "\u200b", "\r"]


def make_line(rng, n):
    line = ""
    for _ in range(n):
        line += rng.choice(PIECES)
        line += rng.choice(SPACES) if rng.random() < 0.8 else ""
    return line


def change(rng, line):
    words = line.split(" ")
    for _ in range(rng.randrange(4)):
        i, k = rng.randrange(len(words)), rng.randrange(len(words))
        what = rng.random()
        if what < 0.3:
            words[i] = rng.choice(PIECES)
        elif what < 0.5:
            words[i], words[k] = words[k], words[i]
        elif what < 0.7:
            words = words[:i] + words[k:] + words[i:k] if i < k else words
        elif what < 0.85:
            words.insert(i, rng.choice(PIECES))
        else:
            del words[i]
        words = words or [""]
    return " ".join(words)


def write(path, lines):
    with open(path, "w", encoding="utf-8", newline="") as f:
        f.write("".join(x + "\n" for x in lines))


def make_texts(folder, n, seed):
    rng = random.Random(seed)
    ref = [make_line(rng, rng.choice((0, 1, 2, 5, 12, 25, 60)) if rng.random() < 0.9 else 3) for _ in range(n)]
    files = {"ref": ref, "ref2": [change(rng, x) if rng.random() < 0.9 else "" for x in ref],
             "ref3": [change(rng, change(rng, x)) for x in ref],
             "hyp": [change(rng, x) if rng.random() < 0.95 else "" for x in ref],
             "hyp2": [change(rng, change(rng, x)) for x in ref], "hyp3": [x.upper() for x in ref]}
    for name, lines in files.items():
        write(os.path.join(folder, name), lines)


def without_words(text):
    return re.sub(r"(-{9,}\nPaired [^\n]*\n-+\n).*?(?=-----------------\nMetric)", r"\1", text, flags=re.S)


class Checks:
    def __init__(self, args, folder):
        self.args, self.folder, self.n, self.bad = args, folder, 0, []
        self.env = dict(os.environ, NO_COLOR="1")

    def wanted(self, name):
        return self.args.only in name

    def verdict(self, name, same, ours, theirs):
        self.n += 1
        if not same:
            self.bad.append(name)
            print("%s: different\n--- theirs\n%s\n--- ours\n%s" % (name, theirs[-1500:], ours[-1500:]))

    def run(self, command, env):
        return subprocess.run(command, capture_output=True, cwd=self.folder, env=dict(self.env, **env))

    def ours(self, flags, env):
        run = self.run([self.args.t2t_bleu, *flags], env)
        return run.stdout.decode() + ("" if run.returncode == 0 else "exit %d: %s" % (
            run.returncode, run.stderr.decode()))

    def sacrebleu(self, name, refs="ref", hyps="hyp", width=15, form="text", env=(), **flags):
        if not self.wanted(name):
            return
        theirs, ours = [], []
        for key, value in flags.items():
            key = key.replace("_", "-")
            theirs += ["--" + key] if value is True else ["--" + key, *str(value).split()]
            if key == "metrics":
                value = ",".join(value.split())
            ours += ["--" + key] if value is True else ["--%s=%s" % (key, value)]
        a = self.run([sys.executable, "-m", "sacrebleu", *refs.split(), "-i", *hyps.split(), "-w", str(width), "-f", form,
                      "-q", *theirs], dict(env))
        theirs = a.stdout.decode() if a.returncode == 0 else "failed: " + a.stderr.decode()[-300:]
        ours = self.ours(["--scorer=sacrebleu", *("--reference=" + x for x in refs.split()),
                          *("--translation=" + x for x in hyps.split()), "--width=%d" % width, "--format=" + form,
                          *ours], dict(env))
        self.verdict(name, without_words(theirs) == without_words(ours), ours, theirs)


def check_sacrebleu(c):
    for tok in ("13a", "intl", "zh", "char", "none", "ja-mecab"):
        c.sacrebleu("bleu.tok." + tok, tokenize=tok)
        c.sacrebleu("bleu.ci.tok." + tok, tokenize=tok, refs="ref ref2", confidence=True)
    c.sacrebleu("bleu.lc", lowercase=True)
    for method, value in (("none", 0), ("floor", 0), ("floor", 0.01), ("add-k", 0), ("add-k", 0.5), ("add-k", 3)):
        more = {"smooth_value": value} if value else {}
        c.sacrebleu("bleu.smooth.%s.%s" % (method, value), smooth_method=method, **more)
        c.sacrebleu("bleu.ci.smooth.%s.%s" % (method, value), smooth_method=method, confidence=True, **more)
        c.sacrebleu("bleu.ar.smooth.%s.%s" % (method, value), hyps="hyp hyp2", smooth_method=method, paired_ar=True,
                    paired_ar_n=100, **more)
    for options in ({}, {"chrf_word_order": 2}, {"chrf_lowercase": True}, {"chrf_whitespace": True},
                    {"chrf_eps_smoothing": True}, {"chrf_char_order": 2, "chrf_beta": 3, "chrf_word_order": 3}):
        for refs in ("ref", "ref ref2 ref3"):
            name = "chrf." + "-".join(options) + "." + refs.replace(" ", "+")
            c.sacrebleu(name, metrics="chrf", refs=refs, **options)
            c.sacrebleu("ci." + name, metrics="chrf", refs=refs, confidence=True, **options)
    for options in ({}, {"ter_normalized": True}, {"ter_no_punct": True}, {"ter_case_sensitive": True},
                    {"ter_asian_support": True, "ter_normalized": True}, {"ter_asian_support": True, "ter_no_punct": True},
                    {"ter_asian_support": True, "ter_no_punct": True, "ter_normalized": True}):
        for refs in ("ref", "ref ref2 ref3"):
            c.sacrebleu("ter." + "-".join(options) + "." + refs.replace(" ", "+"), metrics="ter", refs=refs, **options)
    every = {"metrics": "bleu chrf ter"}
    for form in ("text", "json"):
        c.sacrebleu("all." + form, refs="ref ref2", form=form, **every)
        c.sacrebleu("ci." + form, form=form, confidence=True, confidence_n=333, env={"SACREBLEU_SEED": "98765"}, **every)
    c.sacrebleu("short", short=True, score_only=False or True, **every)
    c.sacrebleu("short.signature", short=True, confidence=True, **every)
    for metric in ("bleu", "chrf", "ter"):
        c.sacrebleu("sentences." + metric, refs="ref ref2", metrics=metric, sentence_level=True)
    for form in ("text", "latex", "json"):
        c.sacrebleu("systems." + form, hyps="hyp hyp2 hyp3", form=form, width=5, **every)
        c.sacrebleu("ar." + form, hyps="hyp hyp2 hyp3", form=form, width=15, paired_ar=True, paired_ar_n=777, **every)
    for form in ("text", "latex"):  # as JSON sacreBLEU fails on its float32 numbers
        c.sacrebleu("bs." + form, hyps="hyp hyp2 hyp3", refs="ref ref2", form=form, width=15, paired_bs=True, **every)
    c.sacrebleu("bs.json", hyps="hyp hyp2", form="json", paired_bs=True, paired_bs_n=500)


def check_pieces(c):
    """spBLEU: sacreBLEU takes a model from its own folder, so a small one of ours is put there."""
    if not c.wanted("bleu.tok.spm"):
        return
    import sentencepiece
    models = os.path.join(c.folder, "sacrebleu", "models")
    os.makedirs(models, exist_ok=True)
    for kind in ("unigram", "bpe"):
        sentencepiece.SentencePieceTrainer.train(
            input=os.path.join(c.folder, "ref"), model_prefix=os.path.join(c.folder, kind), vocab_size=250, minloglevel=2,
            model_type=kind, character_coverage=0.98)
        os.replace(os.path.join(c.folder, kind + ".model"), os.path.join(models, "flores200sacrebleuspm"))
        c.sacrebleu("bleu.tok.spm." + kind, tokenize="flores200", env={"SACREBLEU": os.path.join(c.folder, "sacrebleu")})


def lines(c, name):
    with open(os.path.join(c.folder, name), encoding="utf-8", newline="\n") as f:
        return [x.rstrip() for x in f]


def check_rouge(c):
    from rouge_score import rouge_scorer
    hyp, ref = lines(c, "hyp"), lines(c, "ref")
    for stem in (False, True):
        name = "rouge-score.stem" if stem else "rouge-score"
        if not c.wanted(name):
            continue
        kinds = ["rouge1", "rouge2", "rougeL"]
        scorer = rouge_scorer.RougeScorer(kinds, use_stemmer=stem)
        scores = [scorer.score(r, h) for h, r in zip(hyp, ref)]
        want = {k: [sum(getattr(s[k], part) for s in scores) / len(scores) for part in ("precision", "recall", "fmeasure")]
                for k in kinds}
        out = c.ours(["--scorer=rouge", "--rouge_variant=rouge-score", "--translation=hyp", "--reference=ref", "--width=12",
                      *(["--use_stemmer"] if stem else [])], {})
        got = {m[0]: [float(m[2]), float(m[3]), float(m[1])]
               for m in re.findall(r"(\S+) = (\S+) \(precision (\S+) recall (\S+)\)", out)}
        same = all(abs(x - y) <= 1e-6 for k in kinds for x, y in zip(got.get(k, [9, 9, 9]), want[k]))
        c.verdict(name, same, out, str(want))
    if c.args.rouge_py and c.wanted("rouge.t2t"):
        sys.modules.setdefault("tensorflow", types.ModuleType("tensorflow"))
        for module in ("tensorflow.compat", "tensorflow.compat.v1"):
            sys.modules.setdefault(module, types.ModuleType(module))
        spec = importlib.util.spec_from_file_location("rouge", c.args.rouge_py)
        rouge = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(rouge)
        pairs = [(h.split(), r.split()) for h, r in zip(hyp, ref) if h.split() and r.split()]
        h, r = [p[0] for p in pairs], [p[1] for p in pairs]
        write(os.path.join(c.folder, "h"), [" ".join(x) for x in h])
        write(os.path.join(c.folder, "r"), [" ".join(x) for x in r])
        want = [float(rouge.rouge_n(h, r, 1)), float(rouge.rouge_n(h, r, 2)), float(rouge.rouge_l_sentence_level(h, r))]
        out = c.ours(["--scorer=rouge", "--translation=h", "--reference=r", "--width=15"], {})
        got = [float(x.split(" = ")[1]) for x in out.splitlines()]
        c.verdict("rouge.t2t", len(got) == 3 and all(abs(a - b) <= 1e-9 for a, b in zip(got, want)), out, str(want))


def check_stems(c):
    """Words of letters that the rules look at, each a line: a stem that differs is a score that differs."""
    if not c.wanted("stems"):
        return
    from nltk.stem.porter import PorterStemmer
    rng, stemmer = random.Random(5), PorterStemmer()
    ends = ("ational tional enci anci izer bli alli entli eli ousli ization ation ator alism iveness fulness ousness aliti "
            "iviti biliti fulli logi icate ative alize iciti ical ful ness al ance ence er ic able ible ant ement ment ent "
            "ion sion tion ou ism ate iti ous ive ize e l ll y s ss es ies sses ed ied eed ing bl at iz").split()
    words = {"".join(rng.choice("aeiouybdlstwxzrn") for _ in range(rng.randrange(1, 6))) + rng.choice(ends) +
             rng.choice(("", "", rng.choice(ends))) for _ in range(60000)}
    words |= {"skies", "sky", "dying", "lying", "tying", "news", "innings", "outings", "cannings", "howe", "proceed", "exceed",
              "succeed"}
    words = sorted(w for w in words if len(w) > 3)
    write(os.path.join(c.folder, "words"), words)
    write(os.path.join(c.folder, "stems"), [stemmer.stem(w) for w in words])
    # Stems are compared as words: the reference is stemmed again, so only stems that stay are used.
    stay = [w for w in words if len(stemmer.stem(w)) <= 3 or stemmer.stem(stemmer.stem(w)) == stemmer.stem(w)]
    write(os.path.join(c.folder, "words"), stay)
    write(os.path.join(c.folder, "stems"), [stemmer.stem(w) for w in stay])
    out = c.ours(["--scorer=rouge", "--rouge_variant=rouge-score", "--use_stemmer", "--translation=words",
                  "--reference=stems", "--width=9"], {})
    c.verdict("stems (%d words)" % len(stay), out.startswith("rouge1 = 1.000000000 "), out, "all equal")


def check_wer(c):
    import jiwer
    hyp, ref = lines(c, "hyp"), lines(c, "ref")
    out = json.loads(c.ours(["--scorer=wer", "--translation=hyp", "--reference=ref", "--json"], {}) or "{}")
    for name, process in (("wer", jiwer.process_words), ("cer", jiwer.process_characters)):
        if c.wanted(name):
            want = process(ref, hyp)
            got = out.get(name, {})
            same = all(got.get(k) == getattr(want, k) for k in ("hits", "substitutions", "deletions", "insertions"))
            c.verdict(name, same and abs(got["rate"] - getattr(want, name)) < 1e-8, str(got), str(want)[:300])


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--t2t_bleu", required=True)
    p.add_argument("--rouge_py")
    p.add_argument("--only", default="")
    p.add_argument("--lines", type=int, default=200)
    p.add_argument("--seeds", type=int, default=1, help="so many different texts")
    args = p.parse_args()
    args.t2t_bleu = os.path.abspath(args.t2t_bleu)
    n, bad = 0, []
    for seed in range(args.seeds):
        with tempfile.TemporaryDirectory() as folder:
            c = Checks(args, folder)
            make_texts(folder, args.lines, seed)
            for check in (check_sacrebleu, check_pieces, check_rouge, check_stems, check_wer):
                check(c)
            n, bad = n + c.n, bad + c.bad
    print("%d comparisons, %d different%s" % (n, len(bad), ": " + " ".join(bad) if bad else ""))
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
