#!/usr/bin/env python3
"""Writes tests/fuzz/corpus/{vocab,encode,encode_foreign,decode_ids}: small files made here, no outside data."""
import base64
import json
import pathlib
import string
import struct

HERE = pathlib.Path(__file__).parent / "corpus"
ESCAPES = "\\_u;0123456789"
LETTERS = "abehnst .,"
PIECES = ["the_", "s_", "best_", "an", "\u00e4_", "\u6771_", ", _"]

VOCAB = {
    "quoted": "".join("'%s'\n" % s for s in ["<pad>_", "<EOS>_"] + PIECES + list(LETTERS + ESCAPES)),
    "quoted-old": "".join("'%s'\n" % s for s in ["<pad>", "<EOS>"] + PIECES + ["'", '"'] + list(ESCAPES)),
    "double-quotes": "".join('"%s"  \r\n' % s for s in ["<pad>_", "<EOS>_", "a", "a\r", ""]),
    "line-feed": "'a_'\n'\n'\n'\r'\n'\rb'",
    "plain": "\n".join(["<pad>_", "<EOS>_", "'a'", " b", "'", "c "]) + "\n",
    "plain-old": "\n".join(["<pad>", "<EOS>", "the_"] + list(ESCAPES)) + "\n",
    "tokens": "<pad>\n<EOS>\n<UNK>\nhund\n katze \n\nhund\n",
    "two-words": "<pad>\n<EOS>\nzwei worte\n",
    "not-quoted": "'a'\nb\n",
    "datasets": "### SubwordTextEncoder\n### Metadata: {}\n'a_'\n",
    "nul": "'\0'\n'\\'\n",
}



def field(number, wire, body):
    def varint(v):
        out = b""
        while v > 127:
            out, v = out + bytes([v & 127 | 128]), v >> 7
        return out + bytes([v])
    tag = varint(number << 3 | wire)
    return tag + (varint(body) if wire == 0 else varint(len(body)) + body if wire == 2 else body)


def sentencepiece(pieces, trainer=b"", normalizer=b""):
    body = b"".join(field(1, 2, field(1, 2, p.encode()) + field(2, 5, struct.pack("<f", s)) + field(3, 0, t)) for p, s, t in pieces)
    return body + field(2, 2, trainer) + field(3, 2, normalizer)


PLAIN = [("<unk>", 0, 2), ("<s>", 0, 3), ("\u2581", -1, 1), ("a", -2, 1), ("ab", -1.5, 1), ("\u2581a", -3, 1), ("b", -2, 1)]
# A double array of one unit that is its own child, and a replacement.
CHARSMAP = struct.pack("<I", 8) + struct.pack("<II", 97 | 1 << 8 | 1 << 10, 1 << 31) + b"xy\0"
ALL_BYTES = [("<0x%02X>" % b, 0, 6) for b in range(256)]
RANKS = b"".join(base64.b64encode(bytes([b])) + b" %d\n" % b for b in range(256))


def tokenizer(model, **more):
    parts = dict.fromkeys(("added_tokens", "normalizer", "pre_tokenizer", "post_processor", "decoder"))
    return json.dumps({**parts, **more, "model": model}, separators=(",", ":"))


def replace(how, pattern, content):
    return dict(type="Replace", pattern={how: pattern}, content=content)


