# make install and make uninstall, in a folder: what is there, that a plug-in builds against it, that exactly it goes.
case ${T2_BUILD:?} in */release | */static) ;; *) echo "what is installed is the release build" >&2 && exit 77 ;; esac
test -f "$T2_BUILD/lib/libtfrecord.so.0" || { echo "no libtfrecord.so.0: make lib-shared" >&2 && exit 77; }
TOOLS=$(cd "$T2_BUILD/bin" && ls | tr '\n' ' ')
export TOOLS BUILD=$T2_BUILD PAGES=$PWD/pages DESTDIR=$PWD/dest PREFIX=/opt/t2t PYTHON=/usr/bin/python3
[ -x $PYTHON ] || PYTHON=python3
sh "$T2_ROOT/mk/pages.sh" man "$PAGES/man"
sh "$T2_ROOT/mk/pages.sh" completion "$PAGES/completion"
put() { sh "$T2_ROOT/mk/install.sh" "$@"; }
to=$DESTDIR$PREFIX

# Somebody else has files there, too.
mkdir -p "$to/bin" "$to/share/man/man1" "$to/include/t2t"
echo theirs >"$to/bin/theirs"
find dest | sort >before
put tools tfrecord plugin python
find dest | sort >installed
for file in bin/t2t-trainer share/man/man1/tfrec-count.1 share/doc/t2t.c/README.md share/doc/t2t.c/docs/README.md lib/libtfrecord.so lib/pkgconfig/t2t-plugin.pc \
    share/bash-completion/completions/tfrec share/zsh/site-functions/_tfrec share/fish/vendor_completions.d/tfrec.fish \
    include/t2t/datagen/plugin.h include/t2t/base/err.h; do
    [ -f "$to/$file" ] || { echo "not installed: $file" && exit 1; }
done

# A plug-in that knows only what is installed.
if command -v cc >/dev/null; then
    mkdir usr
    cat >usr/count.c <<'C'
#include <stdio.h>

#include "base/alloc.h"
#include "datagen/plugin.h"

struct count {
    struct dg_stream base;
    int i;
    char text[16];
};

static enum t2_status count_next(struct dg_stream *base, struct dg_sample *sample, struct t2_err *err)
{
    struct count *s = (struct count *) base;

    (void) err;
    if (s->i == 7)
        return T2_EOF;
    snprintf(s->text, sizeof s->text, "%d", s->i++);
    sample->targets = t2_slice_of(s->text);
    return T2_OK;
}

static void count_free(struct dg_stream *s)
{
    t2_free(s);
}

static enum t2_status count_open(const struct dg_problem *p, const struct dg_options *options,
                                 enum dg_split split, struct dg_stream **stream, struct t2_err *err)
{
    struct count *s = t2_alloc(1, sizeof *s);

    (void) p, (void) options, (void) split, (void) err;
    s->base.next = count_next;
    s->base.free = count_free;
    s->base.is_clean = true;
    *stream = &s->base;
    return T2_OK;
}

static const struct dg_problem count = {
    .name = "count_to_seven", .summary = "numbers", .targets_vocab = {.kind = DG_VOCAB_BYTES},
    .n_shards = {1, 1, 0}, .open = count_open, .revision = "1",
};

const int dg_plugin_abi = DG_PLUGIN_ABI;
enum t2_status dg_plugin_register(struct t2_err *err)
{
    return dg_register(&count, err);
}
C
    flags=$(sed -n 's/^Cflags: //p' "$to/lib/pkgconfig/t2t-plugin.pc" | sed "s|\${includedir}|$to/include|")
    # shellcheck disable=SC2086 # a list of words
    cc -std=c11 -Wall -Wextra -Werror -shared -fPIC $flags -o usr/count.so usr/count.c
    "$to/bin/t2t-datagen" --quiet --t2t_usr_dir=usr --problem=count_to_seven --data_dir=d
    [ "$("$to/bin/tfrec" cat d/count_to_seven-train-00000-of-00001 | wc -l)" = 7 ]
fi

# The module, with the library of the same prefix.
if "$PYTHON" -c '' 2>/dev/null; then
    module=$(cd "$to" && find lib -name t2t_tfrecord)
    [ -n "$module" ]
    (cd / && PYTHONPATH="$to/${module%/*}" T2T_TFRECORD_LIB="$to/lib" "$PYTHON" - <<'P'
import importlib.metadata, t2t_tfrecord
assert importlib.metadata.version("t2t-tfrecord") == t2t_tfrecord.__version__.split()[0], t2t_tfrecord.__version__
assert t2t_tfrecord.crc32c(b"123456789") == 0xe3069283
P
    )
fi

# Again, from a version that had a file more and wrote one differently: the one goes, the other is replaced.
old=$to/bin/t2t-old
echo old >"$old"
echo "file $(sha256sum <"$old" | cut -c1-64) bin/t2t-old" >>"$to/share/t2t.c/installed.tools"
put tools tfrecord plugin python
rm -rf "$to/$module/__pycache__"
find dest | sort | diff installed -

# What was changed since stays, everything else goes.
echo mine >>"$to/share/doc/t2t.c/README.md"
put --remove 2>err
grep -q "share/doc/t2t.c/README.md' has changed" err
[ "$(find dest -type f | sort | tr '\n' ' ')" = "dest/opt/t2t/bin/theirs dest/opt/t2t/share/doc/t2t.c/README.md " ]
rm -rf "$to/share/doc"
find dest | sort | diff before -
put --remove 2>err && exit 1
grep -q 'nothing was installed' err
