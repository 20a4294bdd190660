#!/usr/bin/env python3
"""Compares t2t-vocab encode, decode and convert, id for id, with SentencePiece, tokenizers, tiktoken and subword-nmt.

  PYTHON bench/check_vocabularies.py --t2t_vocab=build/release/bin/t2t-vocab --data=../shared/data
         [--lines=30000] [--only=WORD] [--seed=1] [--keep=DIR]

PYTHON is of an environment with sentencepiece, tokenizers, tiktoken and subword-nmt.  Small vocabularies of
every kind are trained here on Tatoeba and WMT text of --data; the lines are other lines of it, and every sixth a
hostile one: random characters of all scripts, blanks of all kinds, digits, mixtures of case, contractions,
marks, special tokens.  Each line is encoded by both, ids must be equal; the ids, and random ids, are decoded by
both, texts must be equal.  Cases convert_* write the vocabulary as another kind, load the new file by the library
it is for, and compare with the ids that the library of the old file gave: all must be equal where `convert` calls
the conversion exact; where it does not, it must refuse without --lossy, and the lines that differ are counted.
Characters newer than Python's Unicode are not used: libraries differ in their
tables.
"""
import argparse
import base64
import functools
import io
import os
import random
import struct
import subprocess
import sys
import tempfile
import unicodedata
import zipfile

import sentencepiece as spm
import tiktoken
from subword_nmt import apply_bpe, learn_bpe
from tokenizers import (AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers,
                        processors, trainers)
from tokenizers.implementations import BertWordPieceTokenizer

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "support"))
sys.dont_write_bytecode = True
from record_bytes import field, frame  # noqa: E402

CASES = {}


def case(f):
    CASES[f.__name__] = f
    return f


# ---- text --------------------------------------------------------------------------------------

BLANKS = "  \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\u00a0\u1680\u180e\u2000\u2003\u2009\u200b\u200c\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff\u2581"
WORDS = ["don't", "DON'T", "we'll", "WE'LL", "I'm", "I'M", "it's", "it'S", "they're", "you'Ve", "he'd", "'\u017f", "a'\u017fb", "'s", "'ll ", "''re",
         "<s>", "</s>", "<unk>", "<pad>", "[CLS]", "[SEP]", "[MASK]", "[UNK]", "<|endoftext|>", "<mask>", "<0x0A>", "<x>", "\u2581<x>", "<sp>", "##ing",
         "1234567890", "3.14", "1,000,000", "\u0664\u0665\u0666\u0667", "\u216b", "\u00bd", "\u2460", "x\u00b2",
         "MiXeD", "camelCase", "HTTPServer", "\u0130stanbul", "STRASSE", "stra\u00dfe", "\u01c5", "\u02b0", "\u03a3\u03a3", "\u03bf\u03c2",
         "\u00e9", "e\u0301", "\u0301", "\u0301\u0301a", "a\u0300\u0323", "\u1e9b\u0323", "\ufb01", "\ufb03", "\uff21\uff22", "\u2122", "\u00c5", "\u212b",
         "\u65e5\u672c\u8a9e", "\uac00\uac01", "\u1100\u1161\u11a8", "\u0627\u0644\u0639", "\u0e01\u0e33", "\U0001f600", "\U0001f468\u200d\U0001f469", "\U0001f1e9\U0001f1ea", "\U0002070e", "\U0010ffff",
         "--", "...", "!!!", "?!", "//", "/\n", "://", "()", "\u00a1", "\u2026", "\u2014", "$5", "_", "__a__", "\\", "\\u", "@@", "&amp;", "~", "`", "^", "|", "+=",
         "\x00", "\x01", "\x7f", "\x80", "\x9f", "\u00ad", "\u00a0", "\ufffd", "\ue000", "\ufdd0"]


@functools.lru_cache(None)
def characters():
    return [chr(c) for c in range(0x110000) if unicodedata.category(chr(c)) not in ("Cn", "Cs")]


def hostile(r):
    parts = []
    for _ in range(r.randrange(1, 14)):
        kind = r.randrange(8)
        if kind == 0:
            parts.append("".join(r.choice(characters()) for _ in range(r.randrange(1, 6))))
        elif kind == 1:
            parts.append("".join(r.choice(BLANKS) for _ in range(r.randrange(1, 5))))
        elif kind == 2:
            parts.append("".join(r.choice("aAbBsStTeErR'\u0301\u02b0\u65e5\u01c5") for _ in range(r.randrange(1, 8))))
        elif kind == 3:
            parts.append("".join(chr(r.randrange(0x80 if r.randrange(2) else 0x800)) for _ in range(r.randrange(1, 6))))
        elif kind == 4:
            parts.append(r.choice([" ", "  ", "\n", "\n\n", " \n", "\r\n", "\n  ", "   "]))
        else:
            parts.append(r.choice(WORDS))
            if r.randrange(2):
                parts.append(" ")
    return "".join(parts)


