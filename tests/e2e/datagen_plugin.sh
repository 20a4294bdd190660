#!/usr/bin/env bash
# A plug-in that brings a problem of its own: compiled with the public headers, loaded, generated; one of
# another version is refused.
set -eu
command -v cc >/dev/null || { echo "no C compiler for the plug-in" >&2; exit 77; }
source_root=$T2_ROOT
mkdir usr
cat >usr/squares.c <<'END'
#include <stdio.h>

#include "base/alloc.h"
#include "datagen/plugin.h"

struct squares {
    struct dg_stream base;
    int64_t i;
    char text[32];
};

static enum t2_status squares_next(struct dg_stream *base, struct dg_sample *sample, struct t2_err *err)
{
    struct squares *s = (struct squares *) base;

    (void) err;
    if (s->i == 20)
        return T2_EOF;
    snprintf(s->text, sizeof s->text, "%d", (int) (s->i * s->i));
    sample->targets = t2_slice_of(s->text);
    ++s->i;
    return T2_OK;
}

static void squares_free(struct dg_stream *s)
{
    t2_free(s);
}

static enum t2_status squares_open(const struct dg_problem *p, const struct dg_options *options,
                                   enum dg_split split, struct dg_stream **stream, struct t2_err *err)
{
    struct squares *s = t2_alloc(1, sizeof *s);

    (void) p, (void) options, (void) split, (void) err;
    s->base.next = squares_next;
    s->base.free = squares_free;
    s->base.is_clean = true;
    *stream = &s->base;
    return T2_OK;
}

static enum t2_status mark(const struct dg_problem *p, const struct dg_texts *texts, struct dg_record *r,
                           struct t2_err *err)
{
    (void) p, (void) texts, (void) err;
    dg_feature_push(dg_record_add(r, "length", TFR_INT64), (int64_t) dg_record_find(r, "targets")->n);
    return T2_OK;
}

static const struct dg_problem squares = {
    .name = "squares_of_numbers",
    .summary = "squares",
    .targets_vocab = {.kind = DG_VOCAB_BYTES},
    .n_shards = {2, 1, 0},
    .open = squares_open,
    .record.finish = mark,
    .revision = "1",
};

#ifndef ABI
#define ABI DG_PLUGIN_ABI
#endif
const int dg_plugin_abi = ABI;
enum t2_status dg_plugin_register(struct t2_err *err)
{
    return dg_register(&squares, err);
}
END
cc -shared -fPIC -D_GNU_SOURCE -I"$source_root" -o usr/squares.so usr/squares.c
t2t-datagen --quiet --t2t_usr_dir=usr --problem=squares_of_numbers --data_dir=d
[ "$(tfrec cat d/squares_of_numbers-train-0000?-of-00002 | wc -l)" = 20 ]
tfrec cat d/squares_of_numbers-dev-00000-of-00001 | grep -qx '{"length":\[4\],"targets":\[53,56,51,1\]}'

refused() { # words of the message
    if t2t-datagen --t2t_usr_dir=usr --problem=squares_of_numbers --data_dir=d 2>err; then
        echo "was not refused" >&2
        exit 1
    fi
    grep -q "$1" err || { cat err >&2; exit 1; }
}
cc -shared -fPIC -D_GNU_SOURCE -DABI=99 -I"$source_root" -o usr/squares.so usr/squares.c
refused 'another version of this program (interface 99'
printf 'int x;\n' >usr/none.c
cc -shared -fPIC -o usr/squares.so usr/none.c
refused 'defines no dg_plugin_abi'
printf '#include "datagen/plugin.h"\nconst int dg_plugin_abi = DG_PLUGIN_ABI;\n' >usr/none.c
cc -shared -fPIC -D_GNU_SOURCE -I"$source_root" -o usr/squares.so usr/none.c
refused 'defines no dg_plugin_register'
