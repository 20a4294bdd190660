/*
 * tfrec/make_manifest.c - a manifest for shards that another program made.
 */
#include "tfrec/make_manifest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/flags.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/progress.h"
#include "base/signals.h"
#include "base/version.h"
#include "tfrec/edit.h"
#include "tfrecord/manifest.h"
#include "tfrecord/reader.h"

void rec_manifest_made_release(struct rec_manifest_made *made)
{
    t2_free(made->path);
    *made = (struct rec_manifest_made){0};
}

/* ---- files ---- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *) a, *(char *const *) b);
}

static enum t2_status check_once(const struct tfr_inputs *in, struct t2_err *err)
{
    const char **paths = t2_alloc(in->n, sizeof *paths);
    enum t2_status st = T2_OK;

    for (size_t i = 0; i < in->n; i++)
        paths[i] = t2_path_base(in->files[i].path);
    qsort(paths, in->n, sizeof *paths, by_text);
    for (size_t i = 1; i < in->n && st == T2_OK; i++) {
        if (strcmp(paths[i - 1], paths[i]) == 0)
            st = t2_fail(err, T2_EUSAGE, "'%s' is given twice", paths[i]);
    }
    t2_free(paths);
    return st;
}

/* All files are regular, in one folder, each once. */
static enum t2_status check_files(const struct tfr_inputs *in, char **dir, struct t2_err *err)
{
    enum t2_status st = T2_OK;

    if (in->n == 0)
        return t2_fail(err, T2_EUSAGE, "no files to make a manifest for");
    *dir = t2_path_dir(in->files[0].path);
    for (size_t i = 0; st == T2_OK && i < in->n; i++) {
        struct t2_file_info at;
        char *other = t2_path_dir(in->files[i].path);
        st = t2_look_at(in->files[i].path, &at, err);
        if (st == T2_OK && at.kind != T2_FILE_REGULAR)
            st = t2_fail(err, T2_EUSAGE, "'%s' is no regular file: a manifest is for files",
                         in->files[i].path);
        else if (st == T2_OK && strcmp(other, *dir) != 0)
            st = t2_fail(err, T2_EUSAGE,
                         "'%s' is not in the folder '%s': a manifest is for files that are "
                         "together",
                         in->files[i].path, *dir);
        t2_free(other);
    }
    return st == T2_OK ? check_once(in, err) : st;
}

/* The length of the common beginning of the names, in front of the parts that differ by split and
 * shard. */
static size_t common_bytes(const struct tfr_inputs *in)
{
    const char *first = t2_path_base(in->files[0].path);
    const char *split = *in->files[0].split ? strstr(first, in->files[0].split) : NULL;
    const char *suffix = strstr(first, ".tfrecord");
    size_t n = strlen(first);

    if (split && n > (size_t) (split - first))
        n = (size_t) (split - first);
    if (suffix && n > (size_t) (suffix - first))
        n = (size_t) (suffix - first);
    if (n > 15 && strncmp(first + n - 9, "-of-", 4) == 0)
        n -= 15;
    for (size_t i = 1; i < in->n; i++) {
        const char *name = t2_path_base(in->files[i].path);
        size_t k = 0;
        while (k < n && name[k] == first[k])
            k++;
        n = k;
    }
    while (n > 0 && strchr("-_.", first[n - 1]))
        n--;
    return n;
}

static enum t2_status manifest_path(const struct tfr_inputs *in, const char *dir, const char *name,
                                    struct tfr_manifest *m, struct t2_err *err)
{
    size_t n = common_bytes(in);
    char *real = name || n > 0 ? NULL : realpath(dir, NULL), *file;

    if (name && (*name == '\0' || *name == '.' || strchr(name, '/')))
        return t2_fail(err, T2_EUSAGE, "'%s' is no name for a data set", name);
    if (name)
        m->problem = t2_strdup(name);
    else if (n > 0)
        m->problem = t2_strndup(t2_path_base(in->files[0].path), n);
    else
        m->problem = t2_strdup(real && *t2_path_base(real) ? t2_path_base(real) : "data");
    free(real); /* realpath's own memory */
    file = t2_asprintf("%s%s", m->problem, TFR_MANIFEST_SUFFIX);
    m->path = t2_path_join(dir, file);
    t2_free(file);
    if (t2_exists(m->path))
        return t2_fail(err, T2_EUSAGE,
                       "'%s' is there already; edit the set with tfrec append, remove or relabel, "
                       "or remove the manifest first",
                       m->path);
    return T2_OK;
}

