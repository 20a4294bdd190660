/*
 * tfrec/cmd_tail.c - tfrec tail: the last records.
 *
 * Files are counted from the last one on until there are enough records; only those are read then.  A
 * pipe is read once, and its last records are held.
 */
#include <string.h>

#include "base/pool.h"
#include "base/signals.h"
#include "tfrec/commands.h"
#include "tfrec/kept_records.h"
#include "tfrec/show.h"
#include "tfrecord/reader.h"

static int64_t n_wanted = 10;

/* clang-format off */
static const struct t2_flag table[] = {
    {"n", T2_FLAG_INT, &n_wanted, "N", "How many records, over all inputs: -n 3.", NULL},
    REC_ROW_FLAGS,
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "tfrec tail",
    .usage = "[flags] INPUT...",
    .summary = "Shows the last records as JSON Lines. Of a pipe they are held in memory; of files "
               "only lengths are looked at before them.",
    .examples = "  tfrec tail -n 3 data/x-train@100\n"
                "  tfrec tail --number --fields=label a.tfrecord\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

static enum t2_status keep(void *context, const struct tfr_batch *b, void *result,
                           struct t2_err *err)
{
    struct rec_keeper *k = context;
    size_t from = b->n > k->capacity ? b->n - k->capacity : 0;

    (void) result, (void) err;
    for (size_t i = from; i < b->n; i++)
        rec_keep(k, UINT64_MAX - (b->first + i), b, i);
    return T2_OK;
}

/* Inputs that can be read only once. */
static enum t2_status tail_of_pipe(const struct tfr_inputs *in, const struct rec_row_options *rows,
                                   struct t2_err *err)
{
    struct rec_keeper keeper = {.capacity = (size_t) n_wanted};
    const struct tfr_stream stream = {.inputs = in,
                                      .what = "reading",
                                      .consume = keep,
                                      .context = &keeper};
    struct t2_pool *pool = rec_pool_new();
    enum t2_status st = tfr_stream_run(&stream, pool, err);

    t2_pool_free(pool);
    if (st == T2_OK)
        st = rec_keeper_show(&keeper, rows, err);
    rec_keeper_release(&keeper);
    return st;
}

static bool has_pipe(const struct tfr_inputs *in)
{
    for (size_t i = 0; i < in->n; i++) {
        if (in->files[i].bytes == 0) /* or an empty file, or "-" */
            return true;
    }
    return false;
}

static enum t2_status tail_of_files(const struct tfr_inputs *in, const struct rec_row_options *rows,
                                    struct t2_err *err)
{
    struct rec_range range = {0, UINT64_MAX, 0};
    struct tfr_inputs last = *in;
    uint64_t n_last = 0, n;

    last.n = 0;
    while (last.n < in->n && n_last < (uint64_t) n_wanted) {
        last.n++;
        T2_TRY(t2_check_interrupt(err));
        T2_TRY(tfr_count(in->files[in->n - last.n].path, &n, err));
        n_last += n;
    }
    last.files = in->files + (in->n - last.n);
    for (size_t i = 0; rows->number && i < in->n - last.n; i++) {
        T2_TRY(tfr_count(in->files[i].path, &n, err));
        range.shift += n;
    }
    last.bytes = 0;
    for (size_t i = 0; i < last.n; i++)
        last.bytes += last.files[i].bytes;
    range.first = n_last > (uint64_t) n_wanted ? n_last - (uint64_t) n_wanted : 0;
    range.end = n_last;
    return rec_show_range(&last, rows, &range, err);
}

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    struct rec_row_options rows;
    struct tfr_inputs in;
    enum t2_status st = rec_show_parse(&tool, argc, argv, &rows, &in, &n_wanted, err);

    if (st == T2_OK)
        st = has_pipe(&in) ? tail_of_pipe(&in, &rows, err) : tail_of_files(&in, &rows, err);
    rec_row_options_release(&rows);
    tfr_inputs_release(&in);
    return st;
}

const struct rec_command rec_cmd_tail = {"tail", "Shows the last records as JSON Lines.", run};
