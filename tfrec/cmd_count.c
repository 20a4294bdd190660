/*
 * tfrec/cmd_count.c - tfrec count: records and bytes of files.
 */
#include <inttypes.h>
#include <stdatomic.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/pool.h"
#include "base/progress.h"
#include "base/shown.h"
#include "base/signals.h"
#include "tfrec/commands.h"
#include "tfrec/count_records.h"

static bool as_json, no_index;

/* clang-format off */
static const struct t2_flag table[] = {
    {"json", T2_FLAG_BOOL, &as_json, NULL, "Print one JSON object.", NULL},
    {"no_index", T2_FLAG_BOOL, &no_index, NULL, "Read the files even if an index or a manifest knows.", NULL},
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "tfrec count",
    .usage = "[flags] INPUT...",
    .summary =
        "Counts records and bytes, per file and in all: by the index beside a file when it is "
        "fresh, by its manifest when the sizes agree, else by reading the file, where lengths "
        "and their checksums are checked; `tfrec verify` checks the data too.",
    .examples = "  tfrec count train.tfrecord\n"
                "  tfrec count --json data/x-train@100\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

/* What is known of a file afterwards. */
struct counted {
    uint64_t n_records;
    enum rec_count_by by;
    struct t2_err err;
};

struct job {
    const struct tfr_inputs *in;
    struct counted *counts;
    struct t2_progress progress;
    _Atomic uint64_t done_bytes;
};

static void count_file(void *arg, int64_t piece, int worker)
{
    struct job *job = arg;
    const struct tfr_input_file *f = &job->in->files[piece];
    struct counted *c = &job->counts[piece];

    if (t2_interrupted())
        return;
    if (rec_count_file(f, no_index, &c->n_records, &c->by, &c->err) != T2_OK)
        c->n_records = 0; /* print looks at c->err */
    uint64_t done = atomic_fetch_add(&job->done_bytes, f->bytes) + f->bytes;
    if (worker == 0)
        t2_progress_update(&job->progress, done);
}

static void print_text(const struct job *job, struct t2_out *out)
{
    uint64_t records = 0;
    struct t2_buf text = {NULL, 0, 0};
    char size[32];

    for (size_t i = 0; i < job->in->n; i++) {
        const struct tfr_input_file *f = &job->in->files[i];
        records += job->counts[i].n_records;
        if (job->counts[i].err.status == T2_OK)
            t2_buf_printf(&text, "%12" PRIu64 " records  %14" PRIu64 " bytes  %s\n",
                          job->counts[i].n_records, f->bytes, f->path);
    }
    if (job->in->n != 1)
        t2_buf_printf(&text, "%12" PRIu64 " records  %14" PRIu64 " bytes  in %zu files, %s\n",
                      records, job->in->bytes, job->in->n,
                      t2_human_bytes(job->in->bytes, size, sizeof size));
    t2_show_out(t2_buf_slice(&text), false, out);
    t2_buf_release(&text);
}

static void print_json(const struct job *job, struct t2_out *out)
{
    struct t2_buf text = {NULL, 0, 0};
    struct t2_json j;
    uint64_t records = 0;

    t2_json_init(&j, &text, 0);
    t2_json_object(&j);
    t2_json_key(&j, "files");
    t2_json_array(&j);
    for (size_t i = 0; i < job->in->n; i++) {
        const struct counted *c = &job->counts[i];
        t2_json_object(&j);
        t2_json_kv_string(&j, "path", job->in->files[i].path);
        t2_json_kv_u64(&j, "records", c->n_records);
        t2_json_kv_u64(&j, "bytes", job->in->files[i].bytes);
        t2_json_kv_string(&j, "by", rec_count_by_name(c->by));
        if (c->err.status != T2_OK)
            t2_json_kv_string(&j, "error", c->err.message);
        t2_json_end_object(&j);
        records += c->n_records;
    }
    t2_json_end_array(&j);
    t2_json_kv_u64(&j, "records", records);
    t2_json_kv_u64(&j, "bytes", job->in->bytes);
    t2_json_end_object(&j);
    t2_out_puts(out, t2_buf_cstr(&text));
    t2_out_puts(out, "\n");
    t2_buf_release(&text);
}

/* All files are counted and shown, then the first failure is the command's. */
static enum t2_status print(const struct job *job, struct t2_err *err)
{
    struct t2_out *out = NULL;

    T2_TRY(t2_out_new("-", &out, err));
    if (as_json)
        print_json(job, out);
    else
        print_text(job, out);
    T2_TRY(t2_out_commit(out, err));
    for (size_t i = 0; i < job->in->n; i++) {
        if (job->counts[i].err.status != T2_OK) {
            *err = job->counts[i].err;
            return err->status;
        }
    }
    return T2_OK;
}

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    struct tfr_inputs in;
    struct t2_pool *pool;
    struct job job = {.in = &in};
    enum t2_status st = rec_parse_inputs(&tool, argc, argv, &in, err);

    if (st == T2_OK) {
        pool = rec_pool_new();
        job.counts = t2_alloc(in.n, sizeof *job.counts);
        t2_progress_start(&job.progress, "counting", "bytes", in.bytes);
        t2_pool_run(pool, (int64_t) in.n, count_file, &job);
        t2_progress_end(&job.progress);
        t2_pool_free(pool);
        st = t2_check_interrupt(err);
        if (st == T2_OK)
            st = print(&job, err);
        t2_free(job.counts);
    }
    tfr_inputs_release(&in);
    return st;
}

const struct t2_command rec_cmd_count = {"count", "Counts records and bytes.", run};
