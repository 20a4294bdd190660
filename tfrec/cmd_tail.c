/*
 * tfrec/cmd_tail.c - tfrec tail: the last records.
 *
 * Files are counted (by index, manifest or reading lengths) from the last one on until there are
 * enough records; only those are read then, and of a file with an index only what is shown.  A pipe
 * is read once, and its last records are held.
 */
#include <inttypes.h>

#include "base/file.h"
#include "base/pool.h"
#include "base/signals.h"
#include "tfrec/chosen_records.h"
#include "tfrec/commands.h"
#include "tfrec/count_records.h"
#include "tfrec/show.h"
#include "tfrecord/record_index.h"

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

/* Records of a file with an index from number `from` on: what is before them is not looked at. */
static enum t2_status show_rest(const char *path, uint64_t from, uint64_t shift,
                                const struct rec_row_options *rows, struct t2_err *err)
{
    struct tfr_file *f = NULL;
    struct t2_out *out = NULL;
    struct rec_row row = {0};
    struct t2_buf text = {0};
    struct t2_slice record;
    enum t2_status st;

    T2_TRY(tfr_file_open(path, &f, err));
    st = t2_out_new("-", &out, err);
    for (uint64_t i = from; st == T2_OK && i < tfr_file_count(f); i++) {
        t2_buf_clear(&text);
        st = tfr_file_get(f, i, &record, err);
        if (st == T2_OK) {
            st = rec_row_show(rows, &row, shift + i, record, &text, err);
            if (st != T2_OK)
                st = t2_wrap(err, "'%s': record %" PRIu64 " at offset %" PRIu64, path, i,
                             tfr_file_index(f)->offsets[i]);
        }
        t2_out_write(out, text.data, text.len_bytes);
        if (st == T2_OK)
            st = t2_out_status(out, err);
        if (st == T2_OK)
            st = t2_check_interrupt(err);
    }
    if (out) { /* what came before a failure is shown */
        struct t2_err late = T2_ERR_INIT;
        if (t2_out_commit(out, &late) != T2_OK && st == T2_OK) {
            *err = late;
            st = err->status;
        }
    }
    tfr_file_free(f);
    rec_row_release(&row);
    t2_buf_release(&text);
    return st;
}

static enum t2_status tail_of_files(const struct tfr_inputs *in, const struct rec_row_options *rows,
                                    struct t2_err *err)
{
    struct rec_range range = {0, UINT64_MAX, 0};
    enum rec_count_by by = REC_COUNT_READING;
    uint64_t n_last = 0, n = 0;
    struct tfr_inputs last = *in;

    last.n = 0;
    while (last.n < in->n && n_last < (uint64_t) n_wanted) {
        last.n++;
        T2_TRY(t2_check_interrupt(err));
        T2_TRY(rec_count_file(&in->files[in->n - last.n], false, &n, &by, err));
        n_last += n;
    }
    last.files = in->files + (in->n - last.n);
    for (size_t i = 0; rows->number && i < in->n - last.n; i++) {
        uint64_t before;
        enum rec_count_by unused;
        T2_TRY(rec_count_file(&in->files[i], false, &before, &unused, err));
        range.shift += before;
    }
    range.first = n_last > (uint64_t) n_wanted ? n_last - (uint64_t) n_wanted : 0;
    range.end = n_last;
    if (range.first > 0 && by == REC_COUNT_INDEX) {
        T2_TRY(show_rest(last.files[0].path, range.first, range.shift, rows, err));
        last.files++;
        last.n--;
        range = (struct rec_range){0, n_last - n, range.shift + n};
    }
    last.bytes = 0;
    for (size_t i = 0; i < last.n; i++)
        last.bytes += last.files[i].bytes;
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

const struct t2_command rec_cmd_tail = {"tail", "Shows the last records as JSON Lines.", run};
