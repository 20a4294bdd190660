"""python/t2t_translate: translations of a list are those of a file, errors are exceptions.

usage: test_t2t_translate.py MODEL LINES WANTED [N_BEST]     texts, their translations, and with all beams and scores
"""
import sys
import threading
import unittest

import t2t_translate
from t2t_translate import ModelError, Translator

MODEL, LINES, WANTED, N_BEST = sys.argv[1:5]
SETTINGS = {"beam_size": 2, "extra_length": 12}


def lines(path):
    with open(path, encoding="utf-8", newline="\n") as f:
        return f.read().split("\n")[:-1]


class Translate(unittest.TestCase):
    def test_list(self):
        with Translator(MODEL, threads=1, **SETTINGS) as t:
            self.assertEqual(t.translate(lines(LINES)), lines(WANTED))
            self.assertEqual(t.translate(lines(LINES)[:3]), t.translate(tuple(lines(LINES)[:3])))
            self.assertEqual(t.translate([]), [])
            alone = t.translate(lines(LINES)[:1])  # as long as it may be among sources of its own length
            self.assertEqual(t.translate(["", " \t", lines(LINES)[0].encode()]), ["", ""] + alone)
            self.assertEqual(t.cut, 0)
        self.assertEqual(t2t_translate.translate(MODEL, lines(LINES), threads=2, **SETTINGS), lines(WANTED))

    def test_scores(self):
        with Translator(MODEL, return_beams=True, **SETTINGS) as t:
            rows = t.translate_scored(lines(LINES))
        self.assertEqual(["\t".join("%s\t%.2f" % pair for pair in row) for row in rows], lines(N_BEST))

    def test_threads(self):
        results = [None, None]

        def work(i):
            with Translator(MODEL, threads=1, **SETTINGS) as t:
                results[i] = t.translate(lines(LINES))
        workers = [threading.Thread(target=work, args=(i,)) for i in range(2)]
        for w in workers:
            w.start()
        for w in workers:
            w.join()
        self.assertEqual(results, [lines(WANTED)] * 2)

    def test_errors(self):
        with self.assertRaisesRegex(FileNotFoundError, "absent"):
            Translator("absent.safetensors")
        with self.assertRaises(ModelError):
            Translator(LINES)
        with self.assertRaisesRegex(ValueError, "beam_sze"):
            Translator(MODEL, beam_sze=2)
        with self.assertRaisesRegex(ValueError, "device"):
            Translator(MODEL, device="moon")
        t = Translator(MODEL, max_input_size=4, **SETTINGS)
        with self.assertRaisesRegex(ModelError, "text 1, byte 1: not UTF-8"):
            t.translate([b"a", b"b\xff"])
        with self.assertRaises(TypeError):
            t.translate("a text")
        t.translate(["1 2 3 4 5 6 7 8", "1"])
        self.assertEqual(t.cut, 1)
        t.close()
        t.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            t.translate(["1"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
