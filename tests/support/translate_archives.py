#!/usr/bin/env python3
"""translate_archives.py PLAN TMP_DIR: small archives for every translation problem of PLAN, which is what `t2t-datagen
--dry_run --offline` says: their names and members, with made text; files of back-translated text as well."""

import collections, gzip, io, os, re, sys, tarfile, zipfile

words = {"en": "one two three four five six seven".split(), "xx": "eins zwei drei vier f\u00fcnf sechs sieben".split()}
lines = {k: [" ".join(w[i % 7:] + w[:i % 5]).capitalize() + "." for i in range(1, 60)] for k, w in words.items()}
members = collections.defaultdict(set)
for line in open(sys.argv[1], encoding="utf-8"):
    m = re.match(r"    (.*?)( \(columns\))? of (\S+): (?:to be downloaded|not to be had)", line)
    if m:
        members[m.group(3)].update([m.group(1).replace("*", "01")] if m.group(2) else m.group(1).split(", "))


def content(name):
    side = lines["en" if re.search(r"[._-](en|EN)\b", name) else "xx"]
    if name.endswith(".sgm"):
        return "".join('<seg id="%d">%s</seg>\n' % (i, s) for i, s in enumerate(side))
    if name == "vocab.bpe.32000":
        return "".join(w + "\n" for w in sorted(set(" ".join(lines["en"]).split())))
    if name == "segments":
        return "".join(" <seg>%s</seg>\n" % s for pair in zip(lines["en"], lines["xx"]) for s in pair)
    if "data.plaintext-format" in name:
        return "".join("id\t0.5\t%s\t%s\n" % (b, a) for a, b in zip(lines["en"], lines["xx"]))
    # of these one pair in a thousand is drawn
    return "".join(s + "\n" for s in side) * (400 if "europarl-v7.ro-en" in name else 1)


for archive, names in members.items():
    path = os.path.join(sys.argv[2], archive)
    if names == {"segments"}:
        open(path, "wb").write(gzip.compress(content("segments").encode(), mtime=0))
    elif archive.endswith(".zip"):
        with zipfile.ZipFile(path, "w") as z:
            for n in sorted(names):
                z.writestr(n, content(n))
    else:
        with tarfile.open(path, "w" if archive.endswith(".tar") else "w:gz") as t:
            for n in sorted(names) + ["unwanted/big"]:
                data = content(n).encode()
                data = gzip.compress(data, mtime=0) if n.endswith(".gz") else data
                info = tarfile.TarInfo(n)
                info.size = len(data)
                t.addfile(info, io.BytesIO(data))
for n in ("fr_mono", "en_mono", "cs_mono"):
    for lang in ("en", "fr", "cs"):
        for i in ("", "0", "1", "2"):
            open(os.path.join(sys.argv[2], "%s_%s.txt%s" % (n, lang, i)), "w").write("Mono one.\nMono two.\n")
