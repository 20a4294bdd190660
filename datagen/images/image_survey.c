/*
 * datagen/images/image_survey.c - all files of a list, read on all threads.
 *
 * Each file is read once: its size, SHA-256 and whether it can be decoded are noted; contents are
 * kept in memory while keep_bytes last, so that small sets are not read twice. The split of an
 * image without one follows from the first 52 bits of its hash (dg_surveyed_share): equal images
 * land in the same split.
 */
#include "datagen/images/image_survey.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/signals.h"
#include "datagen/images/image_file.h"

enum { MOST_WARNINGS = 20 };

struct survey {
    const struct dg_images *list;
    const struct dg_image_policy *policy;
    const struct dg_refusals *refusals;
    struct dg_surveyed *items;
    size_t next, n_refused;
    uint64_t keep_bytes; /* that are left */
    struct t2_progress progress;
};

struct item {
    size_t number;
    struct t2_buf file;
    struct dg_image_scratch scratch;
    bool was_read;
    char why[256];
};

static enum t2_status produce(void *context, void *item, struct t2_err *err)
{
    struct survey *s = context;
    struct item *it = item;

    T2_TRY(t2_check_interrupt(err));
    if (s->next == s->list->n)
        return T2_EOF;
    it->number = s->next++;
    return T2_OK;
}

static enum t2_status work(void *context, void *item, int worker, struct t2_err *err)
{
    struct survey *s = context;
    struct item *it = item;
    const char *path = s->list->items[it->number].path;
    struct dg_surveyed *one = &s->items[it->number];
    struct t2_err why = T2_ERR_INIT;
    struct aug_admission a;
    enum t2_status st = dg_image_load(&s->list->items[it->number], &it->file, &why);

    (void) worker;
    it->why[0] = '\0';
    it->was_read = st == T2_OK;
    if (st != T2_OK) {
        one->drop = st == T2_ENOTFOUND ? "no such file" : "cannot be read";
        snprintf(it->why, sizeof it->why, "%.250s", why.message);
        return T2_OK;
    }
    one->bytes = it->file.len_bytes;
    t2_sha256_of(it->file.data, it->file.len_bytes, one->sha256);
    T2_TRY(dg_image_admit(path, t2_buf_slice(&it->file), s->policy, &it->scratch.pixels, &a, err));
    if (a.verdict != AUG_REFUSE && a.verdict != AUG_IGNORE)
        return T2_OK;
    one->drop = dg_refusal_reason(&a);
    snprintf(it->why, sizeof it->why, "%.250s", a.verdict == AUG_IGNORE ? one->drop : a.why);
    return T2_OK;
}

static enum t2_status consume(void *context, void *item, struct t2_err *err)
{
    struct survey *s = context;
    const struct item *it = item;
    struct dg_surveyed *one = &s->items[it->number];
    const struct dg_image *p = &s->list->items[it->number];
    char *place;
    enum t2_status st;

    t2_progress_update(&s->progress, it->number + 1);
    if (!one->drop) {
        if (it->file.len_bytes <= s->keep_bytes) {
            s->keep_bytes -= it->file.len_bytes;
            t2_buf_append(&one->kept, it->file.data, it->file.len_bytes);
        }
        return T2_OK;
    }
    place = it->was_read ? dg_quarantine_place(s->list->labels.items[p->label], p->path) : NULL;
    st = dg_image_refused(s->refusals, p->path, it->why, place, t2_buf_slice(&it->file), err);
    t2_free(place);
    if (st == T2_OK && s->n_refused++ < MOST_WARNINGS) {
        struct t2_buf text = {NULL, 0, 0};
        dg_refusal_put(p->path, it->why, &text);
        t2_warn("%s", t2_buf_cstr(&text));
        t2_buf_release(&text);
    }
    return st;
}

static void release(void *context, void *item)
{
    struct item *it = item;

    (void) context;
    t2_buf_release(&it->file);
    dg_image_scratch_release(&it->scratch);
}

enum t2_status dg_survey_images(const struct dg_images *l, const struct dg_image_policy *policy,
                                const struct dg_refusals *refusals, struct t2_pool *pool,
                                uint64_t keep_bytes, struct dg_surveyed *items, struct t2_err *err)
{
    struct survey s = {.list = l,
                       .policy = policy,
                       .refusals = refusals,
                       .items = items,
                       .keep_bytes = keep_bytes};
    const struct t2_pipeline pipeline = {.item_bytes = sizeof(struct item),
                                         .produce = produce,
                                         .work = work,
                                         .consume = consume,
                                         .release = release,
                                         .context = &s};
    enum t2_status st;

    memset(items, 0, l->n * sizeof *items);
    t2_progress_start(&s.progress, "looking at", "images", l->n);
    st = t2_pool_pipeline(pool, &pipeline, err);
    t2_progress_end(&s.progress);
    return st;
}

double dg_surveyed_share(const struct dg_surveyed *s)
{
    char digits[14];

    memcpy(digits, s->sha256, 13); /* 52 bits */
    digits[13] = '\0';
    return (double) strtoull(digits, NULL, 16) * 0x1p-52;
}