def read_texts(data):
    with zipfile.ZipFile(os.path.join(data, "tatoeba-en-de", "deu-eng.zip")) as z:
        rows = io.TextIOWrapper(z.open("deu.txt"), encoding="utf-8").read().splitlines()
    texts = [t for row in rows for t in row.split("\t")[:2]]
    for name in ("src-train.txt", "tgt-train.txt"):
        with open(os.path.join(data, "opennmt-wmt-ende-10k", name), encoding="utf-8") as f:
            texts += [x.rstrip("\n") for x in f]
    return texts


def write_records(path, lines):
    """TFRecords, so that a line may hold any character: feature "t" of bytes."""
    with open(path, "wb") as f:
        for line in lines:
            value = field(1, field(1, line.encode()))
            f.write(frame(field(1, field(1, field(1, b"t") + field(2, value)))))


# ---- comparing ---------------------------------------------------------------------------------

class Checker:
    def __init__(self, a):
        self.a, self.failed = a, 0
        self.folder = a.keep or tempfile.mkdtemp()
        os.makedirs(self.folder, exist_ok=True)
        r = random.Random(a.seed)
        texts = read_texts(a.data)
        r.shuffle(texts)
        self.train = texts[:8000]
        self.lines = [hostile(r) if i % 6 == 5 else t for i, t in enumerate(texts[8000:8000 + a.lines])]
        self.lines += ["", " ", "\n", "\n  ", "a\n ", "x" * 500, "ab" * 4000, " " * 300, "\u00e9" * 300, "'" * 99, "1" * 99, "\u0301" * 50]
        self.records = os.path.join(self.folder, "lines.tfrecord")
        write_records(self.records, self.lines)
        self.corpus = os.path.join(self.folder, "train.txt")
        with open(self.corpus, "w", encoding="utf-8", newline="\n") as f:
            f.write("\n".join(self.train) + "\n")

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *words, **more):
        return subprocess.run([self.a.t2t_vocab, *words], capture_output=True, check=False, **more)

    def compare(self, name, vocab, encode, decode, n, flags=()):
        """encode: list of lines -> list of lists of ids; decode: ids -> text; n: number of ids."""
        done = self.run("encode", "--vocab=" + vocab, "--feature=t", *flags, self.records)
        if done.returncode:
            return self.fail(name, done.stderr.decode().strip())
        ours = [list(map(int, x.split())) for x in done.stdout.decode().split("\n")[:-1]]
        theirs = encode(self.lines)
        bad = [i for i in range(len(self.lines)) if ours[i] != theirs[i]]
        for i in bad[:self.a.show]:
            print("   line %r\n     ours   %s\n     theirs %s" % (self.lines[i][:200], ours[i][:60], theirs[i][:60]))
        r = random.Random(name)
        ids = theirs + [[r.randrange(n) for _ in range(r.randrange(1, 12))] for _ in range(3000 if n else 0)]
        text = [decode(x) for x in ids]
        done = self.run("decode", "--vocab=" + vocab, input="".join(" ".join(map(str, x)) + "\n" for x in ids).encode())
        if done.returncode:
            return self.fail(name, done.stderr.decode().strip())
        rest, wrong = done.stdout, 0
        for x, t in zip(ids, text):
            want = t.encode("utf-8", "surrogatepass") + b"\n"
            if not rest.startswith(want):
                wrong += 1
                # go on at the next line that fits: ours may hold line feeds too
                alone = self.run("decode", "--vocab=" + vocab, input=(" ".join(map(str, x)) + "\n").encode()).stdout
                if wrong <= self.a.show:
                    print("   ids %s\n     ours   %r\n     theirs %r" % (x[:40], alone[:200], want[:200]))
                if wrong > 50:
                    break
                want = alone
            rest = rest[len(want):]
        if bad or wrong:
            return self.fail(name, "%d lines of %d with other ids, %s with other text" % (len(bad), len(self.lines), wrong if wrong <= 50 else "50 and more"))
        print("%-32s %d lines, %d ids: equal" % (name, len(self.lines), sum(map(len, theirs))), flush=True)

    def refuse(self, name, vocab, what):
        done = self.run("encode", "--vocab=" + vocab, input=b"a\n")
        if done.returncode != 1 or what not in done.stderr.decode():
            return self.fail(name, "not refused: " + done.stderr.decode())
        print("%-32s refused: %s" % (name, done.stderr.decode().strip().split(": ", 3)[-1]), flush=True)

    def convert(self, name, vocab, to, ending, *flags, exact=True):
        """The path of the new file, None when convert was wrong to refuse or to accept."""
        path = self.path(name + ending)
        if os.path.exists(path):
            os.remove(path)
        done = self.run("convert", "--quiet", "--to=" + to, "--output=" + path, *flags, vocab)
        if exact:
            if done.returncode:
                self.fail(name, done.stderr.decode().strip())
                return None
            return path
        if done.returncode != 1 or os.path.exists(path) or b"--lossy" not in done.stderr:
            self.fail(name, "not refused without --lossy: " + done.stderr.decode())
            return None
        done = self.run("convert", "--quiet", "--lossy", "--to=" + to, "--output=" + path, *flags, vocab)
        if done.returncode:
            self.fail(name, done.stderr.decode().strip())
            return None
        return path

    def same(self, name, before, after, exact=True):
        """before, after: list of lines -> list of lists of ids, of the two libraries."""
        a, b = before(self.lines), after(self.lines)
        bad = [i for i in range(len(self.lines)) if a[i] != b[i]]
        for i in bad[:self.a.show if exact else 0]:
            print("   line %r\n     before %s\n     after  %s" % (self.lines[i][:200], a[i][:60], b[i][:60]))
        if bad and exact:
            return self.fail(name, "%d lines of %d with other ids after the conversion" % (len(bad), len(self.lines)))
        print("%-32s %d lines, %d ids: %s" % (name, len(self.lines), sum(map(len, a)),
              "equal" if not bad else "%d lines differ, as said" % len(bad)), flush=True)

    def fail(self, name, why):
        self.failed += 1
        print("%-32s DIFFERENT: %s" % (name, why), flush=True)


