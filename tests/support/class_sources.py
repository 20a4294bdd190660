"""Small stand-ins for the public archives of T2T's classification, question answering, dialog and
summarisation problems, in the originals' formats: made up text, awkward where the formats allow it.

usage: class_sources.py TMP_DIR [RAW_DIR]     RAW_DIR: also as T2T's dialog problems want them, unpacked
"""
import gzip, hashlib, io, json, os, sys, tarfile, zipfile

sys.dont_write_bytecode = True
from record_bytes import Rng

WORDS = ("the a of river stone walks sings quietly under over green old new house garden letter seven "
         "eleven 1984 caf\u00e9 na\u00efve \u6771\u4eac Stra\u00dfe don't it's \u201cquoted\u201d and or but because "
         "if never always light dark paper $ _ under_score back\\slash e-mail 3.14 end").split()


def sentence(r, least=3, most=12):
    s = " ".join(WORDS[r.below(len(WORDS))] for _ in range(least + r.below(most - least)))
    return s + (".", "!", "?", "", " .")[r.below(5)]


def write_zip(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        for name, text in members:
            z.writestr(name, text.encode("utf-8"))


def write_tgz(path, members):
    with open(path, "wb") as f, gzip.GzipFile(fileobj=f, mode="wb", mtime=0) as g, \
            tarfile.open(fileobj=g, mode="w") as t:
        for name, text in members:
            data = text if isinstance(text, bytes) else text.encode("utf-8")
            info = tarfile.TarInfo(name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))


def rows(r, n, row, header=None):
    """CR LF here and there, a blank at the end of a column: both belong to the format's readers."""
    lines = [header] if header else []
    for i in range(n):
        lines.append("\t".join(row(i)) + ("\r" if i % 7 == 3 else "") + ("  " if i % 5 == 4 else ""))
    return "\n".join(lines) + "\n"


def glue(tmp):
    r = Rng(1)
    text = lambda: sentence(r) + (" " if r.below(6) == 0 else "")
    two = ("train.tsv", 41), ("dev.tsv", 9)
    make = lambda folder, row, header, names=two: write_zip(
        os.path.join(tmp, folder + ".zip"),
        [(folder + "/" + name, rows(r, n, row, header)) for name, n in names])
    make("CoLA", lambda i: ("gj04", str(i % 2), "*" if i % 2 else "", text()), None)
    make("SST-2", lambda i: (text(), str(i % 2)), "sentence\tlabel")
    nli = lambda i: (str(i), text(), text(), ("entailment", "not_entailment")[i % 2])
    make("RTE", nli, "index\tsentence1\tsentence2\tlabel")
    make("QNLI", nli, "index\tquestion\tsentence\tlabel")
    make("WNLI", lambda i: (str(i), text(), text(), str(i % 2)), "index\tsentence1\tsentence2\tlabel")
    make("QQP", lambda i: (str(i), "1", "2", text()) if i % 11 == 5 else
         (str(i), "1", "2", text(), text(), str(i % 2)), "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate")
    labels = "contradiction", "entailment", "neutral"
    make("MNLI", lambda i: tuple(str(k) for k in range(8)) + (text(), text(), labels[i % 3], labels[i % 3]),
         "\t".join("c%d" % k for k in range(12)), (("train.tsv", 41), ("dev_matched.tsv", 9)))
    snli = lambda i: ((("-",) + labels)[i % 4], "x", "x", "x", "x", text(), text(), "id", "id")
    write_zip(os.path.join(tmp, "SNLI.zip"),
              [("snli_1.0/snli_1.0_%s.txt" % s, rows(r, n, snli, "gold_label\ta\tb\tc\td\ts1\ts2\te\tf"))
               for s, n in (("train", 41), ("dev", 9))])
    write_zip(os.path.join(tmp, "SciTailV1.1.zip"),
              [("SciTailV1.1/tsv_format/scitail_1.0_%s.tsv" % s,
                rows(r, n, lambda i: (text(), text(), ("neutral", "entails")[i % 2])))
               for s, n in (("train", 41), ("dev", 9))])
    os.makedirs(os.path.join(tmp, "MRPC"), exist_ok=True)
    mrpc = lambda i: (str(i % 2), str(100 + i), str(200 + i), text(), text())
    for s, n in ("train", 41), ("test", 13):
        put(os.path.join(tmp, "MRPC", "msr_paraphrase_%s.txt" % s),
            rows(r, n, mrpc, "\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String"))
    put(os.path.join(tmp, "MRPC", "dev_ids.tsv"), "".join("%d\t%d\n" % (100 + i, 200 + i) for i in (3, 8, 20)))


def put(path, text):
    with open(path, "w", encoding="utf-8", newline="") as f:
        f.write(text)


