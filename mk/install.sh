#!/bin/sh
# mk/install.sh - copies parts of the build below a prefix and notes what it copied, so that exactly that
# can be removed.
#
#   mk/install.sh PART...     tools, tfrecord, translate, plugin, python
#   mk/install.sh --remove    everything that was ever installed there
#
# From the environment: PREFIX, DESTDIR, BUILD (build/release), VERSION, TOOLS, LIBDIR (lib), CC, PYTHON,
# PYTHONDIR, PAGES (build: the folder of man and completion); NOTE=no writes no list.  The list is share/t2t.c/installed.PART below the prefix: a line
# for each file with its SHA-256, of links with their target, and of folders that were not there before.
set -eu
cd "$(dirname "$0")/.."
: "${PREFIX:=/usr/local}" "${DESTDIR:=}" "${BUILD:=build/release}" "${LIBDIR:=lib}" "${PAGES:=build}" "${VERSION:=$(cat VERSION)}"
to=$DESTDIR$PREFIX
lists=$to/share/t2t.c

hash_of() {
    sha256sum <"$1" | cut -c1-64
}

note() { # kind, what it is, path below the prefix
    printf '%s %s %s\n' "$1" "$2" "$3" >>"$new"
}

# A folder and those above it, noting what was not there.
folder() { # path below the prefix
    [ ! -d "$to/$1" ] || return 0
    case $1 in */*) folder "${1%/*}" ;; *) [ -d "$to" ] || install -d "$to" ;; esac
    install -d "$to/$1"
    note folder - "$1"
}

put() { # mode, source, path below the prefix
    folder "${3%/*}"
    install -m "$1" "$2" "$to/$3"
    note file "$(hash_of "$to/$3")" "$3"
}

link() { # target, path below the prefix
    ln -sfn "$1" "$to/$2"
    note link "$1" "$2"
}

install_tools() {
    for tool in $TOOLS; do
        put 755 "$BUILD/bin/$tool" "bin/$tool"
        put 644 "$PAGES/completion/$tool.bash" "share/bash-completion/completions/$tool"
        put 644 "$PAGES/completion/$tool.zsh" "share/zsh/${ZSH_FOLDER:-site-functions}/_$tool"
        put 644 "$PAGES/completion/$tool.fish" "share/fish/vendor_completions.d/$tool.fish"
    done
    for page in "$PAGES"/man/*.1; do
        put 644 "$page" "share/man/man1/${page##*/}"
    done
    for page in README.md LICENSE CHANGELOG.md docs/*.md docs/*/*.yaml; do
        put 644 "$page" "share/doc/t2t.c/$page" # links between documents hold
    done
}

# Makes a pkg-config file of its template.
put_pc() { # name
    sed -e "s|@PREFIX@|$PREFIX|" -e "s|@LIBDIR@|$LIBDIR|" -e "s|@VERSION@|$VERSION|" "mk/$1.pc.in" >"$new.pc"
    put 644 "$new.pc" "$LIBDIR/pkgconfig/$1.pc"
    rm -f "$new.pc"
}

install_tfrecord() {
    put 755 "$BUILD/lib/libtfrecord.so.0" "$LIBDIR/libtfrecord.so.0"
    link libtfrecord.so.0 "$LIBDIR/libtfrecord.so"
    put 644 tfrecord/tfrecord_api.h include/t2t/tfrecord_api.h
    put_pc tfrecord
}

install_translate() {
    [ -f "$BUILD/lib/libt2t_translate.so.0" ] || return 0
    put 755 "$BUILD/lib/libt2t_translate.so.0" "$LIBDIR/libt2t_translate.so.0"
    link libt2t_translate.so.0 "$LIBDIR/libt2t_translate.so"
    put 644 train/trained/translate_api.h include/t2t/translate_api.h
    put_pc t2t_translate
}