/* ---- splits ---- */

/* The order of t2t-datagen; other splits follow by name. */
static int rank_of(const char *split)
{
    static const char *const known[] = {"train", "dev", "validation", "eval", "test"};

    for (int i = 0; i < (int) (sizeof known / sizeof *known); i++) {
        if (strcmp(split, known[i]) == 0)
            return i;
    }
    return 100;
}

static int by_rank(const void *a, const void *b)
{
    const struct tfr_manifest_split *x = a, *y = b;
    int p = rank_of(x->name), q = rank_of(y->name);

    return p != q ? p - q : strcmp(x->name, y->name);
}

/* Each file into its split, in the order of the inputs. */
static void make_splits(const struct tfr_inputs *in, struct tfr_manifest *m)
{
    m->splits = t2_alloc(in->n, sizeof *m->splits);
    for (size_t i = 0; i < in->n; i++) {
        const char *name = *in->files[i].split ? in->files[i].split : "all";
        struct tfr_manifest_split *s = tfr_manifest_find_split(m, name);
        if (!s) {
            s = &m->splits[m->n_splits++];
            s->name = t2_strdup(name);
            s->shards = t2_alloc(in->n, sizeof *s->shards);
        }
        s->shards[s->n_shards++].file = t2_strdup(t2_path_base(in->files[i].path));
    }
    qsort(m->splits, m->n_splits, sizeof *m->splits, by_rank);
}

/* ---- counts and hashes ---- */

struct shard_job {
    const char *dir;
    struct tfr_manifest_shard **shards;
    struct t2_err *errs;
    struct t2_progress progress;
};

static void look_at_shard(void *arg, int64_t piece, int worker)
{
    struct shard_job *job = arg;
    struct tfr_manifest_shard *s = job->shards[piece];
    char *path = t2_path_join(job->dir, s->file);
    struct t2_err *err = &job->errs[piece];

    if (t2_check_interrupt(err) == T2_OK &&
        t2_sha256_file(path, s->sha256, &s->bytes, err) == T2_OK &&
        tfr_count(path, &s->n_records, err) != T2_OK)
        s->n_records = 0; /* look_at_shards looks at err */
    if (worker == 0)
        t2_progress_update(&job->progress, (uint64_t) piece + 1);
    t2_free(path);
}

static enum t2_status look_at_shards(struct tfr_manifest *m, const char *dir, size_t n,
                                     struct t2_pool *pool, struct t2_err *err)
{
    struct shard_job job = {.dir = dir,
                            .shards = t2_alloc(n, sizeof(struct tfr_manifest_shard *)),
                            .errs = t2_alloc(n, sizeof *job.errs)};
    enum t2_status st = T2_OK;
    size_t k = 0;

    for (size_t s = 0; s < m->n_splits; s++) {
        for (size_t i = 0; i < m->splits[s].n_shards; i++)
            job.shards[k++] = &m->splits[s].shards[i];
    }
    t2_progress_start(&job.progress, "hashing", "files", n);
    t2_pool_run(pool, (int64_t) n, look_at_shard, &job);
    t2_progress_end(&job.progress);
    for (size_t i = 0; i < n && st == T2_OK; i++) {
        if (job.errs[i].status != T2_OK) {
            *err = job.errs[i];
            st = err->status;
        }
    }
    for (size_t s = 0; s < m->n_splits; s++) {
        for (size_t i = 0; i < m->splits[s].n_shards; i++)
            m->splits[s].n_records += m->splits[s].shards[i].n_records;
    }
    t2_free(job.shards);
    t2_free(job.errs);
    return st;
}

/* ---- features ---- */

