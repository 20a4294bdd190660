/*
 * datagen/official/official_text.c - reading the text files, a thread for each.
 *
 * Counting takes the lines that the original's sampler takes (tok_line_sampler with the dialect
 * official): every n-th line, so that about `budget` characters come from each file. Each thread
 * counts into a table of its own; a table above its share of memory goes to disk (tok_tally).
 */
#include "datagen/official/official_text.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/signals.h"
#include "base/text.h"
#include "tokenizer/line_sampler.h"

enum { N_SIDES = 2, LINES_PER_INTERRUPT_CHECK = 1 << 16 };

/* ---- a piece of work for each file, or for each side ---- */

struct job {
    const struct dg_text_parts *parts;
    struct tok_tally *tally;
    uint64_t budget;
    char *const *outputs; /* by side */
    enum t2_status (*work)(const struct job *j, size_t piece, int worker, struct t2_err *err);
    struct t2_err *errs; /* by piece */
};

static void run_piece(void *arg, int64_t piece, int worker)
{
    const struct job *j = arg;

    (void) j->work(j, (size_t) piece, worker, &j->errs[piece]);
}

/* The first failure in the order of the pieces. */
static enum t2_status run(struct job *j, size_t n_pieces, struct t2_pool *pool, struct t2_err *err)
{
    enum t2_status st = T2_OK;

    j->errs = t2_alloc(n_pieces, sizeof *j->errs);
    t2_pool_run(pool, (int64_t) n_pieces, run_piece, j);
    for (size_t i = 0; i < n_pieces && st == T2_OK; i++) {
        st = j->errs[i].status;
        if (st != T2_OK)
            *err = j->errs[i];
    }
    t2_free(j->errs);
    return st;
}

static const char *path_of(const struct job *j, size_t part, size_t side)
{
    return side == 0 ? j->parts->items[part].inputs : j->parts->items[part].targets;
}

static enum t2_status next_line(struct t2_in *in, struct t2_slice *line, struct t2_err *err)
{
    if (t2_in_line_number(in) % LINES_PER_INTERRUPT_CHECK == 0)
        T2_TRY(t2_check_interrupt(err));
    return t2_in_line(in, line, err);
}

/* ---- counting ---- */

static enum t2_status count(const struct job *j, size_t piece, int worker, struct t2_err *err)
{
    const char *path = path_of(j, piece / N_SIDES, piece % N_SIDES);
    struct tok_line_sampler sampler;
    struct t2_buf text = {0};
    struct t2_in *in = NULL;
    struct t2_slice line;
    enum t2_status st;
    uint64_t bytes;

    T2_TRY(t2_text_bytes(path, &bytes, err));
    T2_TRY(t2_in_new(path, &in, err));
    t2_in_limit_line(in, j->parts->max_memory);
    tok_sampler_init(&sampler, TOK_DIALECT_OFFICIAL, j->budget, bytes);
    while ((st = next_line(in, &line, err)) == T2_OK) {
        enum tok_line_use use;
        t2_buf_clear(&text);
        line = tok_clean_line(line, &text);
        use = tok_sampler_next(&sampler, line);
        if (use == TOK_LINE_STOP)
            break;
        if (use != TOK_LINE_TAKE)
            continue;
        tok_counts_add_text(tok_tally_counts(j->tally, (size_t) worker), line.data, line.len_bytes);
        st = tok_tally_check(j->tally, (size_t) worker, err);
        if (st != T2_OK)
            break;
    }
    t2_buf_release(&text);
    t2_in_free(in);
    return st == T2_EOF ? T2_OK : st;
}

enum t2_status dg_official_count(const struct dg_text_parts *parts, uint64_t budget,
                                 const struct tok_tally_limits *limits, struct t2_pool *pool,
                                 struct tok_counts **counts, struct t2_err *err)
{
    struct job j = {.parts = parts, .work = count, .budget = budget};
    enum t2_status st;

    *counts = NULL;
    j.tally = tok_tally_new((size_t) t2_pool_threads(pool), limits);
    st = run(&j, N_SIDES * parts->n, pool, err);
    if (st == T2_OK)
        st = tok_tally_table(j.tally, pool, counts, err);
    tok_tally_free(j.tally);
    return st;
}

/* ---- compiling ---- */

static enum t2_status append_file(const char *path, uint64_t max_memory, struct t2_out *out,
                                  struct t2_err *err)
{
    struct t2_buf text = {0};
    struct t2_in *in = NULL;
    struct t2_slice line;
    enum t2_status st;

    T2_TRY(t2_in_new(path, &in, err));
    t2_in_limit_line(in, max_memory);
    while ((st = next_line(in, &line, err)) == T2_OK) {
        t2_buf_clear(&text);
        line = tok_clean_line(line, &text);
        t2_out_write(out, line.data, line.len_bytes);
        t2_out_write(out, "\n", 1);
    }
    t2_buf_release(&text);
    t2_in_free(in);
    return st == T2_EOF ? T2_OK : st;
}

static enum t2_status compile(const struct job *j, size_t side, int worker, struct t2_err *err)
{
    struct t2_out *out = NULL;
    enum t2_status st = T2_OK;

    (void) worker;
    T2_TRY(t2_out_new(j->outputs[side], &out, err));
    for (size_t i = 0; i < j->parts->n && st == T2_OK; i++)
        st = append_file(path_of(j, i, side), j->parts->max_memory, out, err);
    if (st == T2_OK)
        return t2_out_commit(out, err);
    t2_out_abort(out);
    return st;
}

enum t2_status dg_official_compile(const struct dg_text_parts *parts, char *const paths[2],
                                   struct t2_pool *pool, struct t2_err *err)
{
    struct job j = {.parts = parts, .work = compile, .outputs = paths};

    return run(&j, N_SIDES, pool, err);
}
