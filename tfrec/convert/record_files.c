/*
 * tfrec/convert/record_files.c - TFRecord files, in and out: sharding and compression are the
 * sink's.
 */
#include "base/alloc.h"
#include "base/pool.h"
#include "tfrec/convert/formats.h"
#include "tfrecord/sink.h"

struct writer {
    struct rec_writer base;
    char *output;
    struct tfr_sink *sink;
};

static enum t2_status add(struct rec_writer *base, uint64_t number, struct t2_slice made,
                          struct t2_err *err)
{
    struct writer *w = (struct writer *) base;

    tfr_sink_add(w->sink, made.data, made.len_bytes);
    return number % 1024 == 0 ? tfr_sink_status(w->sink, err) : T2_OK;
}

static enum t2_status commit(struct rec_writer *base, struct t2_err *err)
{
    struct writer *w = (struct writer *) base;
    struct tfr_sink *sink = w->sink;

    w->sink = NULL;
    return tfr_sink_commit(sink, NULL, err);
}

static void release(struct rec_writer *base)
{
    struct writer *w = (struct writer *) base;

    tfr_sink_abort(w->sink);
    t2_free(w->output);
    t2_free(w);
}

static enum t2_status create(const struct rec_convert *c, struct rec_writer **out,
                             struct t2_err *err)
{
    struct tfr_sink_options o = {.n_records = TFR_UNKNOWN_COUNT, .unhashed = true};
    struct writer *w;
    enum t2_status st;

    if (!tfr_compression_parse(c->compress, &o.compression))
        return t2_fail(err, T2_EUSAGE, "--compress=%s: there are none, gzip, zlib, bgzip",
                       c->compress);
    if (c->level < 0 || c->level > 9)
        return t2_fail(err, T2_EUSAGE, "--level must be between 1 and 9");
    o.level = (int) c->level;
    o.n_threads = t2_pool_threads(c->pool);
    w = t2_alloc(1, sizeof *w);
    w->base = (struct rec_writer){NULL, NULL, NULL, add, commit, release};
    st = tfr_sink_parse_output(c->output, &w->output, &o, err);
    if (st == T2_OK) {
        o.output = w->output;
        st = tfr_sink_new(&o, &w->sink, err);
    }
    if (st == T2_OK)
        *out = &w->base;
    else
        release(&w->base);
    return st;
}

static enum t2_status find(const struct rec_convert *c, struct tfr_inputs *in, struct t2_err *err)
{
    return tfr_inputs_find(c->inputs, in, err);
}

const struct rec_format rec_format_tfrecord = {"tfrecord", NULL, find, create};
