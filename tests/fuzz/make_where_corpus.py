"""Writes tests/fuzz/corpus/where/: one expression a file, every operator and function once."""
import os

EXPRESSIONS = """
len(a) < 64 && f == 0.5
!(has(e) || has(n)) && s =~ '^b.*[c-d]{1,3}$'
a[1] + 1 > 0 && a[-2] - 1 < 0 || a[2] / -1 % 7 != 3
min(a) * max(f) + sum(a) >= bytes() - record()
s in ("x", 'b\\0c', "\\x62\\"", 3, -1.5e3, `e`)
((((a))))
- - -1 == .5
a =~ 'x++++++++++++++++++++++++++++++++++++++++++'
a =~ 'x+++++++++?+++++++++'
a =~ '(x*{50})?{50}*+++++'
a =~ ')++++++?+++?+++++++A+'
9223372036854775807 * 2 <= -9223372036854775808
""".strip().split("\n")

folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus", "where")
os.makedirs(folder, exist_ok=True)
for number, text in enumerate(EXPRESSIONS):
    with open(os.path.join(folder, f"e{number}"), "w", encoding="ascii") as f:
        f.write(text)
