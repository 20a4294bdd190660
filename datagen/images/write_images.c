/*
 * datagen/images/write_images.c - images become shards: files are read and admitted on all threads,
 * and written in order.
 *
 * A pipeline (base/pool.h) of images in the order of the plan: produce() walks the shards of this
 * task (shard number mod n_tasks), work() reads, admits and encodes one image as a framed record,
 * consume() appends it to the open shard. An image that is refused is written down with its reason
 * and left out; the number of shards and the place of the others do not change.
 *
 * Several tasks may write one set at the same time, without talking to each other: each has a
 * journal of its finished shards, and the one that finds all shards finished, under a lock, writes
 * the manifest. A stopped task starts again after its last finished shard. The journals count for
 * the same plan only (SHA-256 of all that decides the bytes, but the contents of the images).
 */
#include "datagen/images/write_images.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/dir_lock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/progress.h"
#include "base/signals.h"
#include "datagen/images/image_file.h"
#include "datagen/images/image_journal.h"
#include "datagen/images/image_manifest.h"
#include "datagen/images/image_plan.h"
#include "tfrecord/shards.h"
#include "tfrecord/writer.h"

/* One run. */
struct job {
    const struct dg_images *list;
    const struct dg_write_images *w;
    struct dg_image_plan plan;
    struct dg_image_shard *shards;
    char *journal;
    size_t shard, at;  /* what is produced next */
    bool is_continued; /* a journal of this plan is there: shards may be ours without being in it */
    struct t2_out *out; /* of shard `open` */
    size_t open;
    uint64_t n_done;
    struct t2_progress progress;
};

struct item {
    size_t shard;
    const struct dg_image *image; /* NULL: the shard is empty */
    bool was_read;
    struct t2_buf file, frame;
    struct dg_image_scratch scratch;
    struct aug_admission admission;
    int64_t height, width;
};

static bool is_mine(const struct job *job, size_t shard)
{
    return shard % (size_t) job->w->n_tasks == (size_t) job->w->task && !job->shards[shard].is_done;
}

/* ---- reading ---- */

static enum t2_status produce(void *context, void *item, struct t2_err *err)
{
    struct job *job = context;
    const struct dg_image_plan *plan = &job->plan;
    struct item *it = item;

    T2_TRY(t2_check_interrupt(err));
    while (job->shard < plan->names.n) {
        size_t begin = plan->starts[job->shard], end = plan->starts[job->shard + 1];
        bool mine = is_mine(job, job->shard);
        it->shard = job->shard;
        it->image = NULL;
        if (mine && job->at < end - begin)
            it->image = &job->list->items[plan->order[begin + job->at]];
        job->at++;
        if (!mine || job->at >= end - begin) {
            job->shard++;
            job->at = 0;
        }
        if (mine)
            return T2_OK;
    }
    return T2_EOF;
}

static enum t2_status work(void *context, void *item, int worker, struct t2_err *err)
{
    const struct job *job = context;
    struct item *it = item;
    struct aug_admission *a = &it->admission;
    struct t2_err why = T2_ERR_INIT;
    enum t2_status st;
    size_t begin;

    (void) worker;
    t2_buf_clear(&it->frame);
    if (!it->image)
        return T2_OK;
    it->was_read = dg_image_load(it->image, &it->file, &why) == T2_OK;
    if (!it->was_read) {
        t2_buf_clear(&it->file);
        *a = (struct aug_admission){.verdict = AUG_REFUSE};
        snprintf(a->why, sizeof a->why, "%.250s", why.message);
        return T2_OK;
    }
    T2_TRY(dg_image_admit(it->image->path, t2_buf_slice(&it->file), &job->w->policy,
                          &it->scratch.pixels, a, err));
    if (a->verdict == AUG_REFUSE || a->verdict == AUG_IGNORE)
        return T2_OK;
    begin = tfr_frame_begin(&it->frame);
    st = dg_image_record(job->list, it->image, t2_buf_slice(&it->file), a, &job->w->policy,
                         &it->scratch, &it->height, &it->width, &it->frame, &why);
    if (st != T2_OK) {
        if (!aug_is_refusal(st))
            return t2_fail(err, st, "%s", why.message);
        a->verdict = AUG_REFUSE;
        snprintf(a->why, sizeof a->why, "%.250s", why.message);
        return T2_OK;
    }
    tfr_frame_end(&it->frame, begin);
    return T2_OK;
}

/* ---- writing ---- */

static enum t2_status close_shard(struct job *job, struct t2_err *err)
{
    struct dg_image_shard *s = &job->shards[job->open];
    struct t2_out *out = job->out;