# ---- SentencePiece -----------------------------------------------------------------------------

def sentencepiece(c, name, **more):
    args = dict(input=c.corpus, model_prefix=c.path(name), vocab_size=1500, character_coverage=0.9995, num_threads=1, minloglevel=2, hard_vocab_limit=False)
    args.update(more)
    spm.SentencePieceTrainer.train(**args)
    sp = spm.SentencePieceProcessor(model_file=c.path(name + ".model"))
    c.compare(name, c.path(name + ".model"), lambda lines: [sp.encode(x) for x in lines], sp.decode, sp.get_piece_size())


for kind in ("unigram", "bpe"):
    for label, options in {
            "nmt_nfkc": {},
            "nfkc_cf": {"normalization_rule_name": "nmt_nfkc_cf"},
            "identity": {"normalization_rule_name": "identity"},
            "bytes": {"normalization_rule_name": "identity", "byte_fallback": True},
            "bytes_nfkc": {"byte_fallback": True, "split_digits": True, "allow_whitespace_only_pieces": True, "remove_extra_whitespaces": False},
            "no_prefix": {"add_dummy_prefix": False},
            "blanks_kept": {"remove_extra_whitespaces": False},
            "no_prefix_kept": {"remove_extra_whitespaces": False, "add_dummy_prefix": False},
            "suffix": {"treat_whitespace_as_suffix": True},
            "user": {"user_defined_symbols": "<mask>,\u2581<x>,<sp>,\u65e5\u672c,aA,--", "control_symbols": "[CLS],[SEP]"},
            "user_kept": {"user_defined_symbols": "<mask>,\u2581<x>,  ,\u00a0,ing", "remove_extra_whitespaces": False},
            "other_ids": {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1},
            "surface": {"unk_surface": "[?]", "split_by_unicode_script": False},
            "no_split": {"split_by_whitespace": False, "split_by_number": False, "max_sentencepiece_length": 30}}.items():
        CASES["sp_%s_%s" % (kind, label)] = functools.partial(
            lambda c, name, kind, options: sentencepiece(c, name, model_type=kind, **options), name="sp_%s_%s" % (kind, label), kind=kind, options=options)


# ---- tokenizers --------------------------------------------------------------------------------

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
GPT2_SHORT = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
GPT2_NOW = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
LLAMA3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN2 = LLAMA3.replace("{1,3}", "")
CL100K_OLD = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
CL100K_NOW = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
UPPER, LOWER, ENDING = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]", r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
O200K = "|".join([r"[^\r\n\p{L}\p{N}]?" + UPPER + "*" + LOWER + "+" + ENDING, r"[^\r\n\p{L}\p{N}]?" + UPPER + "+" + LOWER + "*" + ENDING,
                  r"\p{N}{1,3}", r" ?[^\s\p{L}\p{N}]+[\r\n/]*", r"\s*[\r\n]+", r"\s+(?!\S)", r"\s+"])
TEKKEN = O200K.replace(ENDING, "").replace("{1,3}", "")
BYTES = pre_tokenizers.ByteLevel.alphabet()


