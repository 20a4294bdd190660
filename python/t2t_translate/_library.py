"""libt2t_translate.so through ctypes: where it is, its functions, its errors."""
import ctypes
import ctypes.util
import os

OK, EUSAGE, EIO, EFORMAT, ENOTFOUND, ENOMEM, EDEVICE, EUNSUPPORTED = range(8)
API_VERSION = 1
FILE = "libt2t_translate.so.0"


class ModelError(ValueError):
    """The file is no such model, or is damaged; or a text is no UTF-8."""


class UnsupportedError(Exception):
    """Valid, but not in this version of the library."""


class DeviceError(Exception):
    """The device failed, or there is none."""


_EXCEPTIONS = {EUSAGE: ValueError, EIO: OSError, EFORMAT: ModelError, ENOTFOUND: FileNotFoundError,
               ENOMEM: MemoryError, EDEVICE: DeviceError, EUNSUPPORTED: UnsupportedError}


def _candidates():
    named = os.environ.get("T2T_TRANSLATE_LIB")
    if named:
        yield os.path.join(named, FILE) if os.path.isdir(named) else named
        return
    here = os.path.dirname(os.path.abspath(__file__))
    root = os.path.dirname(os.path.dirname(here))
    for folder in (here, os.path.join(root, "build", "release", "lib"), os.path.join(root, "lib")):
        path = os.path.join(folder, FILE)
        if os.path.exists(path):
            yield path
    yield FILE
    found = ctypes.util.find_library("t2t_translate")
    if found:
        yield found
    for prefix in ("/usr/local/lib", "/usr/lib"):
        yield os.path.join(prefix, FILE)


def _open():
    tried = []
    for path in _candidates():
        try:
            return ctypes.CDLL(path)
        except OSError as e:
            tried.append("%s (%s)" % (path, e))
    raise ImportError("%s is not found; `make lib-shared` builds it, `make install` installs it, "
                      "T2T_TRANSLATE_LIB names it.  Tried: %s" % (FILE, "; ".join(tried)))


def _declare(lib):
    handle, text, size, status = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int
    out = ctypes.POINTER
    table = {
        "t2t_translate_api_version": (status, []),
        "t2t_translate_version": (text, []),
        "t2t_translate_error": (text, []),
        "t2t_translator_open": (status, [text, text, text, status, out(handle)]),
        "t2t_translator_close": (None, [handle]),
        "t2t_translator_run": (status, [handle, out(text), out(size), size]),
        "t2t_translator_n_best": (size, [handle]),
        "t2t_translator_text": (handle, [handle, size, size, out(size)]),
        "t2t_translator_score": (ctypes.c_double, [handle, size, size]),
        "t2t_translator_n_cut": (size, [handle]),
    }
    for name, (result, arguments) in table.items():
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    return lib


lib = _declare(_open())
if lib.t2t_translate_api_version() < API_VERSION:
    raise ImportError("%s is older than this module: interface %d, %d is needed"
                      % (FILE, lib.t2t_translate_api_version(), API_VERSION))


def check(status):
    """Raises what a status means."""
    if status != OK:
        raise _EXCEPTIONS.get(status, OSError)(lib.t2t_translate_error().decode("utf-8", "replace"))
