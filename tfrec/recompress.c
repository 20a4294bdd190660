/*
 * tfrec/recompress.c - a stream of records into a sink.
 */
#include "tfrec/recompress.h"

#include "base/pool.h"
#include "tfrec/count_records.h"
#include "tfrecord/record_stream.h"

static enum t2_status consume(void *context, const struct tfr_batch *b, void *result,
                              struct t2_err *err)
{
    struct tfr_sink *sink = context;

    (void) result;
    for (size_t i = 0; i < b->n; i++)
        tfr_sink_add(sink, b->records[i].data.data, b->records[i].data.len_bytes);
    return tfr_sink_status(sink, err);
}

enum t2_status rec_recompress(const struct tfr_inputs *in, const struct tfr_sink_options *options,
                              const char *what, struct t2_pool *pool,
                              struct tfr_sink_report *report, struct t2_err *err)
{
    struct tfr_sink_options o = *options;
    struct tfr_sink *sink = NULL;
    enum t2_status st;

    if (report)
        *report = (struct tfr_sink_report){NULL, 0, 0};
    if (o.cut == TFR_N_SHARDS && o.n_records == TFR_UNKNOWN_COUNT)
        T2_TRY(rec_count_ahead(in, pool, &o.n_records, err));
    o.n_threads = t2_pool_threads(pool);
    T2_TRY(tfr_sink_new(&o, &sink, err));
    struct tfr_stream stream = {.inputs = in, .what = what, .consume = consume, .context = sink};
    st = tfr_stream_run(&stream, pool, err);
    if (st == T2_OK)
        return tfr_sink_commit(sink, report, err);
    tfr_sink_abort(sink);
    return st;
}