# What a plug-in includes: datagen/plugin.h, train/models/model_plugin.h, what streams and models are written
# with, and all that these include.
install_plugin() {
    for header in $(printf '#include "%s"\n' datagen/plugin.h base/alloc.h base/log.h base/text.h train/ops/*.h \
        train/models/model_plugin.h train/models/cnn_parts.h train/models/symbol_loss.h train/models/transformer_parts.h |
        ${CC:-cc} -std=c11 -D_GNU_SOURCE -I. -MM -x c - | tr -d '\\' | tr ' ' '\n' | grep -E '\.(h|def)$'); do
        put 644 "$header" "include/t2t/$header"
    done
    put_pc t2t-plugin
}

# Where Python looks below the prefix; else where it would, were the prefix its own.
python_folder() {
    "$python" - "$PREFIX" <<'P'
import os, site, sys
prefix = os.path.normpath(sys.argv[1])
below = [os.path.relpath(p, prefix) for p in site.getsitepackages()]
below = [p for p in below if p.startswith("lib" + os.sep)]
print(below[0] if below else "lib/python%d.%d/site-packages" % sys.version_info[:2])
P
}

install_python() {
    python=${PYTHON:-$([ -x /usr/bin/python3 ] && echo /usr/bin/python3 || echo python3)}
    [ "$python" != no ] || return 0
    folder=${PYTHONDIR:-}
    if [ -z "$folder" ]; then
        command -v "$python" >/dev/null || { echo "no $python: the Python module is left out" >&2 && return 0; }
        folder=$(python_folder)
    fi
    for file in python/t2t_*/*.py; do
        put 644 "$file" "$folder/${file#python/}"
    done
    printf 'Metadata-Version: 2.1\nName: t2t-tfrecord\nVersion: %s\n' "$VERSION" >"$new.info"
    put 644 "$new.info" "$folder/t2t_tfrecord-$VERSION.dist-info/METADATA"
    printf 'make\n' >"$new.info"
    put 644 "$new.info" "$folder/t2t_tfrecord-$VERSION.dist-info/INSTALLER"
    rm -f "$new.info"
}

# The lines of the first list whose paths the second does not have.
only_in() {
    awk '{ path = $0; sub(/^[^ ]+ [^ ]+ /, "", path) } NR == FNR { kept[path]; next } !(path in kept)' "$2" "$1"
}

# Removes what is listed; what is no longer what was installed stays, and so do folders that hold more.
remove() { # list
    while read -r kind what path; do
        case /$path/ in */../* | //*) echo "damaged list, nothing more is removed: '$path'" >&2 && exit 1 ;; esac
        case $kind in
        file)
            if [ ! -e "$to/$path" ] || [ "$(hash_of "$to/$path")" = "$what" ]; then
                rm -f "$to/$path"
            else
                echo "'$to/$path' has changed since it was installed: it stays" >&2
            fi
            ;;
        link) [ "$(readlink "$to/$path")" != "$what" ] || rm -f "$to/$path" ;;
        esac
    done <"$1"
    # those below first; Python leaves its own in the folder of a module
    sed -n 's/^folder - //p' "$1" | LC_ALL=C sort -ru | while read -r path; do
        case $path in */t2t_tfrecord) rm -rf "$to/$path/__pycache__" ;; esac
        [ ! -d "$to/$path" ] || rmdir "$to/$path" 2>/dev/null || :
    done
}

# Copies a part; what an earlier version had and this one has not goes.
install_part() { # part
    : >"$new"
    "install_$1"
    [ "${NOTE:-yes}" != no ] || return 0
    folder share/t2t.c
    if [ -f "$lists/installed.$1" ]; then
        only_in "$lists/installed.$1" "$new" >"$new.old"
        grep -v '^folder ' "$new.old" >"$new.gone" || :
        remove "$new.gone"
        grep '^folder ' "$new.old" >>"$new" || :
        rm -f "$new.old" "$new.gone"
    fi
    cp "$new" "$lists/installed.$1"
}

new=$(mktemp)
trap 'rm -f "$new"' EXIT
if [ "${1:-}" = --remove ]; then
    cat "$lists"/installed.* >"$new" 2>/dev/null || { echo "nothing was installed by make install below $to" >&2 && exit 1; }
    rm -f "$lists"/installed.*
    remove "$new"
else
    for part in "$@"; do
        install_part "$part"
    done
fi
# the cache of the dynamic linker, where it is about this machine
[ -n "$DESTDIR" ] || [ "$(id -u)" != 0 ] || ldconfig 2>/dev/null || :
