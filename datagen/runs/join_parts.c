/*
 * datagen/runs/join_parts.c - parts become a manifest.
 */
#include "datagen/runs/join_parts.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/dir_lock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/signals.h"
#include "datagen/runs/existing_set.h"
#include "datagen/runs/join_drops.h"
#include "datagen/runs/join_shared.h"

/* All parts of a data set. */
struct parts {
    struct t2_strs paths;
    struct tfr_manifest **items;
    size_t n;
    struct tfr_manifest *base; /* of items: the one with the first shard, which tells the rest */
};

static bool is_made(const struct tfr_manifest_shard *s)
{
    return s->sha256[strspn(s->sha256, "0")] != '\0';
}

static bool is_there(const char *data_dir, const struct tfr_manifest_shard *s)
{
    char *path = t2_path_join(data_dir, s->file);
    struct t2_err ignored = T2_ERR_INIT;
    uint64_t bytes = 0;
    bool there = t2_file_size(path, &bytes, &ignored) == T2_OK && bytes == s->bytes;

    t2_free(path);
    return there;
}

enum t2_status dg_part_is_made(const char *path, const struct dg_made_from *made_from,
                               const char *data_dir, bool *is_whole, struct t2_err *err)
{
    struct dg_made_from there = {0};
    struct tfr_manifest *m = NULL;
    struct t2_buf difference = {0};
    enum t2_status st;

    *is_whole = false;
    if (!t2_exists(path))
        return T2_OK;
    T2_TRY(tfr_manifest_load(path, &m, err));
    st = dg_made_from_load(path, "made_from", &there, err);
    *is_whole = st == T2_OK && dg_made_from_compare(&there, made_from, &difference) == 0;
    for (size_t i = 0; i < m->n_splits && *is_whole; i++) {
        for (size_t k = 0; k < m->splits[i].n_shards; k++) {
            const struct tfr_manifest_shard *s = &m->splits[i].shards[k];
            *is_whole &= !is_made(s) || is_there(data_dir, s);
        }
    }
    t2_buf_release(&difference);
    dg_made_from_release(&there);
    tfr_manifest_free(m);
    return st;
}

static void release(struct parts *p)
{
    for (size_t i = 0; i < p->n; i++)
        tfr_manifest_free(p->items[i]);
    t2_free(p->items);
    t2_strs_release(&p->paths);
}

static bool has_first_shard(const struct tfr_manifest *m)
{
    return m->n_splits > 0 && m->splits[0].n_shards > 0 && is_made(&m->splits[0].shards[0]);
}

static enum t2_status load(const char *name, const char *data_dir, struct parts *p,
                           struct t2_err *err)
{
    char *prefix = t2_asprintf("%s.part-", name);
    struct t2_strs files = {0};
    enum t2_status st = t2_list_dir(data_dir, &files, err);

    for (size_t i = 0; i < files.n; i++) {
        if (t2_starts_with(files.items[i], prefix) && t2_ends_with(files.items[i], ".json"))
            t2_strs_take(&p->paths, t2_path_join(data_dir, files.items[i]));
    }
    p->items = t2_alloc(p->paths.n + 1, sizeof(struct tfr_manifest *));
    for (size_t i = 0; i < p->paths.n && st == T2_OK; i++) {
        st = tfr_manifest_load(p->paths.items[i], &p->items[i], err);
        p->n += st == T2_OK;
        if (st == T2_OK && has_first_shard(p->items[i]))
            p->base = p->items[i];
    }
    t2_strs_release(&files);
    t2_free(prefix);
    return st;
}

/* Parts of different work do not go together. */
static enum t2_status compare(const struct parts *p, struct t2_err *err)
{
    struct dg_made_from first = {0};
    enum t2_status st = dg_made_from_load(p->paths.items[0], "made_from", &first, err);

