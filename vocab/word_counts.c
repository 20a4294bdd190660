/*
 * vocab/word_counts.c - each thread has its own table; they are added in the end.
 */
#include "vocab/word_counts.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/pool.h"
#include "tokenizer/counts.h"
#include "vocab/count_runs.h"
#include "vocab/counts_file.h"

enum { OFFICIAL_BUDGET = 1000000 };
enum { MIN_TABLE_BYTES = 1 << 18, CHECK_EVERY = 1 << 12 };

struct voc_tally {
    struct voc_count_limits limits;
    uint64_t task, n_tasks;
    struct tok_counts **tables; /* per worker */
    size_t n_tables;
    struct voc_runs *runs; /* NULL without a limit */
};

static enum t2_status ask(const struct voc_tally *t, const struct tok_counts *part,
                          struct t2_err *err)
{
    return t->limits.check != NULL ? t->limits.check(t->limits.check_arg, part, err) : T2_OK;
}

static void spill(void *arg, struct tok_counts *c)
{
    struct voc_tally *t = arg;

    voc_runs_add(t->runs, c);
}

static enum t2_status count_block(void *context, const struct voc_block *b, void *result,
                                  int worker, struct t2_err *err)
{
    struct voc_tally *t = context;

    (void) result;
    if (b->index % t->n_tasks != t->task)
        return T2_OK;
    for (size_t i = 0; i < b->n; ++i)
        tok_counts_add_text(t->tables[worker], b->lines[i].data, b->lines[i].len_bytes);
    T2_TRY(ask(t, t->tables[worker], err));
    return t->runs != NULL ? voc_runs_status(t->runs, err) : T2_OK;
}

static struct voc_tally *new_tally(uint64_t task, uint64_t n_tasks, size_t n_tables,
                                   const struct voc_count_limits *limits)
{
    struct voc_tally *t = t2_alloc(1, sizeof(*t));
    size_t share = (size_t) (limits->max_memory / n_tables);

    t->limits = *limits;
    t->task = task;
    t->n_tasks = n_tasks;
    t->n_tables = n_tables;
    t->tables = t2_alloc(n_tables, sizeof(*t->tables));
    if (limits->max_memory > 0)
        t->runs = voc_runs_new(limits->beside);
    for (size_t i = 0; i < n_tables; ++i) {
        t->tables[i] = tok_counts_new();
        if (t->runs != NULL)
            tok_counts_limit(t->tables[i], share > MIN_TABLE_BYTES ? share : MIN_TABLE_BYTES, spill,
                             t);
    }
    return t;
}

void voc_tally_free(struct voc_tally *t)
{
    if (t == NULL)
        return;
    for (size_t i = 0; i < t->n_tables; ++i)
        tok_counts_free(t->tables[i]);
    t2_free(t->tables);
    voc_runs_free(t->runs);
    t2_free(t);
}

enum t2_status voc_count_words(const struct voc_corpus *c, uint64_t task, uint64_t n_tasks,
                               struct t2_pool *pool, const struct voc_count_limits *limits,
                               struct voc_tally **t, struct t2_err *err)
{
    struct voc_tally *tally = new_tally(task, n_tasks, (size_t) t2_pool_threads(pool), limits);
    const struct voc_work work = {.work = count_block, .context = tally, .what = "counting words"};
    enum t2_status st = voc_corpus_run(c, &work, pool, err);

    *t = NULL;
    if (st == T2_OK)
        *t = tally;
    else
        voc_tally_free(tally);
    return st;
}

size_t voc_tally_runs(const struct voc_tally *t)
{
    return t->runs != NULL ? voc_runs_count(t->runs) : 0;
}

static void drop_tables(struct voc_tally *t)
{
    for (size_t i = 0; i < t->n_tables; ++i)
        tok_counts_free(t->tables[i]);
    t->n_tables = 0;
}

/* All runs, and the rest of the tables as runs, so that only one table is in memory. */
static enum t2_status load_runs(struct voc_tally *t, struct tok_counts *counts, struct t2_err *err)
{
    struct voc_merge *m = NULL;
    struct t2_slice word;
    enum t2_status st;
    uint64_t n;

