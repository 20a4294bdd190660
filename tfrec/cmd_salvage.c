/*
 * tfrec/cmd_salvage.c - tfrec salvage: saves the sound records of damaged files.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/io.h"
#include "base/shown.h"
#include "tfrec/commands.h"
#include "tfrec/salvage.h"

static const char *output = "";
static const char *output_dir = "";
static const char *compress = "none";
static int64_t max_errors = 100;
static bool as_json;

/* clang-format off */
static const struct t2_flag table[] = {
    {"o", T2_FLAG_STRING, &output, "FILE", "All sound records of all INPUTs, in order; base@16 gives 16 shards, - the "
     "standard output.", NULL},
    {"output", T2_FLAG_STRING, &output, "FILE", "The same as -o.", NULL},
    {"output_dir", T2_FLAG_STRING, &output_dir, "DIR", "A file for each INPUT instead, of the same name.", NULL},
    {"compress", T2_FLAG_STRING, &compress, "KIND", "Of the output: none, gzip, zlib or bgzip.", NULL},
    {"max_errors", T2_FLAG_INT, &max_errors, "N", "List so many damages; all are counted.", NULL},
    {"json", T2_FLAG_BOOL, &as_json, NULL, "Print the bill as one JSON object.", NULL},
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "tfrec salvage",
    .usage = "[flags] -o FILE INPUT...",
    .summary = "Writes the sound records of damaged files and says what was lost: where, how many "
               "bytes, about how many records. A record is sound when both its checksums are "
               "right, or those of its data where only the header is damaged. Damaged gzip is "
               "used up to the damage and from the next member on. Exit code 1 when an INPUT gave "
               "no record.",
    .examples = "  tfrec salvage -o good.tfrecord damaged.tfrecord\n"
                "  tfrec salvage --output_dir=saved --json data/x-train@100 >bill.json\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

/* ---- before ---- */

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;

    return t2_stat(a, &x) == 0 && t2_stat(b, &y) == 0 && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino && S_ISREG(x.st_mode);
}

static enum t2_status refuse_input(const struct tfr_inputs *in, const char *path,
                                   struct t2_err *err)
{
    for (size_t i = 0; i < in->n; i++) {
        if (same_file(in->files[i].path, path))
            return t2_fail(err, T2_EUSAGE,
                           "the output '%s' is an input; the damaged file should stay", path);
    }
    return T2_OK;
}

/* Where input i goes; owned by the caller. */
static char *path_in_dir(const struct tfr_inputs *in, size_t i)
{
    const char *name = t2_path_base(in->files[i].path);

    return t2_path_join(output_dir, strcmp(name, "-") == 0 ? "stdin.tfrecord" : name);
}

static enum t2_status check_dir(const struct tfr_inputs *in, struct t2_err *err)
{
    struct t2_strs paths = {NULL, 0, 0};
    enum t2_status st = T2_OK;

    for (size_t i = 0; st == T2_OK && i < in->n; i++) {
        char *path = path_in_dir(in, i);
        st = refuse_input(in, path, err);
        if (st == T2_OK && t2_strs_contains(&paths, path))
            st = t2_fail(err, T2_EUSAGE, "two inputs would be written to '%s'", path);
        t2_strs_take(&paths, path);
    }
    t2_strs_release(&paths);
    return st;
}

static enum t2_status check_flags(const struct tfr_inputs *in, struct tfr_sink_options *o,
                                  struct t2_err *err)
{
    if (!tfr_compression_parse(compress, &o->compression))
        return t2_fail(err, T2_EUSAGE, "--compress=%s: there are none, gzip, zlib, bgzip",
                       compress);
    if (max_errors < 0 || max_errors > 1000000)
        return t2_fail(err, T2_EUSAGE, "--max_errors is 0 ... 1000000");
    if ((output[0] == '\0') == (output_dir[0] == '\0'))
        return t2_fail(err, T2_EUSAGE, "give either -o FILE or --output_dir=DIR");
    if (as_json && strcmp(output, "-") == 0)
        return t2_fail(err, T2_EUSAGE,
                       "--json prints to the standard output, where -o - writes the records");
    return output[0] ? refuse_input(in, output, err) : check_dir(in, err);
}

/* ---- saving ---- */

/* No record anywhere, and not because the files are empty: no file is written. */
static enum t2_status refuse_nothing(const struct rec_salvage *s, struct t2_err *err)
{
    const struct rec_findings *l = &s->found;