def huggingface(c, name, t, trainer=None, with_added=True):
    if trainer:
        t.train_from_iterator(c.train, trainer)
    t.save(c.path(name + ".json"))
    t = Tokenizer.from_file(c.path(name + ".json"))
    c.compare(name, c.path(name + ".json"), lambda lines: [e.ids for e in t.encode_batch(lines)], t.decode, t.get_vocab_size(with_added_tokens=with_added))


def byte_level(c, name, pre, add=None, normalizer=None, post=None, **model):
    t = Tokenizer(models.BPE(**model))
    t.pre_tokenizer, t.decoder = pre, decoders.ByteLevel()
    if normalizer:
        t.normalizer = normalizer
    if post:
        t.post_processor = post
    t.train_from_iterator(c.train, trainers.BpeTrainer(vocab_size=1500, special_tokens=["<|endoftext|>"], initial_alphabet=BYTES, show_progress=False))
    if add:
        t.add_tokens(add)
    huggingface(c, name, t)


def split(pattern):
    return pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(pattern), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


for label, pattern in {"gpt2": GPT2, "gpt2_short": GPT2_SHORT, "gpt2_now": GPT2_NOW, "llama3": LLAMA3, "qwen2": QWEN2, "cl100k_old": CL100K_OLD,
                       "cl100k_now": CL100K_NOW, "o200k": O200K, "tekken": TEKKEN}.items():
    CASES["hf_split_" + label] = functools.partial(lambda c, name, pattern: byte_level(c, name, split(pattern)), name="hf_split_" + label, pattern=pattern)


@case
def hf_bytes(c):
    byte_level(c, "hf_bytes", pre_tokenizers.ByteLevel(add_prefix_space=False))


@case
def hf_bytes_prefix(c):
    byte_level(c, "hf_bytes_prefix", pre_tokenizers.ByteLevel(add_prefix_space=True), post=processors.ByteLevel(trim_offsets=True))


@case
def hf_bytes_no_regex(c):
    byte_level(c, "hf_bytes_no_regex", pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False))


@case
def hf_bytes_nfc(c):
    byte_level(c, "hf_bytes_nfc", split(QWEN2), normalizer=normalizers.NFC())


@case
def hf_bytes_ignore_merges(c):
    byte_level(c, "hf_bytes_ignore_merges", split(LLAMA3), ignore_merges=True)


@case
def hf_bytes_few(c):
    """Not all bytes have a token."""
    t = Tokenizer(models.BPE())
    t.pre_tokenizer, t.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    huggingface(c, "hf_bytes_few", t, trainers.BpeTrainer(vocab_size=900, show_progress=False))


@case
def hf_bytes_unk(c):
    t = Tokenizer(models.BPE(unk_token="<unk>"))
    t.pre_tokenizer, t.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    huggingface(c, "hf_bytes_unk", t, trainers.BpeTrainer(vocab_size=900, special_tokens=["<unk>"], show_progress=False))


def every_character(c, name, normalizer, pre=None):
    """Each character between letters and in front of a mark, so that its class and its normal form show."""
    lines, records = c.lines, c.records
    some = [x for x in characters() if unicodedata.category(x) != "Co" or ord(x) % 256 < 3]
    c.lines = [" ".join("a%sb %s\u0323" % (x, x) for x in some[i:i + 8]) for i in range(0, len(some), 8)]
    c.records = c.path("characters.tfrecord")
    write_records(c.records, c.lines)
    try:
        byte_level(c, name, pre_tokenizers.Sequence([pre, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]) if pre
                   else pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False), normalizer=normalizer)
    finally:
        c.lines, c.records = lines, records


for label, step in {"nfc": normalizers.NFC(), "nfd": normalizers.NFD(), "nfkc": normalizers.NFKC(), "nfkd": normalizers.NFKD(), "nmt": normalizers.Nmt(),
                    "lower": normalizers.Lowercase(), "strip": normalizers.Strip(), "accents": normalizers.StripAccents(),
                    "bert": normalizers.BertNormalizer(),
                    "bert_clean": normalizers.BertNormalizer(handle_chinese_chars=False, strip_accents=False, lowercase=False),
                    "bert_accents": normalizers.BertNormalizer(handle_chinese_chars=False, strip_accents=True, clean_text=False, lowercase=False)}.items():
    CASES["hf_characters_" + label] = functools.partial(every_character, name="hf_characters_" + label, normalizer=step)


@case
def hf_characters_wordpiece(c):
    """Which characters are a piece of their own to BERT: all are entries."""
    lines, records = c.lines, c.records
    some = [x for x in characters() if unicodedata.category(x) != "Co" and x != "\0"]  # no NUL in keys of our JSON
    c.lines = [" ".join("a%sb" % x for x in some[i:i + 8]) for i in range(0, len(some), 8)]
    c.records = c.path("characters.tfrecord")
    write_records(c.records, c.lines)
    entries = ["[UNK]", "a", "##b"] + [p + x for p in ("", "##") for x in ["b", "a"] + some if p + x not in ("a", "##b")]
    t = Tokenizer(models.WordPiece({x: i for i, x in enumerate(dict.fromkeys(entries))}, unk_token="[UNK]"))
    t.pre_tokenizer, t.decoder = pre_tokenizers.BertPreTokenizer(), decoders.WordPiece()
    try:
        huggingface(c, "hf_characters_wordpiece", t)
    finally:
        c.lines, c.records = lines, records