/* Is the first record of all an Example?  Then all must be. */
static enum t2_status holds_examples(const struct tfr_inputs *in, bool *yes, struct t2_err *err)
{
    enum t2_status st = T2_EOF;

    *yes = true;
    for (size_t i = 0; st == T2_EOF && i < in->n; i++) {
        struct tfr_example ex = {0};
        struct tfr_reader *r = NULL;
        struct t2_slice record;
        struct t2_err why = T2_ERR_INIT;
        T2_TRY(tfr_reader_new(in->files[i].path, &r, err));
        st = tfr_reader_next(r, &record, err);
        if (st == T2_OK && tfr_example_parse(&ex, record, &why) == T2_ENOMEM) {
            *err = why;
            st = T2_ENOMEM;
        } else if (st == T2_OK && why.status != T2_OK) {
            *yes = false;
            t2_warn("'%s': the first record is no tf.train.Example (%s): the manifest will have no "
                    "features",
                    in->files[i].path, why.message);
        }
        tfr_example_release(&ex);
        tfr_reader_free(r);
    }
    return st == T2_EOF ? T2_OK : st;
}

static enum t2_status find_features(struct tfr_manifest *m, const struct tfr_inputs *in,
                                    struct t2_pool *pool, struct t2_err *err)
{
    struct rec_schema *s = NULL;
    bool examples = true;
    enum t2_status st;

    T2_TRY(holds_examples(in, &examples, err));
    if (!examples)
        return T2_OK;
    T2_TRY(rec_schema_discover(in, pool, &s, err));
    st = rec_features_of(s, in, NULL, 0, &m->features, &m->n_features, err);
    if (st == T2_OK && s->n_records != tfr_manifest_records(m))
        st = t2_fail(err, T2_EIO, "files in the folder of '%s' changed while they were read",
                     m->path);
    rec_schema_free(s);
    return st;
}

/* ---- all together ---- */

static enum t2_status write(const struct tfr_manifest *m, struct t2_err *err)
{
    struct t2_strs words = {NULL, 0, 0};
    struct t2_buf text = {NULL, 0, 0};
    char *command, *flag = t2_asprintf("--manifest=%s", m->problem);
    enum t2_status st;

    t2_strs_push(&words, "tfrec");
    t2_strs_push(&words, "index");
    t2_strs_take(&words, flag);
    command = t2_flags_command_line((int) words.n, words.items);
    st = tfr_manifest_text(m, command, t2_version(), NULL, &text, err);
    if (st == T2_OK)
        st = t2_write_file(m->path, text.data, text.len_bytes, err);
    t2_free(command);
    t2_buf_release(&text);
    t2_strs_release(&words);
    return st;
}

static enum t2_status make_locked(struct tfr_manifest *m, const struct tfr_inputs *in,
                                  const char *dir, struct t2_pool *pool, struct t2_err *err)
{
    struct t2_lock lock = {-1, NULL};
    enum t2_status st;

    T2_TRY(t2_lock_take(dir, m->problem, "editing or making this data set", &lock, err));
    make_splits(in, m);
    st = look_at_shards(m, dir, in->n, pool, err);
    if (st == T2_OK)
        st = find_features(m, in, pool, err);
    if (st == T2_OK)
        st = write(m, err);
    t2_lock_give(&lock);
    return st;
}

enum t2_status rec_make_manifest(const struct tfr_inputs *in, const char *name,
                                 struct t2_pool *pool, struct rec_manifest_made *made,
                                 struct t2_err *err)
{
    struct tfr_manifest *m = t2_alloc(1, sizeof *m);
    char *dir = NULL;
    enum t2_status st = check_files(in, &dir, err);

    *made = (struct rec_manifest_made){0};
    if (st == T2_OK)
        st = manifest_path(in, dir, name, m, err);
    if (st == T2_OK)
        st = make_locked(m, in, dir, pool, err);
    if (st == T2_OK)
        *made = (struct rec_manifest_made){t2_strdup(m->path), tfr_manifest_records(m), in->n,
                                           m->n_splits, m->n_features};
    t2_free(dir);
    tfr_manifest_free(m);
    return st;
}
