/*
 * train/input/index.c - the pass over the shards.  One shard is one piece of work.
 */
#include "train/input/index.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/crc32c.h"
#include "base/io.h"
#include "base/pool.h"
#include "base/progress.h"
#include "base/remote/remote_file.h"
#include "base/remote_path.h"
#include "base/signals.h"
#include "tfrecord/shards.h"

enum { SOME_RECORDS = 4096 }; /* between looks at interrupts and the clock */

/* What one piece of work finds. */
struct scan {
    struct in_place *places;
    uint32_t *pieces; /* as places, when records are split */
    uint64_t n, capacity;
    uint64_t n_records, n_too_long, n_too_short;
    uint64_t n_noted; /* bytes that progress knows of */
    bool has_targets; /* something but padding */
    struct in_corrupt corrupt;
    enum t2_status status;
    struct t2_err err;
};

struct scan_all {
    struct in_index *index;
    const struct in_recipe *recipe;
    const struct in_scheme *scheme;
    uint64_t max_records;
    struct t2_progress progress; /* drawn by the calling thread alone, which is worker 0 */
    _Atomic uint64_t n_read;     /* bytes, of all threads */
    struct scan *scans;          /* one a shard */
    struct in_sample *samples;   /* one a thread */
};

enum t2_status in_shard_stat(int fd, const char *path, struct in_shard *shard, struct t2_err *err)
{
    struct stat st;

    /* The local file of a remote path may be another one each time, and is being written. */
    if (t2_is_remote(path) ? t2_stat(path, &st) != 0 : fstat(fd, &st) != 0)
        return t2_fail_errno(err, errno, "'%s'", path);
    shard->bytes = (uint64_t) st.st_size;
    shard->inode = (uint64_t) st.st_ino;
    shard->changed_s = st.st_mtim.tv_sec;
    shard->changed_ns = st.st_mtim.tv_nsec;
    return T2_OK;
}

bool in_shard_same(const struct in_shard *a, const struct in_shard *b)
{
    return a->bytes == b->bytes && a->inode == b->inode && a->changed_s == b->changed_s &&
           a->changed_ns == b->changed_ns;
}

static enum t2_status stat_path(const char *path, struct in_shard *shard, struct t2_err *err)
{
    enum t2_status st;
    int fd;

    T2_TRY(t2_open_input(path, false, &fd, NULL, err));
    st = in_shard_stat(fd, path, shard, err);
    close(fd);
    return st;
}

static void add_places(struct scan *s, uint64_t at, const struct in_sample *sample, bool split)
{
    for (int32_t i = 0; i < sample->n_pieces; i++) {
        if (s->n == s->capacity) {
            s->capacity = s->capacity * 2 + 1024;
            s->places = t2_realloc(s->places, s->capacity, sizeof *s->places);
            if (split)
                s->pieces = t2_realloc(s->pieces, s->capacity, sizeof *s->pieces);
        }
        if (split)
            s->pieces[s->n] = (uint32_t) i;
        s->places[s->n++] = (struct in_place){at, sample->inputs_length, sample->targets_length};
    }
}

static void note_progress(struct scan_all *all, struct scan *s, uint64_t offset,
                          const struct in_sample *sample)
{
    uint64_t n = atomic_fetch_add(&all->n_read, offset - s->n_noted) + offset - s->n_noted;

    s->n_noted = offset;
    if (sample == &all->samples[0])
        t2_progress_update(&all->progress, n);
}

static enum t2_status scan_records(struct scan_all *all, size_t shard, struct scan *s,
                                   struct in_sample *sample, struct in_shard_reader *reader)
{
    enum t2_status st;

    for (;;) {
        struct in_shard_record record;
        struct in_place place;

        if (all->max_records > 0 && s->n_records == all->max_records)
            return T2_OK;
        st = in_shard_reader_next(reader, &record, &s->err);
        if (st != T2_OK)
            return st == T2_EOF ? T2_OK : st;
        st = in_sample_parse(sample, in_shard_recipe(all->index, all->recipe, shard), record.data,
                             &s->err);
        if (st == T2_OK && all->recipe->images && all->recipe->max_corrupt > 0) {
            st = in_sample_check_image(sample, all->recipe, &s->err);
            if (st != T2_OK && !aug_is_refusal(st))
                return st;
        }
        if (st != T2_OK) {
            T2_TRY(in_shard_reader_refuse(reader, &record, &s->err));
            continue;
        }
        if (s->n_records++ % SOME_RECORDS == 0) {
            if (t2_interrupted())
                return t2_check_interrupt(&s->err);
            note_progress(all, s, record.offset, sample);
        }
        place = (struct in_place){0, sample->inputs_length, sample->targets_length};
        if (in_place_length(&place) > all->scheme->max_length)
            s->n_too_long++;
        else if (in_place_length(&place) < all->scheme->min_length)
            s->n_too_short++;
        else
            add_places(s, (uint64_t) shard << IN_OFFSET_BITS | record.offset, sample,
                       all->recipe->split > 0);
        for (int32_t i = 0; i < sample->targets_length && !s->has_targets; i++)
            s->has_targets = sample->targets[i] != 0;
    }
}

