/*
 * datagen/source/wrapped_stream.c - what streams that change others have in common.
 */
#include "datagen/source/wrapped_stream.h"

void dg_input_files_move(struct dg_input_files *from, struct dg_input_files *to)
{
    for (size_t i = 0; i < from->n; i++) {
        const struct dg_input_file *f = &from->items[i];
        dg_input_files_add(to, f->path, f->role, f->bytes, f->lines, f->sha256);
    }
    dg_input_files_release(from);
}

static enum t2_status wrapped_describe(struct dg_stream *base, struct dg_input_sizes *sizes,
                                       struct t2_err *err)
{
    struct dg_stream *from = ((struct dg_wrapped *) base)->from;

    return dg_stream_describe(from, sizes, err);
}

void dg_wrapped_init(struct dg_wrapped *w, struct dg_stream *from)
{
    w->base.describe = wrapped_describe;
    w->from = from;
}

void dg_wrapped_release(struct dg_wrapped *w)
{
    dg_stream_free(w->from);
    w->from = NULL;
}

enum t2_status dg_wrapped_next(struct dg_wrapped *w, struct dg_sample *sample, struct t2_err *err)
{
    enum t2_status st;

    w->from->hash_on = w->base.hash_on;
    st = w->from->next(w->from, sample, err);
    w->base.is_clean = w->from->is_clean;
    w->base.keep_blanks = w->from->keep_blanks;
    w->base.drop_blank = w->from->drop_blank;
    if (st == T2_EOF)
        dg_input_files_move(&w->from->files, &w->base.files);
    return st;
}
