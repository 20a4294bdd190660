/*
 * datagen/images/check_folder.c - jpeg-to-tfrecord --check: what is in a folder of images.
 *
 * Files are read and decoded on all threads, and printed in order.
 */
#include "datagen/images/check_folder.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/list_tree.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/progress.h"
#include "base/signals.h"
#include "base/text.h"

static const uint64_t largest_file = UINT64_C(1) << 30;

/* ---- what is counted ---- */

struct counts {
    uint64_t n, bytes;
    uint64_t verdicts[AUG_IGNORE + 1];
    uint64_t n_turned, n_oriented, n_misnamed, n_warned;
};

struct job {
    const char *dir;
    const struct dg_check_options *options;
    struct t2_strs paths;
    size_t next, name_width;
    struct t2_out *out;
    struct counts counts;
    struct t2_progress progress;
};

struct item {
    const char *path; /* borrowed from the job's list */
    struct t2_buf file;
    struct aug_image pixels;
    struct aug_admission admission;
};

/* ---- text ---- */

/* A name as it is, or quoted as in JSON when the table could not show it. */
static void put_name(const char *name, struct t2_buf *out)
{
    struct t2_json j;
    bool plain = *name != 0 && *name != ' ' && name[strlen(name) - 1] != ' ';

    for (const char *p = name; *p; p++)
        plain = plain && (unsigned char) *p >= ' ' && *p != 0x7f && *p != '"';
    plain = plain && t2_utf8_invalid_at((const uint8_t *) name, strlen(name)) == strlen(name);
    if (plain) {
        t2_buf_puts(out, name);
        return;
    }
    t2_json_init(&j, out, 0);
    t2_json_string(&j, name);
}

enum { WIDEST_NAME = 60 }; /* longer ones push their row to the right */

/* In characters. */
static size_t width_of(const struct t2_buf *line)
{
    size_t n = 0;

    for (size_t i = 0; i < line->len_bytes; i++)
        n += (line->data[i] & 0xc0) != 0x80;
    return n;
}

static void pad_to(struct t2_buf *line, size_t width)
{
    size_t n = width_of(line);

    do
        t2_buf_push(line, ' ');
    while (++n < width);
}

static void put_row(const struct job *job, const char *name, const char *const *columns,
                    struct t2_buf *line)
{
    static const size_t widths[] = {13, 13, 16, 13};
    size_t at = job->name_width + 2;

    t2_buf_puts(line, name);
    for (size_t i = 0; i < 4; i++) {
        pad_to(line, at);
        t2_buf_puts(line, columns[i]);
        at += widths[i];
    }
    pad_to(line, at);
    t2_buf_puts(line, columns[4]);
    t2_buf_push(line, '\n');
}

static void put_text(const struct job *job, const struct item *it, struct t2_buf *line)
{
    const struct aug_admission *a = &it->admission;
    struct t2_buf name = {NULL, 0, 0}, verdict = {NULL, 0, 0};
    char size[32] = "-", colour[32] = "-", orientation[16] = "-";

    if (a->info.kind != AUG_UNKNOWN) {
        snprintf(size, sizeof size, "%dx%d", a->info.width, a->info.height);
        snprintf(colour, sizeof colour, "%s%s%s%s", aug_colour_name(a->info.colour),
                 a->info.sampling[0] ? " " : "", a->info.sampling,
                 a->info.bits > 8 ? " 16-bit" : "");
        snprintf(orientation, sizeof orientation, "%d", a->info.orientation);
    }
    put_name(it->path, &name);
    t2_buf_puts(&verdict, aug_verdict_name(a->verdict));
    if (a->why[0])
        t2_buf_printf(&verdict, ": %s", a->why);
    put_row(job, t2_buf_cstr(&name),
            (const char *const[]){aug_kind_name(a->kind), size, colour, orientation,
                                  t2_buf_cstr(&verdict)},
            line);
    t2_buf_release(&name);
    t2_buf_release(&verdict);
}