static bool has_too_many(const struct scan_all *all, const struct in_corrupt *c)
{
    return c->n_records > all->recipe->max_corrupt;
}

static enum t2_status scan_shard(struct scan_all *all, size_t shard, struct scan *s,
                                 struct in_sample *sample)
{
    const char *path = all->index->paths.items[shard];
    struct in_shard *before = &all->index->shards[shard], after = {0};
    struct in_shard_reader *reader;
    enum t2_status st;

    T2_TRY(stat_path(path, before, &s->err));
    T2_TRY(in_shard_reader_new(path, all->recipe->max_corrupt, &s->corrupt, &reader, &s->err));
    st = scan_records(all, shard, s, sample, reader);
    /* A compressed stream cannot be entered in the middle. */
    if (st == T2_OK && all->max_records == 0 && !has_too_many(all, &s->corrupt) &&
        in_shard_reader_bytes(reader) != before->bytes)
        st = t2_fail(&s->err, T2_EUNSUPPORTED,
                     "'%s' is compressed, or grew while it was read: training reads plain "
                     "TFRecord files",
                     path);
    in_shard_reader_free(reader);
    if (st != T2_OK)
        return st;
    T2_TRY(stat_path(path, &after, &s->err));
    if (!in_shard_same(before, &after))
        return t2_fail(&s->err, T2_EFORMAT, "'%s' was changed while it was read", path);
    return T2_OK;
}

static void scan_piece(void *arg, int64_t piece, int worker)
{
    struct scan_all *all = arg;
    struct scan *s = &all->scans[piece];

    s->status = scan_shard(all, (size_t) piece, s, &all->samples[worker]);
}

static void count_tokens(struct in_index *index)
{
    for (uint64_t i = 0; i < index->n; i++) {
        index->n_inputs_tokens += (uint64_t) index->places[i].inputs_length;
        index->n_targets_tokens += (uint64_t) index->places[i].targets_length;
        index->n_longer_tokens += (uint64_t) in_place_length(&index->places[i]);
    }
}

/* What was passed over in all shards is what the limit is about. */
static enum t2_status join_corrupt(const struct scan_all *all, size_t shard, struct t2_err *err)
{
    const struct in_corrupt *c = &all->scans[shard].corrupt;
    struct in_corrupt *sum = &all->index->corrupt;
    const uint64_t where[] = {shard, c->crc};

    for (size_t i = 0; i < c->places.n; i++)
        t2_strs_push(&sum->places, c->places.items[i]);
    sum->n_records += c->n_records;
    if (c->n_records > 0)
        sum->crc = t2_crc32c(sum->crc, where, sizeof where);
    if (has_too_many(all, sum))
        return t2_fail(err, T2_EFORMAT,
                       "more than %" PRIu64 " damaged records (--max_corrupt), the first of them: "
                       "%s",
                       all->recipe->max_corrupt, sum->places.items[0]);
    return T2_OK;
}

static struct in_task_counts *task_of(const struct in_index *index, size_t shard)
{
    for (int i = 0; i < index->n_tasks; i++) {
        if (shard < index->tasks[i].n_shards)
            return &index->tasks[i];
        shard -= (size_t) index->tasks[i].n_shards;
    }
    return NULL;
}

const struct in_recipe *in_shard_recipe(const struct in_index *index, const struct in_recipe *alone,
                                        size_t shard)
{
    const struct in_task_counts *task = task_of(index, shard);

    return task ? task->recipe : alone;
}

/* Joins what the pieces found, in order of shards. */
static enum t2_status join(const struct scan_all *all, struct t2_err *err)
{
    struct in_index *index = all->index;

    for (size_t i = 0; i < index->paths.n; i++) {
        const struct scan *s = &all->scans[i];

        if (s->status != T2_OK) {
            *err = s->err;
            return s->status;
        }
        T2_TRY(join_corrupt(all, i, err));
        index->n += s->n;
        index->n_records += s->n_records;
        index->n_too_long += s->n_too_long;
        index->n_too_short += s->n_too_short;
        index->bytes += index->shards[i].bytes;
        index->has_targets |= s->has_targets;
    }
    index->places = t2_try_alloc(index->n > 0 ? (size_t) index->n : 1, sizeof *index->places);
    if (!index->places)
        return t2_fail(err, T2_ENOMEM,
                       "no memory for the index of %" PRIu64 " samples (16 bytes each)", index->n);
    if (all->recipe->split > 0)
        index->pieces = t2_alloc((size_t) index->n, sizeof *index->pieces);
    index->n = 0;
    for (size_t i = 0; i < index->paths.n; i++) {
        struct scan *s = &all->scans[i];
        struct in_task_counts *task = task_of(index, i);

        if (task) {
            task->n_bytes += index->shards[i].bytes;
            task->n_records += s->n_records;
            task->n_kept += s->n;
        }
        if (s->n > 0)
            memcpy(index->places + index->n, s->places, s->n * sizeof *s->places);
        if (s->n > 0 && index->pieces)
            memcpy(index->pieces + index->n, s->pieces, s->n * sizeof *s->pieces);
        index->n += s->n;
        t2_free(s->places);
        t2_free(s->pieces);
        s->places = NULL;
        s->pieces = NULL;
    }
    count_tokens(index);
    return T2_OK;
}