ADDED = [AddedToken("<mask>", lstrip=True), AddedToken("<x>", rstrip=True), AddedToken("aA", single_word=True), AddedToken("<sp>", lstrip=True, rstrip=True),
         AddedToken("--", normalized=False), AddedToken("--!", normalized=False), AddedToken("\u00e9", single_word=True), "DON'T", "1234", "Tom"]


def as_is(x):
    """The added token, looked for in the text as it stands."""
    if isinstance(x, str):
        return AddedToken(x, normalized=False)
    return AddedToken(x.content, lstrip=x.lstrip, rstrip=x.rstrip, single_word=x.single_word, normalized=False)


@case
def hf_added(c):
    byte_level(c, "hf_added", pre_tokenizers.ByteLevel(add_prefix_space=False), add=[as_is(x) for x in ADDED])


@case
def hf_added_prefix(c):
    byte_level(c, "hf_added_prefix", pre_tokenizers.ByteLevel(add_prefix_space=True), add=[AddedToken("<mask>", lstrip=True, normalized=False), AddedToken("<x>", normalized=False)])


@case
def hf_added_normalized(c):
    byte_level(c, "hf_added_normalized", pre_tokenizers.ByteLevel(add_prefix_space=False), add=ADDED, normalizer=normalizers.Lowercase())


@case
def hf_added_nfkc(c):
    byte_level(c, "hf_added_nfkc", pre_tokenizers.ByteLevel(add_prefix_space=False), add=ADDED, normalizer=normalizers.NFKC())


def wordpiece(c, name, normalizer, pre, add=(), **more):
    t = Tokenizer(models.WordPiece(unk_token="[UNK]", **more))
    t.normalizer, t.pre_tokenizer = normalizer, pre
    t.decoder = decoders.WordPiece(cleanup="max_input_chars_per_word" not in more)
    t.train_from_iterator(c.train, trainers.WordPieceTrainer(vocab_size=1500, special_tokens=["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"], show_progress=False))
    t.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
                                                     special_tokens=[("[CLS]", t.token_to_id("[CLS]")), ("[SEP]", t.token_to_id("[SEP]"))])
    t.add_tokens(list(add))
    huggingface(c, name, t)


@case
def hf_wordpiece(c):
    wordpiece(c, "hf_wordpiece", normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer())


@case
def hf_wordpiece_cased(c):
    wordpiece(c, "hf_wordpiece_cased", normalizers.BertNormalizer(lowercase=False), pre_tokenizers.BertPreTokenizer(), max_input_chars_per_word=12)


@case
def hf_wordpiece_accents(c):
    wordpiece(c, "hf_wordpiece_accents", normalizers.BertNormalizer(lowercase=False, strip_accents=True, handle_chinese_chars=False), pre_tokenizers.BertPreTokenizer())


@case
def hf_wordpiece_lower_accents(c):
    wordpiece(c, "hf_wordpiece_lower_accents", normalizers.BertNormalizer(lowercase=True, strip_accents=False, clean_text=False), pre_tokenizers.WhitespaceSplit())


@case
def hf_wordpiece_added(c):
    wordpiece(c, "hf_wordpiece_added", normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer(), add=ADDED)


def unigram(c, name, normalizer, pre, decoder=None, **more):
    t = Tokenizer(models.Unigram())
    if normalizer:
        t.normalizer = normalizer
    t.pre_tokenizer, t.decoder = pre, decoder or decoders.Metaspace()
    huggingface(c, name, t, trainers.UnigramTrainer(vocab_size=1500, special_tokens=["<unk>", "<s>", "</s>"], unk_token="<unk>", show_progress=False, **more))


@case
def hf_unigram(c):
    unigram(c, "hf_unigram", normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC()]), pre_tokenizers.Metaspace())


@case
def hf_unigram_first(c):
    unigram(c, "hf_unigram_first", normalizers.NFKD(), pre_tokenizers.Metaspace(prepend_scheme="first"), decoders.Metaspace(prepend_scheme="first"))


@case
def hf_unigram_never(c):
    unigram(c, "hf_unigram_never", normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents(), normalizers.Strip()]),
            pre_tokenizers.Metaspace(prepend_scheme="never", split=False), decoders.Metaspace(prepend_scheme="never", split=False))


