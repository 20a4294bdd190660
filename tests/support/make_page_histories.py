"""Writes a dump of page histories as Wikipedia's, of words that a program draws: make_page_histories.py OUT SEED PAGES."""
import random
import sys

WORDS = ("the a of in was is and to river town music film war king city north south school game first second year people "
         "water church born died played written known large small old new Zürich café naïve 東京 Ωmega").split()
MARKS = ["'''{}'''", "[[{}]]", "[[x y|{}]]", "[[File:{}]]", "{{{{box {}}}}}", "&lt;ref name=a&gt;{}&lt;/ref&gt;", "&quot;{}&quot;"]


def line(draw):
    words = [draw.choice(WORDS) for _ in range(draw.randint(1, 60))]
    for i in range(len(words)):
        if draw.random() < 0.06:
            words[i] = draw.choice(MARKS).format(words[i])
    return draw.choice(["", "", "", "", "", "* ", "== ", "| "]) + " ".join(words) + draw.choice([".", "", "!"])


def edited(draw, lines):
    lines = list(lines)
    for _ in range(draw.randint(0, 4)):
        kind = draw.randint(0, 5)
        at = draw.randrange(len(lines) + 1)
        if kind == 0 or not lines:
            lines.insert(at, line(draw))
        elif kind == 1 and at < len(lines):
            del lines[at]
        elif at < len(lines):
            words = lines[at].split(" ")
            words[draw.randrange(len(words))] = draw.choice(WORDS + ["{", "}", "[[", "'''", "&lt;ref"][: 40 if kind == 2 else 35])
            lines[at] = " ".join(words)
    return lines


def write(out, seed, n_pages):
    draw = random.Random(seed)
    with open(out, "w", encoding="utf-8", newline="\n") as f:
        f.write('<mediawiki xml:lang="en">\n  <siteinfo>\n    <sitename>Test</sitename>\n  </siteinfo>\n')
        for page in range(n_pages):
            title = draw.choice(["", "", "", "Talk:"]) + "Page %d é" % page
            f.write("  <page>\n    <title>%s</title>\n    <ns>0</ns>\n    <id>%d</id>\n" % (title, page + 1))
            lines = [line(draw) for _ in range(draw.randint(0, 30))]
            for number in range(draw.choice([1, 2, 3, 8, 30])):
                lines = edited(draw, lines)
                f.write("    <revision>\n      <id>%d</id>\n      <comment>edit</comment>\n" % number)
                if draw.random() < 0.03:
                    f.write('      <text bytes="0" deleted="deleted" />\n')
                else:
                    f.write('      <text bytes="1" xml:space="preserve">%s</text>\n' % "\n".join(lines))
                f.write("      <sha1>x</sha1>\n    </revision>\n")
            f.write("  </page>\n")
        f.write("</mediawiki>\n")


if __name__ == "__main__":
    write(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