BPE = dict(type="BPE", unk_token="u", vocab={"u": 0, "a": 1, "b": 2, "ab": 3, "\u0120": 4}, merges=["a b", ["a", "b"]])
WORDPIECE = dict(type="WordPiece", unk_token="u", continuing_subword_prefix="##", max_input_chars_per_word=9, vocab={"u": 0, "a": 1, "##b": 2})
UNIGRAM = dict(type="Unigram", unk_id=0, vocab=[["u", 0], ["a", -1], ["\u2581a", -2.5]])
VOCAB.update({
    "sp-unigram": sentencepiece(PLAIN, field(3, 0, 1)),
    "sp-bpe": sentencepiece(PLAIN + [("abab", 0, 5), ("<x>", 0, 4)], field(3, 0, 2) + field(24, 0, 1) + field(44, 2, b"?")),
    "sp-map": sentencepiece(PLAIN, b"", field(2, 2, CHARSMAP) + field(3, 0, 0) + field(4, 0, 0)),
    "sp-bytes": sentencepiece(PLAIN + ALL_BYTES, field(35, 0, 1)),
    "tiktoken": RANKS + b"YWI= 256\nYWJj 258\n",
    "nmt": "#version: 0.2\na b\nab c</w>\n\u00e9 a\n",
    "hf-bpe": tokenizer(BPE),
    "hf-bytes": tokenizer(dict(BPE, ignore_merges=True), pre_tokenizer=dict(type="ByteLevel", add_prefix_space=True, use_regex=True), decoder=dict(type="ByteLevel")),
    "hf-wordpiece": tokenizer(WORDPIECE, normalizer=dict(type="BertNormalizer"), pre_tokenizer=dict(type="BertPreTokenizer"), decoder=dict(type="WordPiece"),
                              post_processor=dict(type="TemplateProcessing", single=[{"SpecialToken": {"id": "u"}}, {"Sequence": {"id": "A"}}], special_tokens={"u": {"ids": [0]}})),
    "hf-unigram": tokenizer(UNIGRAM, normalizer=dict(type="Sequence", normalizers=[dict(type="NFKC"), dict(type="Replace", pattern={"String": "a"}, content="aa"), dict(type="Strip")]),
                            pre_tokenizer=dict(type="Metaspace", prepend_scheme="first"), decoder=dict(type="Metaspace")),
    "hf-subwords": tokenizer(dict(type="WordPiece", unk_token="[UNK]", continuing_subword_prefix="", max_input_chars_per_word=1000000000,
                                  vocab={c: i for i, c in enumerate(["a_", "b", "ab"] + sorted(set(string.printable)))}),
                             normalizer=dict(type="Sequence", normalizers=[
                                 replace("Regex", "[\\x{378}-\\x{379}\\x{e9}]", "\ufffd"), replace("String", "\\", "\\/"), replace("String", "_", "\\-"),
                                 replace("Regex", "(?<=[ab])(?: (?=[ab])|(?![ab]))|(?<=[^ab])(?:\\z|(?<![ab] )(?=[ab]))", "_"),
                                 replace("Regex", "(?<=[^\\x00-\\x7f])(?=.)|(?<=.)(?=[^\\x00-\\x7f])", "\n"),
                                 dict(type="Precompiled", precompiled_charsmap=base64.b64encode(CHARSMAP).decode()), replace("String", "\n", "")]),
                             pre_tokenizer=dict(type="Split", pattern={"String": "_"}, behavior="MergedWithPrevious", invert=False),
                             decoder=dict(type="Sequence", decoders=[dict(type="Fuse"), replace("String", "\\233;", "\u00e9"), replace("Regex", "(?<=[ab])_(?=[ab])", " ")])),
    "hf-precompiled": tokenizer(UNIGRAM, normalizer=dict(type="Precompiled", precompiled_charsmap=base64.b64encode(CHARSMAP).decode())),
    "hf-added": tokenizer(BPE, added_tokens=[dict(content="A", normalized=True, lstrip=True), dict(content="<s>", special=True, rstrip=True, single_word=True)],
                          normalizer=dict(type="Lowercase")),
    "hf-llama": tokenizer(dict(BPE, byte_fallback=True, fuse_unk=True), normalizer=dict(type="Prepend", prepend="\u2581"),
                          decoder=dict(type="Sequence", decoders=[dict(type="Replace", pattern={"String": "\u2581"}, content=" "), dict(type="ByteFallback"), dict(type="Fuse"),
                                                                  dict(type="Strip", content=" ", start=1, stop=0)])),
})

FOREIGN_TEXTS = {
    "words": "a ab aba  abab. Don't WE'LL cab's <x>a <s> </w> @@",
    "blanks": " \t\n a\r\n\u00a0b \u3000\u2581a  ",
    "marks": "e\u0301e\u0301\u0301 \u00e9\ufb01\u00bd \u0130I \U0001f600\u200d",
    "digits": "12345 a1b22 \u0663\u2164",
    "broken": b"a\xff\xc3 \xed\xa0\x80 \x00b \xe2\x96",
    "long": b"ab" * 200 + b"c" * 70,
}
N_KINDS = 10
ENCODE_FOREIGN = {"%s-%d" % (k, i): bytes([i | (i + len(t)) % 2 << 7]) + (t if isinstance(t, bytes) else t.encode())
                  for k, t in FOREIGN_TEXTS.items() for i in range(N_KINDS)}
DECODE_IDS = {"%d" % i: bytes([i]) + struct.pack("<40H", *[(i * 7 + k * k) % 280 for k in range(38)], 0xFFFF, 0xFFFE) for i in list(range(N_KINDS + 3)) + [128, 130, 137]}

ENCODE = {
    "words": b"\x02the best hats, the best ants. the best hats, other beans!",
    "escapes": b"\x13_ \\ \\u \\65; ;0 _x_ \\\\_ \\9999999999; _ \\ \\u \\65;",
    "blanks": b"\x01 a  b   c \t\n d \r\n  a  b   c \t\n d ",
    "scripts": "\x0bStra\u00dfe \u6771\u4eac \u0661\u0662 e\u0301 \U0001f600 Stra\u00dfe \u6771\u4eac \u00bd \U0001f600".encode(),
    "surrogates": b"\x04a\xed\xa0\x80b \xed\xb0\x80 a\xed\xa0\x80b \xed\xa0\xbd\xed\xb8\x80",
    "broken": b"\x05ok \xff\xfe \xc3 \xe2\x82 ok \xf4\x90\x80\x80",
    "repeats": b"\x01" + b"ab" * 120 + b" " + b"a" * 200,
    "limit": b"\x31" + b"banana bandana banana bandana " * 4,
}


def main():
    for name, files in (("vocab", VOCAB), ("convert", VOCAB), ("encode", ENCODE), ("encode_foreign", ENCODE_FOREIGN), ("decode_ids", DECODE_IDS)):
        folder = HERE / name
        folder.mkdir(parents=True, exist_ok=True)
        for file, data in files.items():
            (folder / file).write_bytes(data if isinstance(data, bytes) else data.encode("utf-8"))


if __name__ == "__main__":
    main()
