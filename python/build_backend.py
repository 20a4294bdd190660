"""What `pip install ./python` calls (PEP 517): makes a wheel of t2t_tfrecord and t2t_translate.

A backend of our own, because it takes nothing from anywhere: pip works offline.  Where `make` has built
libtfrecord.so and libt2t_translate.so, the wheel carries them and belongs to this platform; else it is pure
Python, and the libraries that `make install` puts into the system are found when a module is imported.
"""
import base64
import hashlib
import os
import sysconfig
import zipfile

NAME = "t2t_tfrecord"
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
# Packages, their libraries, and the variables that name another library (a file or folder).
PACKAGES = {"t2t_tfrecord": ("libtfrecord.so.0", "T2T_TFRECORD_LIB"),
            "t2t_translate": ("libt2t_translate.so.0", "T2T_TRANSLATE_LIB")}


def _version():
    with open(os.path.join(ROOT, "VERSION")) as f:
        return f.read().strip()


def _library(package):
    """The library that was built, or None."""
    library, variable = PACKAGES[package]
    named = os.environ.get(variable)
    if named:
        return os.path.join(named, library) if os.path.isdir(named) else named
    built = os.path.join(ROOT, "build", "release", "lib", library)
    return built if os.path.exists(built) else None


def _metadata():
    with open(os.path.join(HERE, "README.md"), encoding="utf-8") as f:
        about = f.read()
    return ("Metadata-Version: 2.1\nName: t2t-tfrecord\nVersion: %s\n"
            "Summary: TFRecord files and translations in Python without TensorFlow\n"
            "Requires-Python: >=3.7\nProvides-Extra: numpy\nRequires-Dist: numpy; extra == 'numpy'\n"
            "Description-Content-Type: text/markdown\n\n%s" % (_version(), about)).encode("utf-8")


def _files():
    """(name in the wheel, bytes) of the packages."""
    for package, (library, _) in sorted(PACKAGES.items()):
        folder = os.path.join(HERE, package)
        for name in sorted(os.listdir(folder)):
            if name.endswith(".py"):
                with open(os.path.join(folder, name), "rb") as f:
                    yield package + "/" + name, f.read()
        built = _library(package)
        if built:
            with open(built, "rb") as f:
                yield package + "/" + library, f.read()


def _write(path, files, info, tag):
    record = []
    wheel = ("Wheel-Version: 1.0\nGenerator: t2t.c\nRoot-Is-Purelib: %s\nTag: %s\n"
             % ("true" if tag.endswith("-any") else "false", tag)).encode()
    files = list(files) + [(info + "/METADATA", _metadata()), (info + "/WHEEL", wheel)]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        def add(name, data):
            entry = zipfile.ZipInfo(name)  # of 1980: equal content gives equal bytes
            entry.external_attr = (0o100755 if name.endswith(".so.0") else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            z.writestr(entry, data)
        for name, data in files:
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append("%s,sha256=%s,%d\n" % (name, digest, len(data)))
            add(name, data)
        record.append(info + "/RECORD,,\n")
        add(info + "/RECORD", "".join(record).encode())


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    tag = "py3-none-" + (platform if any(map(_library, PACKAGES)) else "any")
    name = "%s-%s-%s.whl" % (NAME, _version(), tag)
    _write(os.path.join(wheel_directory, name), _files(), "%s-%s.dist-info" % (NAME, _version()), tag)
    return name


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """pip install -e: the folder itself, with the library that lies in build/."""
    tag = "py3-none-any"
    name = "%s-%s-%s.whl" % (NAME, _version(), tag)
    link = [("__editable__.%s.pth" % NAME, (HERE + "\n").encode())]
    _write(os.path.join(wheel_directory, name), link, "%s-%s.dist-info" % (NAME, _version()), tag)
    return name


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_editable(config_settings=None):
    return []


def build_sdist(sdist_directory, config_settings=None):
    raise RuntimeError("t2t_tfrecord has no source distribution of its own: clone the repository and "
                       "`pip install ./python`")