@case
def hf_unigram_lower(c):
    unigram(c, "hf_unigram_lower", normalizers.Sequence([normalizers.Lowercase(), normalizers.Strip(left=False), normalizers.Replace("ee", "e"), normalizers.Replace("``", '"')]), pre_tokenizers.Metaspace(replacement="_"), decoders.Metaspace(replacement="_"))


@case
def hf_unigram_white(c):
    t = Tokenizer(models.Unigram())
    t.normalizer = normalizers.NFC()
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    t.decoder = decoders.Metaspace()
    huggingface(c, "hf_unigram_white", t, trainers.UnigramTrainer(vocab_size=1500, special_tokens=["<unk>", "<s>", "</s>"], unk_token="<unk>", show_progress=False))


LLAMA2_DECODER = [decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(content=" ", left=1)]


def llama2(c, name, prepend=True, byte_fallback=True, fuse=True, add=(), decoder=True, pre=None, normalizer=True):
    special = ["<unk>", "<s>", "</s>"] + (["<0x%02X>" % b for b in range(256)] if byte_fallback else [])
    t = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=fuse, byte_fallback=byte_fallback))
    steps = ([normalizers.Prepend("\u2581")] if prepend else []) + [normalizers.Replace(" ", "\u2581")]
    t.pre_tokenizer = pre_tokenizers.Metaspace(split=True)
    t.train_from_iterator(c.train, trainers.BpeTrainer(vocab_size=1800, special_tokens=special, limit_alphabet=60, show_progress=False))
    import json
    j = json.loads(t.to_str())
    j["pre_tokenizer"] = None
    j["added_tokens"] = j["added_tokens"][:3]
    t = Tokenizer.from_str(json.dumps(j))
    if normalizer:
        t.normalizer = normalizers.Sequence(steps)
    if pre:
        t.pre_tokenizer = pre
    if decoder:
        t.decoder = decoders.Sequence(LLAMA2_DECODER if prepend else LLAMA2_DECODER[:3])
    t.post_processor = processors.TemplateProcessing(single="<s> $A", pair="<s> $A <s> $B", special_tokens=[("<s>", 1)])
    t.add_tokens(list(add))
    huggingface(c, name, t)


@case
def hf_llama2(c):
    llama2(c, "hf_llama2")


@case
def hf_llama2_no_prefix(c):
    llama2(c, "hf_llama2_no_prefix", prepend=False)


@case
def hf_llama2_unknown(c):
    llama2(c, "hf_llama2_unknown", byte_fallback=False)


@case
def hf_llama2_not_fused(c):
    llama2(c, "hf_llama2_not_fused", byte_fallback=False, fuse=False, decoder=False)


@case
def hf_llama2_added(c):
    llama2(c, "hf_llama2_added", add=[AddedToken("<mask>", lstrip=True, normalized=False), AddedToken("<x>", rstrip=True, normalized=False), AddedToken("Tom", single_word=True, normalized=False)])


@case
def hf_llama2_metaspace(c):
    llama2(c, "hf_llama2_metaspace", pre=pre_tokenizers.Metaspace(prepend_scheme="first", split=False), normalizer=False, add=[AddedToken("<x>", normalized=False)])


@case
def hf_chars(c):
    """The trainer's own kind: an end-of-word suffix, words split at blanks."""
    t = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    t.normalizer, t.pre_tokenizer = normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()]), pre_tokenizers.WhitespaceSplit()
    t.decoder = decoders.BPEDecoder(suffix="</w>")
    huggingface(c, "hf_chars", t, trainers.BpeTrainer(vocab_size=1500, special_tokens=["<unk>"], end_of_word_suffix="</w>", limit_alphabet=60, show_progress=False))


@case
def hf_chars_prefix(c):
    t = Tokenizer(models.BPE(unk_token="<unk>", continuing_subword_prefix="##"))
    t.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    t.decoder = decoders.WordPiece(prefix="##", cleanup=False)
    huggingface(c, "hf_chars_prefix", t, trainers.BpeTrainer(vocab_size=1500, special_tokens=["<unk>"], continuing_subword_prefix="##", limit_alphabet=60, show_progress=False))


# ---- tiktoken ----------------------------------------------------------------------------------