    for (size_t i = 1; i < p->n && st == T2_OK; i++) {
        struct dg_made_from other = {0};
        struct t2_buf text = {0};
        st = dg_made_from_load(p->paths.items[i], "made_from", &other, err);
        if (st == T2_OK && dg_made_from_compare(&first, &other, &text) > 0)
            st = t2_fail(err, T2_EFORMAT, "'%s' and '%s' were made from different things (%s)",
                         p->paths.items[0], p->paths.items[i], t2_buf_cstr(&text));
        t2_buf_release(&text);
        dg_made_from_release(&other);
    }
    dg_made_from_release(&first);
    return st;
}

/* *made: as the part that has made it tells of a shard; NULL: none has. */
static enum t2_status made_shard(const struct parts *p, size_t split, size_t shard,
                                 const struct tfr_manifest_shard **made, struct t2_err *err)
{
    size_t maker = 0;

    *made = NULL;
    for (size_t i = 0; i < p->n; i++) {
        const struct tfr_manifest *m = p->items[i];
        if (split >= m->n_splits || shard >= m->splits[split].n_shards ||
            !is_made(&m->splits[split].shards[shard]))
            continue;
        if (*made)
            return t2_fail(err, T2_EFORMAT,
                           "'%s' and '%s' both have made '%s', they are of another number of "
                           "tasks: remove one of them",
                           p->paths.items[maker], p->paths.items[i], (*made)->file);
        *made = &m->splits[split].shards[shard];
        maker = i;
    }
    return T2_OK;
}

static enum t2_status check_shard(const struct parts *p, const char *data_dir, size_t split,
                                  size_t shard, struct t2_err *err)
{
    const struct tfr_manifest_shard *made;

    T2_TRY(made_shard(p, split, shard, &made, err));
    if (!made)
        return t2_fail(err, T2_ENOTFOUND, "'%s/%s' is not made yet: a task is missing", data_dir,
                       p->base->splits[split].shards[shard].file);
    if (!is_there(data_dir, made))
        return t2_fail(err, T2_EFORMAT, "'%s/%s' is missing or has changed: run its task again",
                       data_dir, made->file);
    return T2_OK;
}

static void take_shard(struct tfr_manifest_split *to, size_t shard,
                       const struct tfr_manifest_shard *made)
{
    to->shards[shard].n_records = made->n_records;
    to->shards[shard].bytes = made->bytes;
    memmove(to->shards[shard].sha256, made->sha256, sizeof made->sha256);
    to->n_records += made->n_records;
}

/* All are looked at before the first is taken: base is one of the parts. */
static enum t2_status join_shards(struct parts *p, const char *data_dir, struct t2_err *err)
{
    struct tfr_manifest *m = p->base;
    const struct tfr_manifest_shard *made;

    for (size_t split = 0; split < m->n_splits; split++) {
        for (size_t i = 0; i < m->splits[split].n_shards; i++)
            T2_TRY(check_shard(p, data_dir, split, i, err));
    }
    for (size_t split = 0; split < m->n_splits; split++) {
        m->splits[split].n_records = 0;
        for (size_t i = 0; i < m->splits[split].n_shards; i++) {
            T2_TRY(made_shard(p, split, i, &made, err));
            take_shard(&m->splits[split], i, made);
        }
    }
    return T2_OK;
}

static void join_feature(struct tfr_manifest_feature *to, const struct tfr_manifest_feature *from)
{
    if (from->n_values && (to->n_values == 0 || from->min_value < to->min_value))
        to->min_value = from->min_value;
    if (from->n_values && (to->n_values == 0 || from->max_value > to->max_value))
        to->max_value = from->max_value;
    if (from->min_length < to->min_length)
        to->min_length = from->min_length;
    if (from->max_length > to->max_length)
        to->max_length = from->max_length;
    to->n_values += from->n_values;
}

