/*
 * tfrec/cmd_schema.c - tfrec schema: what the records have in common, for people and other
 * programs.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/shown.h"
#include "tfrec/commands.h"
#include "tfrec/schema.h"
#include "tfrec/schema_formats.h"
#include "tfrec/schema_json.h"

static const char *format = "table";
static const char *output = "-";
static bool as_json;

/* clang-format off */
static const struct t2_flag table[] = {
    {"format", T2_FLAG_STRING, &format, "NAME", "table; json (ours, `tfrec verify --schema` reads it); pbtxt "
     "(TensorFlow Metadata's schema.pbtxt); tfds (features.json of TensorFlow Datasets); parsing_spec (Python for "
     "tf.io.parse_example).", NULL},
    {"json", T2_FLAG_BOOL, &as_json, NULL, "The same as --format=json.", NULL},
    {"o", T2_FLAG_STRING, &output, "FILE", "Write there instead of the standard output.", NULL},
    {"output", T2_FLAG_STRING, &output, "FILE", "The same as -o.", NULL},
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "tfrec schema",
    .usage = "[flags] INPUT...",
    .summary = "Reads all records and says which features they have: kind, in how many records, "
               "length of the lists, range of the values. Records that disagree on a kind are "
               "named. Holds the names of features only (at most 8192).",
    .examples = "  tfrec schema train.tfrecord\n"
                "  tfrec schema --format=parsing_spec data/x-train@100 >spec.py\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

static enum t2_status print(const struct rec_schema *s, const struct tfr_inputs *in,
                            struct t2_buf *out, struct t2_err *err)
{
    if (as_json || strcmp(format, "json") == 0)
        rec_schema_print_json(s, in, out);
    else if (strcmp(format, "table") == 0)
        rec_schema_print_table(s, in, out);
    else if (strcmp(format, "pbtxt") == 0)
        rec_schema_print_pbtxt(s, out);
    else if (strcmp(format, "tfds") == 0)
        rec_schema_print_tfds(s, out);
    else if (strcmp(format, "parsing_spec") == 0)
        T2_TRY(rec_schema_print_parsing_spec(s, in, out, err));
    else
        return t2_fail(err, T2_EUSAGE,
                       "--format=%s: there are table, json, pbtxt, tfds, parsing_spec", format);
    return T2_OK;
}

static enum t2_status write_out(const struct t2_buf *text, struct t2_err *err)
{
    struct t2_out *out = NULL;

    T2_TRY(t2_out_new(output, &out, err));
    t2_show_out(t2_buf_slice(text), strcmp(format, "table") != 0, out); /* others have escapes */
    return t2_out_commit(out, err);
}

/* Other programs do not read what the table says below itself. */
static void warn(const struct rec_schema *s, const struct tfr_inputs *in)
{
    struct t2_buf text = {NULL, 0, 0};
    struct t2_strs lines = {NULL, 0, 0};

    rec_schema_print_disagreements(s, in, &text);
    t2_strs_split(&lines, t2_buf_cstr(&text), '\n');
    for (size_t i = 0; i < lines.n; i++) {
        if (lines.items[i][0])
            t2_warn("%s", lines.items[i]);
    }
    t2_strs_release(&lines);
    t2_buf_release(&text);
}

static enum t2_status describe(const struct tfr_inputs *in, struct t2_err *err)
{
    struct t2_pool *pool = rec_pool_new();
    struct rec_schema *s = NULL;
    struct t2_buf text = {NULL, 0, 0};
    enum t2_status st = rec_schema_discover(in, pool, &s, err);

    t2_pool_free(pool);
    if (st == T2_OK)
        st = print(s, in, &text, err);
    if (st == T2_OK && strcmp(format, "table") != 0)
        warn(s, in);
    if (st == T2_OK)
        st = write_out(&text, err);
    t2_buf_release(&text);
    rec_schema_free(s);
    return st;
}

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    static const struct rec_schema nothing;
    static const struct tfr_inputs none;
    struct t2_buf trial = {NULL, 0, 0};
    struct tfr_inputs in;
    enum t2_status st = rec_parse_inputs(&tool, argc, argv, &in, err);

    if (st == T2_OK) /* a wrong format is said before everything is read */
        st = print(&nothing, &none, &trial, err);
    t2_buf_release(&trial);
    if (st == T2_OK)
        st = describe(&in, err);
    tfr_inputs_release(&in);
    return st;
}

const struct t2_command rec_cmd_schema = {
    "schema", "Says which features the records have; also for TFX, TFDS, tf.io.", run};