    if (!out)
        return T2_OK;
    job->out = NULL;
    s->file.bytes = t2_out_bytes(out);
    t2_out_sha256(out, s->file.sha256);
    T2_TRY(t2_out_commit(out, err));
    s->is_done = true;
    T2_TRY(dg_image_journal_add(job->journal, false, job->plan.sha256, job->open, s, err));
    t2_debug("Finished writing file: %s", s->file.file);
    return T2_OK;
}

static enum t2_status open_shard(struct job *job, size_t shard, struct t2_err *err)
{
    struct dg_image_shard *s = &job->shards[shard];
    char *path;
    enum t2_status st;

    if (job->out && job->open == shard)
        return T2_OK;
    T2_TRY(close_shard(job, err));
    job->open = shard;
    dg_image_shard_release(s);
    s->file.file = t2_strdup(job->plan.names.items[shard]);
    path = t2_path_join(job->w->output_dir, s->file.file);
    st = t2_out_new(path, &job->out, err);
    if (st == T2_OK)
        t2_out_hash_on(job->out);
    t2_free(path);
    return st;
}

static void widen(struct dg_image_range *r, bool is_first, int64_t value)
{
    if (is_first || value < r->min)
        r->min = value;
    if (is_first || value > r->max)
        r->max = value;
}

static enum t2_status refused(const struct job *job, const struct item *it,
                              struct dg_image_shard *s, struct t2_err *err)
{
    const struct dg_image *p = it->image;
    bool was_read = it->was_read;
    char *place = was_read ? dg_quarantine_place(job->list->labels.items[p->label], p->path) : NULL;
    enum t2_status st = dg_image_refused(&job->w->refusals, p->path, it->admission.why, place,
                                         t2_buf_slice(&it->file), err);

    t2_free(place);
    t2_strs_push(&s->dropped, p->path);
    t2_strs_push(&s->dropped, it->admission.why);
    return st;
}

static void say_converted(const struct item *it)
{
    const struct aug_admission *a = &it->admission;
    bool cmyk = a->info.colour == AUG_CMYK || a->info.colour == AUG_YCCK;

    t2_info("Converting %s%s for %s", cmyk ? "CMYK" : aug_kind_name(a->kind),
            cmyk ? " to RGB" : " to JPEG", it->image->path);
}

static void count(const struct job *job, const struct item *it, struct dg_image_shard *s)
{
    bool is_first = s->file.n_records == 0;

    widen(&s->height, is_first, it->height);
    widen(&s->width, is_first, it->width);
    widen(&s->label, is_first, (int64_t) it->image->label + 1);
    widen(&s->boxes, is_first, (int64_t) it->image->n_boxes);
    s->n_boxes += it->image->n_boxes;
    s->n_reencoded += it->admission.verdict == AUG_REENCODE;
    s->file.n_records++;
    if (it->admission.verdict == AUG_REENCODE && job->w->imagenet_to_gcs)
        say_converted(it);
}

static enum t2_status consume(void *context, void *item, struct t2_err *err)
{
    struct job *job = context;
    const struct item *it = item;
    struct dg_image_shard *s = &job->shards[it->shard];

    T2_TRY(open_shard(job, it->shard, err));
    if (!it->image)
        return T2_OK;
    t2_progress_update(&job->progress, ++job->n_done);
    if (it->admission.verdict == AUG_REFUSE)
        return refused(job, it, s, err);
    if (it->admission.verdict == AUG_IGNORE) {
        s->n_ignored++;
        return T2_OK;
    }
    count(job, it, s);
    t2_out_write(job->out, it->frame.data, it->frame.len_bytes);
    return t2_out_status(job->out, err);
}

static void release(void *context, void *item)
{
    struct item *it = item;

    (void) context;
    t2_buf_release(&it->file);
    t2_buf_release(&it->frame);
    dg_image_scratch_release(&it->scratch);
}

static uint64_t n_to_do(const struct job *job)
{
    uint64_t n = 0;

    for (size_t s = 0; s < job->plan.names.n; s++)
        if (is_mine(job, s))
            n += job->plan.starts[s + 1] - job->plan.starts[s];
    return n;
}

static enum t2_status write_shards(struct job *job, struct t2_err *err)
{
    struct t2_pool *pool = t2_pool_new(job->w->num_threads);
    const struct t2_pipeline pipeline = {.item_bytes = sizeof(struct item),
                                         .produce = produce,
                                         .work = work,
                                         .consume = consume,
                                         .release = release,
                                         .context = job};
    enum t2_status st;

    t2_progress_start(&job->progress, "converting", "images", n_to_do(job));
    st = t2_pool_pipeline(pool, &pipeline, err);
    t2_progress_end(&job->progress);
    t2_pool_free(pool);
    if (st == T2_OK)
        st = close_shard(job, err);
    t2_out_abort(job->out);
    job->out = NULL;
    return st;
}

/* ---- what is there ---- */

