/*
 * tokenizer/tally.c - each thread counts in a table of its own; they are added in the end.
 *
 * With a limit of memory a table that is full is written as a sorted run (count_runs.c).  When
 * there are runs at the end, the tables become runs as well and all are merged, so that the result
 * is the same for any limit and any number of threads.
 */
#include "tokenizer/tally.h"

#include "base/alloc.h"
#include "tokenizer/counts.h"
#include "tokenizer/counts_file.h"

enum { MIN_TABLE_BYTES = 1 << 18, CHECK_EVERY = 1 << 12 };

struct tok_tally {
    struct tok_tally_limits limits;
    struct tok_counts **tables; /* per worker */
    size_t n_tables;
    struct tok_runs *runs; /* NULL without a limit */
};

static enum t2_status ask(const struct tok_tally *t, const struct tok_counts *part,
                          struct t2_err *err)
{
    return t->limits.check ? t->limits.check(t->limits.check_arg, part, err) : T2_OK;
}

static void spill(void *arg, struct tok_counts *c)
{
    struct tok_tally *t = arg;

    tok_runs_add(t->runs, c);
}

struct tok_tally *tok_tally_new(size_t n_tables, const struct tok_tally_limits *limits)
{
    struct tok_tally *t = t2_alloc(1, sizeof *t);
    size_t share = (size_t) (limits->max_memory / n_tables);

    t->limits = *limits;
    t->n_tables = n_tables;
    t->tables = t2_alloc(n_tables, sizeof *t->tables);
    if (limits->max_memory > 0)
        t->runs = tok_runs_new(limits->beside);
    for (size_t i = 0; i < n_tables; i++) {
        t->tables[i] = tok_counts_new();
        if (t->runs)
            tok_counts_limit(t->tables[i], share > MIN_TABLE_BYTES ? share : MIN_TABLE_BYTES, spill,
                             t);
    }
    return t;
}

void tok_tally_free(struct tok_tally *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->n_tables; i++)
        tok_counts_free(t->tables[i]);
    t2_free(t->tables);
    tok_runs_free(t->runs);
    t2_free(t);
}

struct tok_counts *tok_tally_counts(struct tok_tally *t, size_t i)
{
    return t->tables[i];
}

enum t2_status tok_tally_check(struct tok_tally *t, size_t i, struct t2_err *err)
{
    T2_TRY(ask(t, t->tables[i], err));
    return t->runs ? tok_runs_status(t->runs, err) : T2_OK;
}

size_t tok_tally_runs(const struct tok_tally *t)
{
    return t->runs ? tok_runs_count(t->runs) : 0;
}

static void drop_tables(struct tok_tally *t)
{
    for (size_t i = 0; i < t->n_tables; i++)
        tok_counts_free(t->tables[i]);
    t->n_tables = 0;
}

/* All runs, and the rest of the tables as runs, so that only one table is in memory. */
static enum t2_status load_runs(struct tok_tally *t, struct tok_counts *counts, struct t2_err *err)
{
    struct tok_merge *m = NULL;
    struct t2_slice word;
    enum t2_status st;
    uint64_t n;

    for (size_t i = 0; i < t->n_tables; i++)
        tok_runs_add(t->runs, t->tables[i]);
    drop_tables(t);
    st = tok_merge_new(t->runs, NULL, 0, &m, err);
    while (st == T2_OK && (st = tok_merge_next(m, &word, &n, err)) == T2_OK) {
        tok_counts_append(counts, word.data, word.len_bytes, n);
        if (tok_counts_distinct(counts) % CHECK_EVERY == 0)
            st = ask(t, counts, err);
    }
    tok_merge_free(m);
    return st == T2_EOF ? T2_OK : st;
}

/* Tables at multiples of 2 * step take in those that are step behind them. */
struct joining {
    struct tok_tally *t;
    size_t step;
};

static void join_pair(void *arg, int64_t piece, int worker)
{
    const struct joining *j = arg;
    struct tok_counts **tables = j->t->tables;
    size_t into = (size_t) piece * 2 * j->step, from = into + j->step;

    (void) worker;
    tok_counts_merge(tables[into], tables[from]);
    tok_counts_free(tables[from]);
    tables[from] = NULL;
}

/* Into table 0.  With threads in rounds of pairs, several of which grow at a time: where memory is
 * limited one after the other. */
static enum t2_status join_tables(struct tok_tally *t, struct t2_pool *pool, struct t2_err *err)
{
    struct joining j = {t, 1};

    if (t->runs)
        for (; j.step < t->n_tables; j.step++) {
            join_pair(&j, 0, 0);
            T2_TRY(ask(t, t->tables[0], err));
        }
    for (; j.step < t->n_tables; j.step *= 2) {
        t2_pool_run(pool, (int64_t) ((t->n_tables + j.step - 1) / (2 * j.step)), join_pair, &j);
        T2_TRY(ask(t, t->tables[0], err));
    }
    return T2_OK;
}

enum t2_status tok_tally_table(struct tok_tally *t, struct t2_pool *pool,
                               struct tok_counts **counts, struct t2_err *err)
{
    enum t2_status st = T2_OK;

    if (tok_tally_runs(t) > 0) {
        *counts = tok_counts_new();
        st = load_runs(t, *counts, err);
    } else {
        for (size_t i = 0; i < t->n_tables; i++)
            tok_counts_limit(t->tables[i], 0, NULL, NULL);
        st = join_tables(t, pool, err);
        *counts = t->tables[0];
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
    struct tok_tally *t = arg;

    (void) worker;
    tok_counts_sort(t->tables[piece]);
}

enum t2_status tok_tally_save(struct tok_tally *t, struct t2_pool *pool, const char *path,
                              uint64_t *n_distinct, struct t2_err *err)
{
    struct tok_merge *m = NULL;
    enum t2_status st;

    t2_pool_run(pool, (int64_t) t->n_tables, sort_table, t);
    T2_TRY(tok_merge_new(t->runs, t->tables, t->n_tables, &m, err));
    st = tok_counts_save(m, path, n_distinct, err);
    tok_merge_free(m);
    return st;
}