static void add_feature(struct tfr_manifest *m, const struct tfr_manifest_feature *from)
{
    size_t at = 0;

    while (at < m->n_features && strcmp(m->features[at].name, from->name) < 0)
        at++;
    m->features = t2_realloc(m->features, m->n_features + 1, sizeof *m->features);
    memmove(m->features + at + 1, m->features + at, (m->n_features - at) * sizeof *m->features);
    m->n_features++;
    m->features[at] = *from;
    m->features[at].name = t2_strdup(from->name);
    m->features[at].kind = t2_strdup(from->kind);
}

static void join_features(struct parts *p)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct tfr_manifest *m = p->items[i];
        for (size_t k = 0; k < m->n_features && m != p->base; k++) {
            struct tfr_manifest_feature *to =
                tfr_manifest_find_feature(p->base, m->features[k].name);
            if (to)
                join_feature(to, &m->features[k]);
            else
                add_feature(p->base, &m->features[k]);
        }
    }
}

static enum t2_status write_all(const struct parts *p, const char *name, const char *data_dir,
                                const char *manifest, struct t2_err *err)
{
    char *plan = dg_plan_path(data_dir, name);
    struct t2_buf text = {0};
    enum t2_status st = tfr_manifest_text(p->base, NULL, NULL, NULL, &text, err);

    if (st == T2_OK)
        st = dg_join_drops(p->items, p->n, &text, err);
    if (st == T2_OK)
        st = dg_join_shared(p->base, data_dir, &text, err);
    if (st == T2_OK)
        st = t2_write_file(manifest, text.data, text.len_bytes, err);
    for (size_t i = 0; i < p->n && st == T2_OK; i++)
        st = t2_remove(p->paths.items[i], err);
    if (st == T2_OK)
        st = t2_remove(plan, err);
    t2_buf_release(&text);
    t2_free(plan);
    return st;
}

static enum t2_status join(const char *name, const char *data_dir, const char *manifest,
                           struct t2_err *err)
{
    struct parts p = {0};
    enum t2_status st = load(name, data_dir, &p, err);

    if (st == T2_OK && p.n > 1)
        st = compare(&p, err);
    if (st == T2_OK && !p.base)
        st = t2_fail(err, T2_ENOTFOUND,
                     "'%s' has no part of '%s' with the first shard: a task is missing", data_dir,
                     name);
    if (st == T2_OK)
        st = join_shards(&p, data_dir, err);
    if (st == T2_OK) {
        join_features(&p);
        st = write_all(&p, name, data_dir, manifest, err);
    }
    if (st == T2_OK)
        t2_info("%zu parts are joined: %s", p.n, manifest);
    release(&p);
    return st;
}

/* A join that was killed after its manifest left parts behind. */
static enum t2_status remove_parts(const char *name, const char *data_dir, struct t2_err *err)
{
    struct parts p = {0};
    enum t2_status st = load(name, data_dir, &p, err);

    for (size_t i = 0; i < p.paths.n && st == T2_OK; i++)
        st = t2_remove(p.paths.items[i], err);
    release(&p);
    return st;
}

enum t2_status dg_join_parts(const char *name, const char *data_dir, struct t2_err *err)
{
    char *manifest = dg_manifest_path(data_dir, name);
    struct t2_lock lock = {-1, NULL};
    enum t2_status st = t2_lock_wait(data_dir, name, "joining", &lock, err);

    if (st == T2_OK) {
        st = t2_exists(manifest) ? remove_parts(name, data_dir, err)
                                 : join(name, data_dir, manifest, err);
        t2_lock_give(&lock);
    }
    t2_free(manifest);
    return st;
}

enum t2_status dg_join_when_made(const char *name, const char *data_dir, struct t2_err *err)
{
    const struct timespec moment = {0, 100000000};

    for (;;) {
        struct t2_err not_yet = T2_ERR_INIT;
        enum t2_status st = dg_join_parts(name, data_dir, &not_yet);
        if (st != T2_ENOTFOUND) {
            if (st != T2_OK)
                *err = not_yet;
            return st;
        }
        T2_TRY(t2_check_interrupt(err));
        (void) nanosleep(&moment, NULL);
    }
}