def reviews(tmp):
    r = Rng(2)
    files = []
    for split, n in ("train", 12), ("test", 5):
        for kind in "pos", "neg":
            for i in range(n):
                files.append(("aclImdb/%s/%s/%d_%d.txt" % (split, kind, i, i % 10),
                              " " + sentence(r, 5, 40) + "<br />\n\nline two " + sentence(r)))
    write_tgz(os.path.join(tmp, "aclImdb_v1.tar.gz"), files)
    for name, labels in ("full", 5), ("polarity", 2):
        folder = "yelp_review_%s_csv" % name
        lines = lambda n: "".join('"%d","%s ""%s"" \\n%s "\n' % (1 + r.below(labels), sentence(r), sentence(r), sentence(r))
                                  for _ in range(n))
        write_tgz(os.path.join(tmp, folder + ".tgz"),
                  [(folder + "/train.csv", lines(31)), (folder + "/test.csv", lines(7))])


def squad(tmp):
    r = Rng(3)
    for name, n in ("train", 6), ("dev", 2):
        data = []
        for a in range(n):
            paragraphs = []
            for p in range(3):
                context = " ".join(sentence(r) for _ in range(4))
                words = context.split(" ")
                qas = []
                for q in range(3):
                    at = r.below(len(words) - 2)
                    answer = " ".join(words[at:at + 1 + r.below(2)])
                    if q == 2 and p == 2:
                        answer = "nowhere to be found"
                    qas.append({"question": " " + sentence(r), "id": "%d-%d-%d" % (a, p, q),
                                "answers": [{"answer_start": 0, "text": answer},
                                            {"answer_start": 1, "text": "another"}]})
                paragraphs.append({"context": context + ("\nand a second line" if p == 1 else " "), "qas": qas})
            data.append({"title": "T%d" % a, "paragraphs": paragraphs})
        put(os.path.join(tmp, name + "-v1.1.json"), json.dumps({"version": "1.1", "data": data}))


def babi(tmp):
    r = Rng(4)
    titles = ("single-supporting-fact two-supporting-facts three-supporting-facts two-arg-relations "
              "three-arg-relations yes-no-questions counting lists-sets simple-negation indefinite-knowledge "
              "basic-coreference conjunction compound-coreference time-reasoning basic-deduction basic-induction "
              "positional-reasoning size-reasoning path-finding agents-motivations").split()
    names, places = ("Mary", "John", "Daniel"), ("hallway", "kitchen", "garden", "office")
    files = []
    for subset in "en", "en-10k":
        everything = {"train": "", "test": ""}
        for i, title in enumerate(titles):
            for mode, n in ("train", 4), ("test", 2):
                text = ""
                for story in range(n):
                    line = 1
                    for k in range(3):
                        who, where = names[r.below(3)], places[r.below(4)]
                        text += "%d %s moved to the %s.\n" % (line, who, where)
                        line += 1
                        answer = "n,s" if title == "path-finding" else where
                        text += "%d Where is %s? \t%s\t%d\n" % (line, who, answer, line - 1)
                        line += 1
                everything[mode] += text
                files.append(("tasks_1-20_v1-2/%s/qa%d_%s_%s.txt" % (subset, i + 1, title, mode), text))
        # The original joins the files in directory order; with this file there it does not.
        for mode in "train", "test":
            files.append(("tasks_1-20_v1-2/%s/qa0_all-tasks_%s.txt" % (subset, mode), everything[mode]))
    write_tgz(os.path.join(tmp, "tasks_1-20_v1-2.tar.gz"), files)


def plays(tmp):
    r = Rng(5)
    for split, n in ("train", 60), ("dev", 8):
        lines = lambda: "".join((" " if i % 9 == 1 else "") + sentence(r) + ("\r" if i % 8 == 2 else "") + "\n"
                                for i in range(n))
        write_tgz(os.path.join(tmp, "shakespeare.%s.tgz" % split),
                  [(split + ".original", lines()), (split + ".modern", lines())])


def captions(tmp):
    r = Rng(6)
    make = lambda n: json.dumps({"annotations": [
        {"image_id": 7 + (i * 5) % 9, "id": i, "caption": sentence(r) + (" \n" if i % 6 == 1 else "")}
        for i in range(n)]})
    write_zip(os.path.join(tmp, "captions_train-val2014.zip"),
              [("annotations/captions_train2014.json", make(40)), ("annotations/captions_val2014.json", make(14))])


def news(tmp):
    r = Rng(7)
    stories, urls = {"cnn": [], "dailymail": []}, []
    for i in range(1060):  # a thousandth of the first 1050 is still one
        url = "http://example.org/%d" % i
        name = hashlib.sha1(url.encode()).hexdigest() + ".story"
        body = "\n\n".join(sentence(r) for _ in range(2))
        text = body + "\n\n" + "".join("@highlight\n\n%s\n\n" % sentence(r) for _ in range(2))
        if i == 4:
            text = "@highlight\n\nno story\n"
        if i == 9:
            text = body
        paper = ("cnn", "dailymail")[i % 2]
        stories[paper].append(("%s/stories/%s" % (paper, name), text))
        urls.append(url)
    for paper in stories:
        write_tgz(os.path.join(tmp, paper + "_stories.tgz"), stories[paper])
    put(os.path.join(tmp, "all_train.txt"), "\n".join(urls[:1050] + ["http://example.org/missing"]) + "\n")
    put(os.path.join(tmp, "all_val.txt"), "\n".join(urls[1050:1055]) + "\n")
    put(os.path.join(tmp, "all_test.txt"), "\n".join(urls[1055:]) + "\n")