static void put_json(const struct item *it, struct t2_buf *line)
{
    const struct aug_admission *a = &it->admission;
    struct t2_json j;

    t2_json_init(&j, line, 0);
    t2_json_object(&j);
    t2_json_kv_string(&j, "file", it->path);
    t2_json_kv_u64(&j, "bytes", it->file.len_bytes);
    t2_json_kv_string(&j, "kind", aug_kind_name(a->kind));
    if (a->info.kind != AUG_UNKNOWN) {
        t2_json_kv_i64(&j, "width", a->info.width);
        t2_json_kv_i64(&j, "height", a->info.height);
        t2_json_kv_i64(&j, "components", a->info.components);
        t2_json_kv_i64(&j, "bits", a->info.bits);
        t2_json_kv_string(&j, "colour", aug_colour_name(a->info.colour));
        if (a->info.sampling[0])
            t2_json_kv_string(&j, "sampling", a->info.sampling);
        t2_json_kv_bool(&j, "progressive", a->info.progressive);
        t2_json_kv_i64(&j, "orientation", a->info.orientation);
    }
    t2_json_kv_bool(&j, "misnamed", a->misnamed);
    t2_json_kv_i64(&j, "warnings", a->notes.n_warnings);
    t2_json_kv_string(&j, "verdict", aug_verdict_name(a->verdict));
    t2_json_kv_string(&j, "why", a->why);
    t2_json_end_object(&j);
    t2_buf_push(line, '\n');
}

static void put_summary(const struct job *job, struct t2_buf *out)
{
    const struct counts *c = &job->counts;
    struct t2_json j;

    if (!job->options->json) {
        t2_buf_printf(out,
                      "%" PRIu64 " files: %" PRIu64 " to keep, %" PRIu64 " to re-encode, %" PRIu64
                      " refused, %" PRIu64 " ignored; %" PRIu64 " with an orientation, %" PRIu64
                      " under another kind's name, %" PRIu64 " with warnings\n",
                      c->n, c->verdicts[AUG_KEEP], c->verdicts[AUG_REENCODE],
                      c->verdicts[AUG_REFUSE], c->verdicts[AUG_IGNORE], c->n_oriented,
                      c->n_misnamed, c->n_warned);
        return;
    }
    t2_json_init(&j, out, 0);
    t2_json_object(&j);
    t2_json_kv_u64(&j, "files", c->n);
    t2_json_kv_u64(&j, "bytes", c->bytes);
    t2_json_kv_u64(&j, "keep", c->verdicts[AUG_KEEP]);
    t2_json_kv_u64(&j, "reencode", c->verdicts[AUG_REENCODE]);
    t2_json_kv_u64(&j, "refused", c->verdicts[AUG_REFUSE]);
    t2_json_kv_u64(&j, "ignored", c->verdicts[AUG_IGNORE]);
    t2_json_kv_u64(&j, "oriented", c->n_oriented);
    t2_json_kv_u64(&j, "turned", c->n_turned);
    t2_json_kv_u64(&j, "misnamed", c->n_misnamed);
    t2_json_kv_u64(&j, "warned", c->n_warned);
    t2_json_end_object(&j);
    t2_buf_push(out, '\n');
}

/* ---- the pipeline ---- */

static enum t2_status produce(void *context, void *item, struct t2_err *err)
{
    struct job *job = context;

    T2_TRY(t2_check_interrupt(err));
    if (job->next == job->paths.n)
        return T2_EOF;
    ((struct item *) item)->path = job->paths.items[job->next++];
    return T2_OK;
}

static enum t2_status work(void *context, void *item, int worker, struct t2_err *err)
{
    const struct job *job = context;
    struct item *it = item;
    char *path = t2_path_join(job->dir, it->path);
    struct t2_err refused = T2_ERR_INIT;
    enum t2_status st = T2_OK;

    (void) worker;
    if (t2_read_file(path, largest_file, &it->file, &refused) == T2_OK) {
        st = aug_admit(it->path, it->file.data, it->file.len_bytes, &job->options->policy,
                       &it->pixels, &it->admission, err);
    } else {
        t2_buf_clear(&it->file);
        it->admission = (struct aug_admission){.verdict = AUG_REFUSE};
        snprintf(it->admission.why, sizeof it->admission.why, "%.200s", refused.message);
    }
    t2_free(path);
    return st;
}