/* Of all shards; what cannot be read is said later. */
static uint64_t bytes_of_shards(const struct in_index *index)
{
    uint64_t sum = 0;
    struct stat st;

    for (size_t i = 0; i < index->paths.n; i++)
        sum += t2_stat(index->paths.items[i], &st) == 0 ? (uint64_t) st.st_size : 0;
    return sum;
}

/* max_records: shards are read one after the other until there are enough. */
static void scan_first(struct scan_all *all)
{
    uint64_t left = all->max_records;

    for (size_t i = 0; i < all->index->paths.n && left > 0; i++) {
        all->max_records = left;
        scan_piece(all, (int64_t) i, 0);
        if (all->scans[i].status != T2_OK || has_too_many(all, &all->scans[i].corrupt))
            return;
        left -= all->scans[i].n_records;
    }
}

static enum t2_status scan_shards(struct scan_all *all, int n_threads, struct t2_err *err)
{
    struct t2_pool *pool = t2_pool_new(n_threads);
    int n_workers = t2_pool_threads(pool);
    size_t n_shards = all->index->paths.n;
    enum t2_status st;

    all->scans = t2_alloc(n_shards, sizeof *all->scans);
    all->samples = t2_alloc((size_t) n_workers, sizeof *all->samples);
    t2_progress_start(&all->progress, "reading the data set", "bytes",
                      all->max_records > 0 ? 0 : bytes_of_shards(all->index));
    if (all->max_records > 0)
        scan_first(all);
    else
        t2_pool_run(pool, (int64_t) n_shards, scan_piece, all);
    t2_progress_end(&all->progress);
    t2_pool_free(pool);
    st = join(all, err);
    for (size_t i = 0; i < n_shards; i++) {
        t2_free(all->scans[i].places);
        t2_free(all->scans[i].pieces);
        in_corrupt_release(&all->scans[i].corrupt);
    }
    for (int i = 0; i < n_workers; i++)
        in_sample_release(&all->samples[i]);
    t2_free(all->scans);
    t2_free(all->samples);
    return st;
}

enum t2_status in_index_read(const char *dir, const char *dataset, const char *split,
                             const struct in_recipe *recipe, const struct in_scheme *scheme,
                             uint64_t max_records, int n_threads, struct in_index *index,
                             struct t2_err *err)
{
    struct scan_all all = {.index = index,
                           .recipe = recipe,
                           .scheme = scheme,
                           .max_records = max_records};
    enum t2_status st;

    *index = (struct in_index){0};
    T2_GOTO(st, out, tfr_find_shards(dir, dataset, split, &index->paths, err));
    index->shards = t2_alloc(index->paths.n, sizeof *index->shards);
    if (max_records == 0)
        t2_remote_prefetch(&index->paths);
    st = scan_shards(&all, n_threads, err);
out:
    if (st != T2_OK)
        in_index_release(index);
    return st;
}

enum t2_status in_index_read_tasks(const char *dir, const struct in_source *sources, int n,
                                   const struct in_scheme *scheme, int n_threads,
                                   struct in_index *index, struct t2_err *err)
{
    struct scan_all all = {.index = index, .recipe = sources[0].recipe, .scheme = scheme};
    enum t2_status st = T2_OK;

    *index = (struct in_index){.n_tasks = n, .tasks = t2_alloc((size_t) n, sizeof *index->tasks)};
    for (int i = 0; i < n; i++) {
        struct t2_strs paths = {0};

        T2_GOTO(st, out, tfr_find_shards(dir, sources[i].dataset, sources[i].split, &paths, err));
        index->tasks[i].recipe = sources[i].recipe;
        index->tasks[i].n_shards = paths.n;
        for (size_t k = 0; k < paths.n; k++)
            t2_strs_push(&index->paths, paths.items[k]);
        t2_strs_release(&paths);
    }
    index->shards = t2_alloc(index->paths.n, sizeof *index->shards);
    t2_remote_prefetch(&index->paths);
    st = scan_shards(&all, n_threads, err);
out:
    if (st != T2_OK)
        in_index_release(index);
    return st;
}

char *in_place_name(const struct in_index *index, const struct in_place *place)
{
    size_t shard = (size_t) (place->at >> IN_OFFSET_BITS);
    uint64_t offset = place->at & (((uint64_t) 1 << IN_OFFSET_BITS) - 1), record = 0;

    while (place - index->places > (int64_t) record &&
           (place - record - 1)->at >> IN_OFFSET_BITS == shard)
        record++;
    return t2_asprintf("'%s': record %" PRIu64 " at offset %" PRIu64, index->paths.items[shard],
                       record, offset);
}

void in_index_release(struct in_index *index)
{
    t2_strs_release(&index->paths);
    t2_free(index->shards);
    t2_free(index->places);
    t2_free(index->pieces);
    t2_free(index->tasks);
    in_corrupt_release(&index->corrupt);
    *index = (struct in_index){0};
}