def lambada(tmp):
    r = Rng(8)
    lines = lambda n: "".join(sentence(r, 6, 20) + " " + WORDS[r.below(12)] + "\n" for _ in range(n))
    novels = io.BytesIO()
    with tarfile.open(fileobj=novels, mode="w") as t:
        for name in "Fantasy/a.txt", "Fantasy/b.txt", "Science/c.txt":
            data = lines(9).encode("utf-8")
            info = tarfile.TarInfo("train-novels/" + name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))
    words = sorted(set(WORDS[:40]))
    write_tgz(os.path.join(tmp, "lambada-dataset.tar.gz"),
              [("train-novels.tar", novels.getvalue()),
               ("lambada_development_plain_text.txt", lines(7)), ("lambada_test_plain_text.txt", lines(6)),
               ("lambada_control_test_data_plain_text.txt", lines(5)),
               ("lambada-vocab-2.txt", "".join("%s\t%d\n" % (w, 100 - i) for i, w in enumerate(words)))])


def agreement(tmp):
    r = Rng(9)
    text = "sentence\torig_sentence\tverb_index\tverb_pos\tn_intervening\tn_diff_intervening\n"
    for i in range(230):
        words = [WORDS[r.below(20)] for _ in range(6 + r.below(5))]
        at = 2 + r.below(len(words) - 2)
        text += '%s\t"""%s"" said"\t%d\t%s\t%d\t%d\n' % (" ".join(words), words[0], at, ("VBZ", "VBP")[i % 2], r.below(2), r.below(2))
    with open(os.path.join(tmp, "agr_50_mostcommon_10K.tsv.gz"), "wb") as f:
        with gzip.GzipFile(fileobj=f, mode="wb", mtime=0) as g:
            g.write(text.encode("utf-8"))


SAYINGS = ("Well, I'll be... damned!", "Don't you 'ever' say that?", "It's 5 o'clock -- CAN'T be.", "Hi",
           "What?! No way.", "She said 'yes' to y'all.", "Stra\u00dfe \u0130stanbul K\u00f6ln.", "...", "rock 'n' roll isn't dead")


def dialogs(tmp, raw):
    r = Rng(10)
    say = lambda: SAYINGS[r.below(len(SAYINGS))] + " " + sentence(r, 2, 5)
    lines, talks, n = "", "", 0
    for d in range(205):
        ids = []
        for k in range(2 + r.below(3)):
            n += 1
            ids.append("L%d" % n)
            lines += "L%d +++$+++ u0 +++$+++ m0 +++$+++ BIANCA +++$+++ %s\n" % (n, say())
        if d == 50:
            ids.insert(1, "L1045")
        talks += "u0 +++$+++ u2 +++$+++ m0 +++$+++ [%s]\n" % ", ".join("'%s'" % i for i in ids)
    lines += "L1045 +++$+++ u0 +++$+++ m0 +++$+++ BIANCA +++$+++ \n"
    cornell = [("cornell movie-dialogs corpus/movie_lines.txt", lines),
               ("cornell movie-dialogs corpus/movie_conversations.txt", talks)]
    daily = [("ijcnlp_dailydialog/dialogues_text.txt",
              "".join("".join(" %s __eou__" % say() for _ in range(1 + r.below(4))) + "\n" for _ in range(130)))]
    chat = lambda n: "".join("%d %s\t%s\n" % (k + 1, "__SILENCE__" if d % 17 == 3 and k == 1 else say(), say())
                             for d in range(n) for k in range(2 + r.below(3)))
    persona = [("train_none_original_no_cands.txt", chat(110)), ("valid_none_original_no_cands.txt", chat(9))]
    film = lambda: "<?xml version=\"1.0\"?>\n" + "".join(
        "  <s id=\"%d\">\n" % (k + 1) + "".join("    <w id=\"%d.%d\">%s</w>\n" % (k, j, w)
                                                for j, w in enumerate(say().split())) + "  </s>\n"
        for k in range(3 + r.below(3))) + "</document>\n"
    films = [("OpenSubtitles/xml/en/1999/%03d.xml" % i, film()) for i in range(105)]
    write_zip(os.path.join(tmp, "cornell_movie_dialogs_corpus.zip"), cornell)
    write_zip(os.path.join(tmp, "ijcnlp_dailydialog.zip"), daily)
    write_tgz(os.path.join(tmp, "convai2.tar.gz"), persona)
    write_tgz(os.path.join(tmp, "en.tar.gz"), films)
    if raw:
        for folder, files in ("raw_data", cornell + daily), ("raw_data/ConvAI2", persona), ("raw_data_2009", films):
            for name, text in files:
                path = os.path.join(raw, folder, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                put(path, text)


def main():
    tmp = sys.argv[1]
    os.makedirs(tmp, exist_ok=True)
    for make in glue, reviews, squad, babi, plays, captions, news, lambada, agreement:
        make(tmp)
    dialogs(tmp, sys.argv[2] if len(sys.argv) > 2 else None)


main()