def tiktoken_ranks(c, name, pattern, n_ranks=0, gap=0):
    """Ranks from a byte-level BPE; the published files are known by their number of ranks, which is filled up here with
    tokens that no text makes."""
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = split(pattern)
    t.train_from_iterator(c.train, trainers.BpeTrainer(vocab_size=1500, initial_alphabet=BYTES, show_progress=False))
    bytes_of = {}
    free = 256
    for b in range(256):
        printable = 33 <= b <= 126 or 161 <= b <= 172 or 174 <= b <= 255
        bytes_of[chr(b) if printable else chr(free)] = b
        free += not printable
    ranks = {}
    for token, _ in sorted(t.get_vocab().items(), key=lambda kv: kv[1]):
        ranks[bytes(bytes_of[x] for x in token)] = len(ranks) + (gap if len(ranks) >= 700 else 0)
    while len(ranks) < n_ranks:
        ranks[b"\xff\xfe\xfd" + struct.pack(">I", len(ranks))] = len(ranks)
    with open(c.path(name + ".tiktoken"), "wb") as f:
        for token, rank in ranks.items():
            f.write(base64.b64encode(token) + b" %d\n" % rank)
    e = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    c.compare(name, c.path(name + ".tiktoken"), lambda lines: [e.encode_ordinary(x) for x in lines], e.decode, 1500 if not gap else 700)


for label, pattern, n_ranks in (("gpt2", GPT2, 50256), ("gpt2_now", GPT2_NOW, 50256), ("small", GPT2, 0), ("cl100k", CL100K_NOW, 100256), ("o200k", O200K, 199998),
                                ("llama3", LLAMA3, 128000), ("qwen", QWEN2, 151643)):
    CASES["tiktoken_" + label] = functools.partial(lambda c, name, pattern, n: tiktoken_ranks(c, name, pattern, n), name="tiktoken_" + label, pattern=pattern, n=n_ranks)


@case
def tiktoken_gap(c):
    """p50k_base leaves a rank out."""
    tiktoken_ranks(c, "tiktoken_gap", GPT2, gap=1)


# ---- conversions -------------------------------------------------------------------------------

def hf_encode(path):
    t = Tokenizer.from_file(path)
    return t, lambda lines: [e.ids for e in t.encode_batch(lines)]


def sp_encode(path):
    sp = spm.SentencePieceProcessor(model_file=path)
    return sp, lambda lines: [sp.encode(x) for x in lines]


