/*
 * tests/support/record_writer.c - record files for tests.
 */
#include "tests/support/record_writer.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/file.h"
#include "tfrecord/writer.h"

struct t_writer {
    struct t2_out *out;
    struct t2_buf frame;
};

enum t2_status t_writer_new(const char *path, struct t_writer **w, struct t2_err *err)
{
    struct t2_out *out = NULL;

    *w = NULL;
    T2_TRY(t2_out_new(path, &out, err));
    *w = t2_alloc(1, sizeof **w);
    **w = (struct t_writer){.out = out};
    return T2_OK;
}

void t_writer_add(struct t_writer *w, const void *payload, size_t len_bytes)
{
    t2_buf_clear(&w->frame);
    tfr_frame(&w->frame, payload, len_bytes);
    t2_out_write(w->out, w->frame.data, w->frame.len_bytes);
}

enum t2_status t_writer_commit(struct t_writer *w, struct t2_err *err)
{
    struct t2_out *out = w->out;

    t2_buf_release(&w->frame);
    t2_free(w);
    return t2_out_commit(out, err);
}
