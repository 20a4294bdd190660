"""Translations by a model in one file, without a compiler or any other package.

    from t2t_translate import Translator

    with Translator("model.safetensors") as t:       # t2t-exporter --format=bundle
        t.translate(["A text.", "Another one."])     # a list of as many texts
"""
import ctypes

from ._library import (DeviceError, ModelError, UnsupportedError, check, lib)

__all__ = ["Translator", "ModelError", "UnsupportedError", "DeviceError", "translate"]
__version__ = lib.t2t_translate_version().decode()


def _clauses(settings):
    """beam_size=4, return_beams=True as --decode_hparams has them."""
    return ",".join("%s=%s" % (k, str(v).lower() if isinstance(v, bool) else v) for k, v in settings.items())


class Translator:
    """A model that is loaded.  Settings are the keys of t2t-decoder's --decode_hparams: beam_size=1, ...

    One thread at a time; after fork, and in other processes, make one anew.
    """

    def __init__(self, model, device="auto", threads=0, **settings):
        handle = ctypes.c_void_p()
        check(lib.t2t_translator_open(str(model).encode(), _clauses(settings).encode(), device.encode(), threads,
                                      ctypes.byref(handle)))
        self._handle = handle

    def close(self):
        handle, self._handle = getattr(self, "_handle", None), None
        if handle:
            lib.t2t_translator_close(handle)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    __del__ = close

    def _run(self, texts):
        if isinstance(texts, (str, bytes)):
            raise TypeError("a list of texts is wanted; for one text: translate([text])[0]")
        if not self._handle:
            raise ValueError("the translator is closed")
        encoded = [x if isinstance(x, bytes) else x.encode("utf-8") for x in texts]
        n = len(encoded)
        check(lib.t2t_translator_run(self._handle, (ctypes.c_char_p * n)(*encoded),
                                     (ctypes.c_size_t * n)(*map(len, encoded)), n))
        return n

    def _text(self, i, k):
        size = ctypes.c_size_t()
        at = lib.t2t_translator_text(self._handle, i, k, ctypes.byref(size))
        return ctypes.string_at(at, size.value).decode("utf-8", "replace")

    def translate(self, texts):
        """The best translation of each text, in their order."""
        return [self._text(i, 0) for i in range(self._run(texts))]

    def translate_scored(self, texts):
        """Of each text a list of (translation, score), the best first: with return_beams=True beam_size of them."""
        n = self._run(texts)
        return [[(self._text(i, k), lib.t2t_translator_score(self._handle, i, k))
                 for k in range(lib.t2t_translator_n_best(self._handle))] for i in range(n)]

    @property
    def cut(self):
        """How many texts of the last call lost their ends (max_input_size, or memory)."""
        return lib.t2t_translator_n_cut(self._handle) if self._handle else 0


def translate(model, texts, **settings):
    """Loads a model for one list of texts."""
    with Translator(model, **settings) as t:
        return t.translate(texts)