static enum t2_status consume(void *context, void *item, struct t2_err *err)
{
    struct job *job = context;
    struct item *it = item;
    const struct aug_admission *a = &it->admission;
    struct t2_buf line = {NULL, 0, 0};

    job->counts.n++;
    job->counts.bytes += it->file.len_bytes;
    job->counts.verdicts[a->verdict]++;
    job->counts.n_oriented += a->info.kind != AUG_UNKNOWN && a->info.orientation > 1;
    job->counts.n_turned += a->turned;
    job->counts.n_misnamed += a->misnamed;
    job->counts.n_warned += a->notes.n_warnings > 0;
    if (job->options->json)
        put_json(it, &line);
    else
        put_text(job, it, &line);
    t2_out_write(job->out, line.data, line.len_bytes);
    t2_buf_release(&line);
    t2_progress_update(&job->progress, job->counts.n);
    if (a->verdict == AUG_REFUSE && job->options->refusals.on_error != DG_ON_ERROR_FAIL)
        return dg_image_refused(&job->options->refusals, it->path, a->why, it->path,
                                t2_buf_slice(&it->file), err);
    return T2_OK;
}

static void release(void *context, void *item)
{
    struct item *it = item;

    (void) context;
    t2_buf_release(&it->file);
    aug_image_release(&it->pixels);
}

static void put_heading(struct job *job)
{
    static const char *const columns[] = {"kind", "size", "colour", "orientation", "verdict"};
    struct t2_buf line = {NULL, 0, 0};

    job->name_width = 4;
    for (size_t i = 0; i < job->paths.n; i++) {
        t2_buf_clear(&line);
        put_name(job->paths.items[i], &line);
        if (width_of(&line) > job->name_width && width_of(&line) <= WIDEST_NAME)
            job->name_width = width_of(&line);
    }
    t2_buf_clear(&line);
    put_row(job, "file", columns, &line);
    if (!job->options->json)
        t2_out_write(job->out, line.data, line.len_bytes);
    t2_buf_release(&line);
}

static enum t2_status check_all(struct job *job, struct t2_err *err)
{
    struct t2_pool *pool = t2_pool_new(job->options->num_threads);
    const struct t2_pipeline pipeline = {.item_bytes = sizeof(struct item),
                                         .n_slots = 2 * t2_pool_threads(pool),
                                         .produce = produce,
                                         .work = work,
                                         .consume = consume,
                                         .release = release,
                                         .context = job};
    enum t2_status st;

    t2_progress_start(&job->progress, "checking", "files", job->paths.n);
    st = t2_pool_pipeline(pool, &pipeline, err);
    t2_progress_end(&job->progress);
    t2_pool_free(pool);
    return st;
}

enum t2_status dg_check_folder(const char *dir, const struct dg_check_options *options,
                               struct t2_err *err)
{
    struct job job = {.dir = dir, .options = options};
    struct t2_buf summary = {NULL, 0, 0};
    enum t2_status st = t2_list_tree(dir, &job.paths, err);

    if (st == T2_OK && job.paths.n == 0)
        st = t2_fail(err, T2_ENOTFOUND, "'%s': no files below it", dir);
    if (st == T2_OK)
        st = t2_out_new("-", &job.out, err);
    if (st == T2_OK) {
        put_heading(&job);
        st = check_all(&job, err);
    }
    if (st == T2_OK) {
        put_summary(&job, &summary);
        t2_out_write(job.out, summary.data, summary.len_bytes);
        st = t2_out_commit(job.out, err);
    } else {
        t2_out_abort(job.out);
    }
    if (st == T2_OK && options->refusals.on_error == DG_ON_ERROR_FAIL &&
        job.counts.verdicts[AUG_REFUSE] > 0)
        st = T2_EOF;
    t2_buf_release(&summary);
    t2_strs_release(&job.paths);
    return st;
}