/* Files of these names but of another number, and without `overwrite` a manifest of another set. */
static enum t2_status check_folder(const struct job *job, struct t2_err *err)
{
    for (int split = 0; split < DG_N_IMAGE_SPLITS; split++) {
        const char *name = dg_image_split_name((enum dg_image_split) split);
        char *dir = job->w->imagenet_to_gcs ? t2_path_join(job->w->output_dir, name)
                                            : t2_strdup(job->w->output_dir);
        char *other = NULL;
        struct t2_file_info seen;
        enum t2_status st = t2_look_at(dir, &seen, err);
        if (st == T2_OK && seen.kind == T2_FILE_DIR)
            st = tfr_find_other_shards(dir, name, (int) job->plan.n_shards[split], &other, err);
        if (st == T2_OK && other && !job->w->overwrite)
            st = t2_fail(err, T2_EIO,
                         "'%s' holds '%s' of another set, which readers would mix with this one: "
                         "choose another --output_dir, or --overwrite",
                         dir, other);
        while (st == T2_OK && other) {
            char *path = t2_path_join(dir, other);
            st = t2_remove(path, err);
            t2_free(path);
            t2_free(other);
            other = NULL;
            if (st == T2_OK)
                st = tfr_find_other_shards(dir, name, (int) job->plan.n_shards[split], &other, err);
        }
        t2_free(other);
        t2_free(dir);
        T2_TRY(st);
    }
    return T2_OK;
}

/* A shard counts as finished when it is there in its size, and newer than all images. */
static enum t2_status check_shards(struct job *job, struct t2_err *err)
{
    enum t2_status st = T2_OK;

    for (size_t s = 0; s < job->plan.names.n && st == T2_OK; s++) {
        char *path;
        struct t2_file_info seen;
        if (!job->shards[s].is_done)
            continue;
        path = t2_path_join(job->w->output_dir, job->plan.names.items[s]);
        st = t2_look_at(path, &seen, err);
        job->shards[s].is_done =
            st == T2_OK && seen.kind != T2_FILE_ABSENT && seen.kind != T2_FILE_DIR &&
            seen.bytes == job->shards[s].file.bytes && seen.changed_ns >= job->plan.newest;
        t2_free(path);
    }
    return st;
}

static enum t2_status read_journals(struct job *job, struct t2_err *err)
{
    for (int task = 0; task < job->w->n_tasks; task++) {
        char *path = dg_image_journal_path(job->w->output_dir, task, job->w->n_tasks);
        bool is_ours;
        enum t2_status st = dg_image_journal_read(path, job->plan.sha256, &job->plan.names,
                                                  job->shards, &is_ours, err);
        job->is_continued |= is_ours;
        t2_free(path);
        T2_TRY(st);
    }
    return check_shards(job, err);
}

/* Refuses a folder with shards of these names that no journal of this plan lists. */
static enum t2_status check_strangers(const struct job *job, struct t2_err *err)
{
    if (job->w->overwrite || job->is_continued)
        return T2_OK;
    for (size_t s = 0; s < job->plan.names.n; s++) {
        char *path = t2_path_join(job->w->output_dir, job->plan.names.items[s]);
        struct t2_file_info seen;
        enum t2_status st = t2_look_at(path, &seen, err);
        if (st == T2_OK && !job->shards[s].is_done && seen.kind != T2_FILE_ABSENT)
            st = t2_fail(err, T2_EIO,
                         "'%s' is there and was made of other images or with other flags: choose "
                         "another --output_dir, or --overwrite",
                         path);
        t2_free(path);
        T2_TRY(st);
    }
    return T2_OK;
}

/* Writes the journal anew, with the finished shards of this task. */
static enum t2_status begin_journal(struct job *job, struct t2_err *err)
{
    T2_TRY(dg_image_journal_add(job->journal, true, job->plan.sha256, 0, NULL, err));
    for (size_t s = 0; s < job->plan.names.n; s++) {
        if (s % (size_t) job->w->n_tasks != (size_t) job->w->task || !job->shards[s].is_done)
            continue;
        T2_TRY(
            dg_image_journal_add(job->journal, false, job->plan.sha256, s, &job->shards[s], err));
    }
    return T2_OK;
}

static enum t2_status make_folders(const struct job *job, struct t2_err *err)
{
    T2_TRY(t2_make_dirs(job->w->output_dir, err));
    for (int split = 0; split < DG_N_IMAGE_SPLITS && job->w->imagenet_to_gcs; split++) {
        char *dir;
        enum t2_status st;
        if (job->plan.n_shards[split] == 0)
            continue;
        dir = t2_path_join(job->w->output_dir, dg_image_split_name((enum dg_image_split) split));
        st = t2_make_dirs(dir, err);
        t2_free(dir);
        T2_TRY(st);
    }
    return T2_OK;
}

/* ---- the end ---- */

static bool all_done(const struct job *job)
{
    for (size_t s = 0; s < job->plan.names.n; s++)
        if (!job->shards[s].is_done)
            return false;
    return true;
}