def tiktoken_encode(path, pattern):
    with open(path, "rb") as f:
        ranks = {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in f)}
    e = tiktoken.Encoding(path, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return e, lambda lines: [e.encode_ordinary(x) for x in lines]


def convert_sentencepiece(c, name, exact, **more):
    args = dict(input=c.corpus, model_prefix=c.path(name), vocab_size=1500, character_coverage=0.9995, num_threads=1, minloglevel=2, hard_vocab_limit=False)
    args.update(more)
    spm.SentencePieceTrainer.train(**args)
    model = c.path(name + ".model")
    _, before = sp_encode(model)
    path = c.convert(name, model, "tokenizer.json", ".json", exact=exact)
    if not path:
        return
    t, after = hf_encode(path)
    c.same(name, before, after, exact)
    # our reading of the new file, too; how ids of no text decode may differ
    c.compare(name + "/ours", path, after, t.decode, 0)
    back = c.convert(name + "_back", path, "sentencepiece", ".back.model", exact=exact)
    if back:
        sp, again = sp_encode(back)
        c.same(name + "/back", before, again, exact)
        c.compare(name + "/back ours", back, again, sp.decode, 0)


for label, exact, options in (
        ("identity", True, {"normalization_rule_name": "identity"}),
        ("bytes", True, {"normalization_rule_name": "identity", "byte_fallback": True}),
        ("llama", True, {"normalization_rule_name": "identity", "byte_fallback": True, "split_digits": True, "allow_whitespace_only_pieces": True,
                         "remove_extra_whitespaces": False}),
        ("no_prefix", True, {"normalization_rule_name": "identity", "add_dummy_prefix": False}),
        ("no_prefix_kept", True, {"normalization_rule_name": "identity", "add_dummy_prefix": False, "remove_extra_whitespaces": False}),
        ("other_ids", True, {"normalization_rule_name": "identity", "pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1}),
        ("no_split", True, {"normalization_rule_name": "identity", "split_by_whitespace": False, "split_by_number": False}),
        ("nmt_nfkc", False, {}),
        ("nfkc_cf", False, {"normalization_rule_name": "nmt_nfkc_cf"}),
        ("user", False, {"normalization_rule_name": "identity", "user_defined_symbols": "<mask>,<sp>"})):
    CASES["convert_sp_bpe_" + label] = functools.partial(
        lambda c, name, exact, options: convert_sentencepiece(c, name, exact, model_type="bpe", **options), name="convert_sp_bpe_" + label, exact=exact, options=options)
    CASES["convert_sp_unigram_" + label] = functools.partial(
        lambda c, name, options: convert_sentencepiece(c, name, False, model_type="unigram", **options), name="convert_sp_unigram_" + label, options=options)


def convert_ranks(c, name, pattern, n_ranks):
    tiktoken_ranks(c, name, pattern, n_ranks)
    ranks = c.path(name + ".tiktoken")
    _, before = tiktoken_encode(ranks, pattern)
    path = c.convert(name, ranks, "tokenizer.json", ".json")
    if not path:
        return
    t, after = hf_encode(path)
    c.same(name + "/convert", before, after)
    c.compare(name + "/ours", path, after, t.decode, 0)
    back = c.convert(name + "_back", path, "tiktoken", ".tiktoken")
    if back:
        c.same(name + "/back", before, tiktoken_encode(back, pattern)[1])
        with open(ranks, "rb") as a, open(back, "rb") as b:
            if a.read() != b.read():
                c.fail(name + "/back", "other bytes")


for label, pattern, n_ranks in (("small", GPT2, 0), ("gpt2", GPT2, 50256), ("cl100k", CL100K_NOW, 100256), ("o200k", O200K, 199998), ("llama3", LLAMA3, 128000), ("qwen", QWEN2, 151643)):
    CASES["convert_tiktoken_" + label] = functools.partial(convert_ranks, name="convert_tiktoken_" + label, pattern=pattern, n_ranks=n_ranks)


@case
def convert_hf_bytes(c):
    """As trained, without and with a special token."""
    for name, special in (("convert_hf_bytes", []), ("convert_hf_bytes_special", ["<|endoftext|>"])):
        t = Tokenizer(models.BPE())
        t.pre_tokenizer, t.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
        t.train_from_iterator(c.train, trainers.BpeTrainer(vocab_size=1500, special_tokens=special, initial_alphabet=BYTES, show_progress=False))
        t.save(c.path(name + ".json"))
        path = c.convert(name, c.path(name + ".json"), "tiktoken", ".tiktoken", exact=not special)
        if path:
            e, after = tiktoken_encode(path, GPT2)
            c.same(name, hf_encode(c.path(name + ".json"))[1], after, exact=not special)
            c.compare(name + "/ours", path, after, e.decode, 0)


@case
def convert_wordpiece(c):
    for name, cased in (("convert_wordpiece", False), ("convert_wordpiece_cased", True)):
        t = BertWordPieceTokenizer(lowercase=not cased)
        t.train_from_iterator(c.train, vocab_size=1500, show_progress=False)
        vocab = t.save_model(c.folder, name)[0]
        reader = BertWordPieceTokenizer(vocab, lowercase=not cased)
        before = lambda lines, r=reader: [e.ids for e in r.encode_batch(lines)]
        path = c.convert(name, vocab, "tokenizer.json", ".json", "--from=wordpiece", *(["--cased"] if cased else []))
        if not path:
            continue
        t, after = hf_encode(path)
        c.same(name, before, after)
        c.compare(name + "/ours", path, after, t.decode, 0)
        back = c.convert(name + "_back", path, "wordpiece", ".txt")
        if back:
            with open(vocab, "rb") as a, open(back, "rb") as b:
                if a.read() != b.read():
                    c.fail(name + "/back", "other bytes")


@case
def convert_nmt(c):
    name = "convert_nmt"
    with open(c.path("nmt.codes"), "w", encoding="utf-8") as codes:
        learn_bpe.learn_bpe(open(c.corpus, encoding="utf-8"), codes, 1500, verbose=False)
    bpe = apply_bpe.BPE(open(c.path("nmt.codes"), encoding="utf-8"))
    path = c.convert(name, c.path("nmt.codes"), "tokenizer.json", ".json")
    if not path:
        return
    t, after = hf_encode(path)
    ids = t.get_vocab()

    def before(lines):
        out = []
        for line in lines:
            row = []
            for word in filter(None, line.strip("\r\n ").split(" ")):
                pieces = bpe.segment_tokens([word])
                row += [ids.get(x[:-2], 0) for x in pieces[:-1]] + [ids.get(pieces[-1] + "</w>", 0)]
            out.append(row)
        return out

    c.same(name, before, after)
    c.compare(name + "/ours", path, after, t.decode, 0)
    done = c.run("verify", "--quiet", "--with=" + c.records, "--feature=t", c.path("nmt.codes"), path)
    if done.returncode:
        c.fail(name + "/verify", done.stdout.decode()[-500:] + done.stderr.decode())


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--t2t_vocab", default="build/release/bin/t2t-vocab")
    p.add_argument("--data", default=os.environ.get("T2_DATA", "../shared/data"))
    p.add_argument("--lines", type=int, default=30000)
    p.add_argument("--only", default="", help="cases whose name contains it")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--show", type=int, default=3, help="differences shown of a case")
    p.add_argument("--keep", help="folder for the vocabularies, kept")
    a = p.parse_args()
    c = Checker(a)
    for name, f in CASES.items():
        if a.only in name:
            f(c)
    print("%d cases different" % c.failed)
    return 1 if c.failed else 0


if __name__ == "__main__":
    sys.exit(main())
