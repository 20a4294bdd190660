/*
 * tfrec/cmd_filter.c - tfrec filter, and select, which is the same: records that a condition picks.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "base/pool.h"
#include "tfrec/commands.h"
#include "tfrec/filter.h"
#include "tfrec/rewrite.h"

static const char *where_text;
static bool invert, count, explain, no_index;

/* clang-format off */
static const struct t2_flag table[] = {
    {"where", T2_FLAG_STRING, &where_text, "EXPR", "The condition; see below.", NULL},
    {"invert", T2_FLAG_BOOL, &invert, NULL, "Takes the records for which the condition is false.", NULL},
    {"count", T2_FLAG_BOOL, &count, NULL, "Prints how many there are, not the records.", NULL},
    {"explain", T2_FLAG_BOOL, &explain, NULL,
     "Says for each file whether its index was enough or all records were read.", NULL},
    {"no_index", T2_FLAG_BOOL, &no_index, NULL, "Reads all records even where an index would do.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "Output (default: rows, as tfrec cat shows them)", NULL},
    REC_REWRITE_FLAGS,
    REC_ROW_FLAGS,
};
/* clang-format on */

static struct t2_tool tool = {
    .name = "tfrec filter",
    .usage = "--where=EXPR [flags] INPUT...",
    .summary = "Takes the records for which a condition is true. An index made by `tfrec index "
               "--with=FEATURE,...` answers it without reading the others.",
    .examples = "  tfrec filter --where='len(inputs) < 64 && label == 3' -o short.tfrecord x@100\n"
                "  tfrec filter --where='image/format != \"JPEG\"' --count data/\n"
                "\n" REC_WHERE_HELP,
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

static enum t2_status print_count(const struct rec_filter *f, bool as_json, struct t2_err *err)
{
    struct t2_buf text = {NULL, 0, 0};
    struct t2_out *out = NULL;
    struct t2_json j;
    enum t2_status st = t2_out_new("-", &out, err);

    if (st != T2_OK)
        return st;
    if (as_json) {
        t2_json_init(&j, &text, 0);
        t2_json_object(&j);
        t2_json_kv_u64(&j, "matched", f->n_taken);
        t2_json_kv_u64(&j, "records", f->n_records);
        t2_json_kv_u64(&j, "by_index", f->n_by_index);
        t2_json_end_object(&j);
        t2_buf_push(&text, '\n');
    } else {
        t2_buf_printf(&text, "%" PRIu64 "\n", f->n_taken);
    }
    t2_out_write(out, text.data, text.len_bytes);
    t2_buf_release(&text);
    return t2_out_commit(out, err);
}

static enum t2_status write_records(struct rec_filter *f, const struct tfr_inputs *in,
                                    struct t2_pool *pool, struct t2_err *err)
{
    T2_TRY(rec_rewrite_open(TFR_UNKNOWN_COUNT, &f->sink, err));
    T2_TRY(rec_rewrite_close(f->sink, rec_filter_run(f, in, pool, err), err));
    t2_info("%" PRIu64 " of %" PRIu64 " records written to '%s'", f->n_taken, f->n_records,
            rec_rewrite_given.output);
    return T2_OK;
}

/* Rows before a failure are shown. */
static enum t2_status show_rows(struct rec_filter *f, const struct tfr_inputs *in,
                                struct t2_pool *pool, struct t2_err *err)
{
    struct rec_row_options rows = {0};
    struct t2_err late = T2_ERR_INIT;
    enum t2_status st = rec_row_flags_read(&rows, in, err);

    f->rows = &rows;
    if (st == T2_OK)
        st = t2_out_new("-", &f->out, err);
    if (st == T2_OK) {
        st = rec_filter_run(f, in, pool, err);
        if (t2_out_commit(f->out, &late) != T2_OK && st == T2_OK) {
            *err = late;
            st = err->status;
        }
    }
    rec_row_options_release(&rows);
    return st;
}

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    struct rec_filter f = {.where = NULL};
    struct rec_where *where = NULL;
    struct t2_pool *pool = NULL;
    struct tfr_inputs in;
    const char *shape = rec_row_given.json; /* until --json is given */
    enum t2_status st;

    if (strcmp(argv[0], rec_cmd_select.name) == 0)
        tool.name = "tfrec select";
    st = rec_parse_inputs(&tool, argc, argv, &in, err);
    if (st == T2_OK && !where_text)
        st = t2_fail(err, T2_EUSAGE, "which records? --where='len(inputs) < 64' (see --help)");
    if (st == T2_OK && !rec_rewrite_given.output &&
        !t2_slice_eq(t2_slice_of(rec_rewrite_given.compress), t2_slice_of("none")))
        st = t2_fail(err, T2_EUSAGE, "--compress is for records: --output=FILE is missing");
    if (st == T2_OK && count && rec_rewrite_given.output)
        st = t2_fail(err, T2_EUSAGE, "--count prints a number, --output writes records: which?");
    if (st == T2_OK && rec_where_parse(where_text, &where, err) != T2_OK)
        st = t2_wrap(err, "--where");
    if (st == T2_OK) {
        f.where = where;
        f.invert = invert;
        f.explain = explain;
        f.no_index = no_index;
        pool = rec_pool_new();
        if (rec_rewrite_given.output)
            st = write_records(&f, &in, pool, err);
        else if (!count)
            st = show_rows(&f, &in, pool, err);
        else if ((st = rec_filter_run(&f, &in, pool, err)) == T2_OK)
            st = print_count(&f, rec_row_given.json != shape, err);
        t2_pool_free(pool);
    }
    for (size_t i = 0; st == T2_OK && f.n_records > 0 && i < f.unseen.n; i++)
        t2_warn("no record has a feature '%s' (`tfrec schema` lists them)", f.unseen.items[i]);
    t2_strs_release(&f.unseen);
    rec_where_free(where);
    tfr_inputs_release(&in);
    return st;
}

const struct t2_command rec_cmd_filter = {"filter", "Takes the records that match a condition.",
                                          run};
const struct t2_command rec_cmd_select = {"select", "The same as filter.", run};