    for (size_t i = 0; i < s->in->n; i++) {
        if (s->files[i].n_saved > 0)
            return T2_OK;
    }
    if (l->counts[REC_DAMAGE] == 0)
        return T2_OK;
    if (l->n == 0)
        return t2_fail(err, T2_EFORMAT, "no sound record was found; nothing is written");
    return t2_fail(err, T2_EFORMAT, "no sound record was found, nothing is written: '%s': %s",
                   s->in->files[l->items[0].file].path, l->items[0].words);
}

static enum t2_status save_joined(struct rec_salvage *s, struct tfr_sink_options *o,
                                  struct t2_err *err)
{
    struct tfr_sink *sink = NULL;
    char *path = NULL;
    enum t2_status st = tfr_sink_parse_output(output, &path, o, err);

    o->output = path;
    if (st == T2_OK)
        st = tfr_sink_new(o, &sink, err);
    for (size_t i = 0; st == T2_OK && i < s->in->n; i++)
        st = rec_salvage_file(s, i, sink, err);
    if (st == T2_OK)
        st = refuse_nothing(s, err);
    if (st == T2_OK)
        st = rec_salvage_commit(s, sink, err);
    else
        tfr_sink_abort(sink);
    t2_free(path);
    return st;
}

static enum t2_status save_one(struct rec_salvage *s, size_t file, struct tfr_sink_options *o,
                               struct t2_err *err)
{
    struct tfr_sink *sink = NULL;
    char *path = path_in_dir(s->in, file);
    enum t2_status st;

    o->output = path;
    o->cut = TFR_ONE_FILE;
    st = tfr_sink_new(o, &sink, err);
    if (st == T2_OK)
        st = rec_salvage_file(s, file, sink, err);
    if (st == T2_OK && (s->files[file].n_saved > 0 || s->files[file].n_damages == 0))
        st = rec_salvage_commit(s, sink, err);
    else
        tfr_sink_abort(sink);
    t2_free(path);
    return st;
}

static enum t2_status save_each(struct rec_salvage *s, struct tfr_sink_options *o,
                                struct t2_err *err)
{
    T2_TRY(t2_make_dirs(output_dir, err));
    for (size_t i = 0; i < s->in->n; i++)
        T2_TRY(save_one(s, i, o, err));
    return refuse_nothing(s, err);
}

/* ---- after ---- */

static enum t2_status print(const struct rec_salvage *s, struct t2_err *err)
{
    struct t2_buf text = {NULL, 0, 0};
    struct t2_out *out = NULL;
    enum t2_status st = T2_OK;

    if (as_json)
        rec_salvage_json(s, &text);
    else
        rec_salvage_print(s, &text);
    if (strcmp(output, "-") == 0) { /* stdout has the records */
        struct t2_buf shown = {NULL, 0, 0};

        t2_show_lines(t2_buf_slice(&text), &shown);
        (void) fputs(t2_buf_cstr(&shown), stderr);
        t2_buf_release(&shown);
    } else if ((st = t2_out_new("-", &out, err)) == T2_OK) {
        t2_show_out(t2_buf_slice(&text), as_json, out);
        st = t2_out_commit(out, err);
    }
    t2_buf_release(&text);
    return st;
}

static bool some_gave_nothing(const struct rec_salvage *s)
{
    for (size_t i = 0; i < s->in->n; i++) {
        if (s->files[i].n_saved == 0 && s->files[i].n_damages > 0)
            return true;
    }
    return false;
}

static enum t2_status salvage(const struct tfr_inputs *in, struct tfr_sink_options *o,
                              struct t2_err *err)
{
    struct rec_salvage s;
    enum t2_status st;

    rec_salvage_init(&s, in, (size_t) max_errors);
    st = output[0] ? save_joined(&s, o, err) : save_each(&s, o, err);
    if (st == T2_OK)
        st = print(&s, err);
    if (st == T2_OK && some_gave_nothing(&s))
        st = T2_EOF;
    rec_salvage_release(&s);
    return st;
}

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    struct tfr_sink_options o = {.n_records = TFR_UNKNOWN_COUNT};
    struct tfr_inputs in;
    enum t2_status st = rec_parse_inputs(&tool, argc, argv, &in, err);

    if (st == T2_OK)
        st = check_flags(&in, &o, err);
    if (st == T2_OK)
        st = salvage(&in, &o, err);
    tfr_inputs_release(&in);
    return st;
}

const struct t2_command rec_cmd_salvage = {"salvage", "Saves the sound records of a damaged file.",
                                           run};
