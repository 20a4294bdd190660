/*
 * tfrec/cut_flags.c - from flags to the options of a sink, and what was written as text or JSON.
 */
#include "tfrec/cut_flags.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "base/pool.h"
#include "tfrec/command.h"
#include "tfrec/recompress.h"
#include "tfrecord/shards.h"

enum { MAX_PRINTED = 5 };

struct rec_cut_flags rec_cut_given = {.output = "", .compress = "none"};

char *rec_stem_of_input(const struct tfr_inputs *in)
{
    const char *name = t2_path_base(in->files[0].path);

    return t2_strndup(name, tfr_shard_stem_length(name));
}

/* ---- options ---- */

static enum t2_status read_cut(struct tfr_sink_options *o, bool must_cut, struct t2_err *err)
{
    const struct rec_cut_flags *f = &rec_cut_given;
    int n_given =
        (o->cut == TFR_N_SHARDS) + (f->shards != 0) + (f->shard_size != 0) + (f->records != 0);

    if (f->shards < 0 || f->records < 0 || f->shards > INT32_MAX)
        return t2_fail(err, T2_EUSAGE, "--shards and --records must be at least 1");
    if (n_given != 1 && must_cut)
        return t2_fail(err, T2_EUSAGE,
                       "give one of --shards=N, --shard_size=SIZE, --records=N, or -o base@N");
    if (f->shards != 0) {
        o->cut = TFR_N_SHARDS;
        o->n_shards = (int) f->shards;
    } else if (f->shard_size != 0) {
        o->cut = TFR_BY_BYTES;
        o->limit = f->shard_size;
    } else if (f->records != 0) {
        o->cut = TFR_BY_RECORDS;
        o->limit = (uint64_t) f->records;
    }
    return T2_OK;
}

/* A folder as the output: the name of the input in it. */
static enum t2_status put_into_folder(const struct tfr_inputs *in, char **output,
                                      struct t2_err *err)
{
    char *stem, *path;

    if (!t2_ends_with(*output, "/") && !t2_is_dir(*output))
        return T2_OK;
    T2_TRY(t2_make_dirs(*output, err));
    stem = rec_stem_of_input(in);
    path = t2_path_join(*output, stem);
    t2_free(stem);
    t2_free(*output);
    *output = path;
    return T2_OK;
}

static enum t2_status read_flags(const struct tfr_inputs *in, bool must_cut, char **output,
                                 struct tfr_sink_options *o, struct t2_err *err)
{
    *output = NULL;
    if (!tfr_compression_parse(rec_cut_given.compress, &o->compression))
        return t2_fail(err, T2_EUSAGE, "flag '--compress': '%s' is not none, gzip, zlib or bgzip",
                       rec_cut_given.compress);
    if (rec_cut_given.level < 0 || rec_cut_given.level > 9)
        return t2_fail(err, T2_EUSAGE, "flag '--level' must be between 1 and 9");
    o->level = (int) rec_cut_given.level;
    o->unhashed = !rec_cut_given.json;
    o->n_records = TFR_UNKNOWN_COUNT;
    if (*rec_cut_given.output == '\0')
        return t2_fail(err, T2_EUSAGE, "where to? give -o %s", must_cut ? "BASE" : "FILE");
    char *expanded = t2_path_expand(rec_cut_given.output);
    enum t2_status st = tfr_sink_parse_output(expanded, output, o, err);
    t2_free(expanded);
    if (st == T2_OK)
        st = read_cut(o, must_cut, err);
    if (st == T2_OK && !must_cut && o->cut != TFR_ONE_FILE)
        st = t2_fail(err, T2_EUSAGE, "'%s' are several files: use `tfrec reshard`",
                     rec_cut_given.output);
    if (st == T2_OK)
        st = put_into_folder(in, output, err);
    o->output = *output;
    return st;
}

/* ---- the report ---- */

static enum t2_status print_json(const struct tfr_sink_report *r, struct t2_err *err)
{
    struct t2_buf text = {NULL, 0, 0};
    struct t2_out *out = NULL;
    struct t2_json j;

    T2_TRY(t2_out_new("-", &out, err));
    t2_json_init(&j, &text, 0);
    t2_json_object(&j);
    t2_json_key(&j, "files");
    t2_json_array(&j);
    for (size_t i = 0; i < r->n; i++) {
        t2_json_object(&j);
        t2_json_kv_string(&j, "path", r->files[i].path);
        t2_json_kv_u64(&j, "records", r->files[i].n_records);
        t2_json_kv_u64(&j, "bytes", r->files[i].bytes);
        t2_json_kv_string(&j, "sha256", r->files[i].sha256);
        t2_json_end_object(&j);
    }
    t2_json_end_array(&j);
    t2_json_kv_u64(&j, "records", r->n_records);
    t2_json_end_object(&j);
    t2_buf_push(&text, '\n');
    t2_out_write(out, text.data, text.len_bytes);
    t2_buf_release(&text);
    return t2_out_commit(out, err);
}

static void log_report(const struct tfr_sink_report *r)
{
    char size[32];

    for (size_t i = 0; i < r->n && i < MAX_PRINTED; i++)
        t2_info("%s: %" PRIu64 " records, %s", r->files[i].path, r->files[i].n_records,
                t2_human_bytes(r->files[i].bytes, size, sizeof size));
    if (r->n > MAX_PRINTED)
        t2_info("... %zu files, %" PRIu64 " records in all", r->n, r->n_records);
}

enum t2_status rec_cut_run(const struct tfr_inputs *in, bool must_cut, const char *what,
                           struct t2_err *err)
{
    struct tfr_sink_options o = {0};
    struct tfr_sink_report report = {NULL, 0, 0};
    struct t2_pool *pool;
    char *output = NULL;
    enum t2_status st = read_flags(in, must_cut, &output, &o, err);

    if (st == T2_OK && rec_cut_given.json && strcmp(output, "-") == 0)
        st = t2_fail(err, T2_EUSAGE, "--json and -o - both use the standard output");
    if (st == T2_OK) {
        pool = rec_pool_new();
        st = rec_recompress(in, &o, what, pool, &report, err);
        t2_pool_free(pool);
    }
    if (st == T2_OK && rec_cut_given.json)
        st = print_json(&report, err);
    else if (st == T2_OK)
        log_report(&report);
    tfr_sink_report_release(&report);
    t2_free(output);
    return st;
}
