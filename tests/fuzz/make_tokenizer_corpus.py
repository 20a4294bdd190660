#!/usr/bin/env python3
"""Writes tests/fuzz/corpus/vocab and tests/fuzz/corpus/encode: small files made here, no outside data."""
import pathlib

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
    for name, files in (("vocab", VOCAB), ("encode", ENCODE)):
        folder = HERE / name
        folder.mkdir(parents=True, exist_ok=True)
        for file, data in files.items():
            (folder / file).write_bytes(data if isinstance(data, bytes) else data.encode("utf-8"))


if __name__ == "__main__":
    main()