    for (size_t i = 0; i < t->n_tables; ++i)
        voc_runs_add(t->runs, t->tables[i]);
    drop_tables(t);
    st = voc_merge_new(t->runs, NULL, 0, &m, err);
    while (st == T2_OK && (st = voc_merge_next(m, &word, &n, err)) == T2_OK) {
        tok_counts_add(counts, word.data, word.len_bytes, n);
        if (tok_counts_distinct(counts) % CHECK_EVERY == 0)
            st = ask(t, counts, err);
    }
    voc_merge_free(m);
    return st == T2_EOF ? T2_OK : st;
}

enum t2_status voc_tally_table(struct voc_tally *t, struct tok_counts **counts, struct t2_err *err)
{
    enum t2_status st = T2_OK;

    if (voc_tally_runs(t) > 0) {
        *counts = tok_counts_new();
        st = load_runs(t, *counts, err);
    } else {
        *counts = t->tables[0];
        tok_counts_limit(*counts, 0, NULL, NULL);
        for (size_t i = 1; i < t->n_tables && st == T2_OK; ++i) {
            tok_counts_merge(*counts, t->tables[i]);
            tok_counts_free(t->tables[i]);
            t->tables[i] = NULL;
            st = ask(t, *counts, err);
        }
        t->tables[0] = NULL;
    }
    if (st == T2_OK)
        st = ask(t, *counts, err);
    if (st != T2_OK) {
        tok_counts_free(*counts);
        *counts = NULL;
    }
    return st;
}

static void sort_table(void *arg, int64_t piece, int worker)
{
    struct voc_tally *t = arg;

    (void) worker;
    tok_counts_sort(t->tables[piece]);
}

enum t2_status voc_tally_save(struct voc_tally *t, struct t2_pool *pool, const char *path,
                              uint64_t *n_distinct, struct t2_err *err)
{
    struct voc_merge *m = NULL;
    enum t2_status st;

    t2_pool_run(pool, (int64_t) t->n_tables, sort_table, t);
    T2_TRY(voc_merge_new(t->runs, t->tables, t->n_tables, &m, err));
    st = voc_counts_save(m, path, n_distinct, err);
    voc_merge_free(m);
    return st;
}

enum t2_status voc_set_budget(struct voc_corpus *c, const char *dialect, int64_t budget,
                              struct t2_err *err)
{
    bool official = strcmp(dialect, "official") == 0;

    if (!official && strcmp(dialect, "t2t") != 0)
        return t2_fail(err, T2_EUSAGE, "--dialect='%s': t2t or official", dialect);
    if (budget < -1)
        return t2_fail(err, T2_EUSAGE, "--file_byte_budget=%" PRId64 " is negative", budget);
    if (budget > 0 && c->feature[0] != 0)
        return t2_fail(err, T2_EUSAGE, "--file_byte_budget samples lines of text, not records");
    c->dialect = official ? TOK_DIALECT_OFFICIAL : TOK_DIALECT_T2T;
    c->file_budget = budget >= 0                      ? (uint64_t) budget
                     : official && c->feature[0] == 0 ? OFFICIAL_BUDGET
                                                      : 0;
    return T2_OK;
}

enum t2_status voc_beside(const char *tmp_dir, const char *output, char **beside,
                          struct t2_err *err)
{
    *beside = NULL;
    if (tmp_dir[0] != 0 && !t2_is_dir(tmp_dir))
        return t2_fail(err, T2_EUSAGE, "--tmp_dir: '%s' is no folder", tmp_dir);
    *beside = tmp_dir[0] != 0 ? t2_path_join(tmp_dir, "counts") : t2_strdup(output);
    return T2_OK;
}

enum t2_status voc_try_output(const char *path, struct t2_err *err)
{
    struct t2_out *out = NULL;

    T2_TRY(t2_out_new(path, &out, err));
    t2_out_abort(out);
    return T2_OK;
}

bool voc_parse_task(const char *text, uint64_t *task, uint64_t *n_tasks)
{
    const char *slash = strchr(text, '/');
    char *first;
    bool ok;

    if (slash == NULL)
        return false;
    first = t2_strndup(text, (size_t) (slash - text));
    ok = t2_parse_u64(first, task) && t2_parse_u64(slash + 1, n_tasks) && *task < *n_tasks;
    t2_free(first);
    return ok;
}