static enum t2_status remove_journals(const struct job *job, struct t2_err *err)
{
    for (int task = 0; task < job->w->n_tasks; task++) {
        char *path = dg_image_journal_path(job->w->output_dir, task, job->w->n_tasks);
        enum t2_status st = t2_remove(path, err);
        t2_free(path);
        T2_TRY(st);
    }
    return T2_OK;
}

/* Reads all journals, which must list the shards that this run has made. */
static enum t2_status read_own_again(struct job *job, struct t2_err *err)
{
    for (size_t s = 0; s < job->plan.names.n; s++)
        job->shards[s].is_done = false; /* by the journals alone */
    T2_TRY(read_journals(job, err));
    for (size_t s = 0; s < job->plan.names.n; s++)
        if (is_mine(job, s))
            return t2_fail(err, T2_EIO,
                           "'%s': '%s' was finished, but it or its line in '%s' is gone, or images "
                           "have changed meanwhile; run the same command again",
                           job->w->output_dir, job->plan.names.items[s], job->journal);
    return T2_OK;
}

/* The process that finds all shards finished writes the manifest. */
static enum t2_status finish(struct job *job, struct dg_images_made *made, struct t2_err *err)
{
    struct t2_lock lock = {-1, NULL};
    enum t2_status st;

    T2_TRY(t2_lock_wait(job->w->output_dir, "images", "writing the manifest", &lock, err));
    st = dg_image_manifests_are_of(job->w->output_dir, job->w->imagenet_to_gcs, &job->plan,
                                   &made->is_complete, err);
    if (st == T2_OK && !made->is_complete) /* else another task found all finished */
        st = read_own_again(job, err);
    if (st == T2_OK && !made->is_complete && all_done(job)) {
        made->is_complete = true;
        st = dg_image_manifests_write(job->w->output_dir, job->w->imagenet_to_gcs, job->list,
                                      &job->plan, job->shards, err);
        if (st == T2_OK)
            st = remove_journals(job, err);
    }
    t2_lock_give(&lock);
    return st;
}

static enum t2_status run(struct job *job, struct dg_images_made *made, struct t2_err *err)
{
    const struct dg_write_images *w = job->w;

    bool is_complete = false;

    if (!w->overwrite)
        T2_TRY(dg_image_manifests_are_of(w->output_dir, w->imagenet_to_gcs, &job->plan,
                                         &is_complete, err));
    if (is_complete) {
        made->was_complete = made->is_complete = true;
        t2_info("'%s' is complete, nothing to do", w->output_dir);
        return remove_journals(job, err); /* a run that was stopped behind the manifest */
    }
    T2_TRY(check_folder(job, err));
    if (!w->overwrite)
        T2_TRY(read_journals(job, err));
    T2_TRY(check_strangers(job, err));
    T2_TRY(begin_journal(job, err));
    T2_TRY(dg_image_manifests_remove(w->output_dir, w->imagenet_to_gcs, err));
    T2_TRY(write_shards(job, err));
    return finish(job, made, err);
}

static void add_up(const struct job *job, struct dg_images_made *made)
{
    size_t s = 0;

    made->n_dropped = job->list->n_drops;
    for (int split = 0; split < DG_N_IMAGE_SPLITS; split++) {
        for (size_t i = 0; i < job->plan.n_shards[split]; i++, s++) {
            made->n_records[split] += job->shards[s].file.n_records;
            made->bytes += job->shards[s].file.bytes;
            made->n_dropped += job->shards[s].dropped.n / 2;
            made->n_reencoded += job->shards[s].n_reencoded;
        }
    }
}

enum t2_status dg_write_images(const struct dg_images *l, const struct dg_write_images *w,
                               struct dg_images_made *made, struct t2_err *err)
{
    struct job job = {.list = l, .w = w};
    struct t2_lock lock = {-1, NULL};
    char *name = t2_asprintf("pictures.task-%d-of-%d", w->task, w->n_tasks);
    enum t2_status st = dg_image_plan_make(l, w, &job.plan, err);

    job.shards = t2_alloc(job.plan.names.n + 1, sizeof *job.shards);
    job.journal = dg_image_journal_path(w->output_dir, w->task, w->n_tasks);
    if (st == T2_OK)
        st = make_folders(&job, err);
    if (st == T2_OK)
        st = t2_lock_take(w->output_dir, name, "converting images", &lock, err);
    if (st == T2_OK) {
        st = run(&job, made, err);
        t2_lock_give(&lock);
    }
    add_up(&job, made);
    for (size_t s = 0; s < job.plan.names.n; s++)
        dg_image_shard_release(&job.shards[s]);
    t2_free(job.shards);
    t2_free(job.journal);
    t2_free(name);
    dg_image_plan_release(&job.plan);
    return st;
}
