/*
 * train/graph/late_values.c - see the header.
 */
#include "train/graph/late_values.h"

#include "base/alloc.h"

enum { ROWS = 64 }; /* of one piece of work */

bool gr_late_possible(const struct gr_params *p)
{
    return p->dev->host_memory && p->values_only && p->n_laid == 0 && !p->rounded &&
           p->n_bound == 0;
}

void gr_late_begin(struct gr_params *p, gr_make_rows_fn make, gr_copy_whole_fn copy_whole,
                   void (*release)(void *context), void *context, bool *is_late)
{
    T2_ASSERT(gr_late_possible(p));
    gr_late_end(p);
    p->late = t2_alloc(1, sizeof *p->late);
    *p->late = (struct gr_late){.make = make,
                                .copy_whole = copy_whole,
                                .release = release,
                                .context = context,
                                .is_late = is_late,
                                .is_wanted = t2_alloc((size_t) p->n_params, sizeof(bool)),
                                .has_rows = t2_alloc((size_t) p->n_params, sizeof(bool *))};
    /* the few that are there now should not take a huge page each */
    t2_advise_pages(p->values, (size_t) p->n_floats * sizeof(float), false);
}

void gr_late_end(struct gr_params *p)
{
    if (!p->late)
        return;
    p->late->release(p->late->context);
    t2_free(p->late->is_late);
    t2_free(p->late->is_wanted);
    for (int i = 0; i < p->n_params; i++)
        t2_free(p->late->has_rows[i]);
    t2_free(p->late->has_rows);
    t2_free(p->late);
    p->late = NULL;
}

static void want(const struct gr_params *p, int param)
{
    struct gr_late *late = p->late;

    if (!late->is_late[param] || late->is_wanted[param])
        return;
    late->is_wanted[param] = true;
    if (!late->has_rows[param])
        late->wanted_bytes += (uint64_t) p->params[param].n * sizeof(float);
}

/* Bytes as of all, which may become of them. */
static void want_rows(const struct gr_params *p, int param)
{
    struct gr_late *late = p->late;

    if (!late->is_late[param] || late->has_rows[param])
        return;
    late->has_rows[param] = t2_alloc((size_t) p->params[param].dims[0], sizeof(bool));
    if (!late->is_wanted[param])
        late->wanted_bytes += (uint64_t) p->params[param].n * sizeof(float);
}

void gr_late_want(const struct gr_graph *g)
{
    if (!g->params->late)
        return;
    for (int n = 0; n < g->n_nodes; n++)
        for (int i = 0; i < g->nodes[n]->n_inputs; i++) {
            const struct gr_tensor *t = g->nodes[n]->inputs[i];

            if (!t || (t->kind != GR_PARAM && t->kind != GR_STATE) ||
                (g->nodes[n]->by_pack & 1u << i))
                continue;
            if (g->nodes[n]->by_rows & 1u << i)
                want_rows(g->params, t->param);
            else
                want(g->params, t->param);
        }
}

uint64_t gr_late_bytes(const struct gr_params *p)
{
    return p->late ? p->late->wanted_bytes : 0;
}

/* Rows [first, first + n) of a variable. */
struct making {
    const struct gr_late *late;
    const struct gr_variable *v;
    int64_t first, n;
    float *to;
};

static void make_piece(void *arg, int64_t piece, int worker)
{
    const struct making *m = arg;
    int64_t at = piece * ROWS, left = m->n - at;

    (void) worker;
    m->late->make(m->late->context, m->v, m->first + at, left < ROWS ? left : ROWS,
                  m->to + at * m->v->dims[1]);
}

void gr_late_make_to(const struct gr_params *p, int param, int64_t row, int64_t n_rows, float *to)
{
    const struct gr_param *of = &p->params[param];
    struct t2_pool *pool = dev_host_pool(p->dev);
    int64_t before = 0; /* rows of the variables before */

    T2_ASSERT(p->late && p->late->is_late[param]);
    for (int i = of->first_variable; i < of->first_variable + of->n_variables && n_rows > 0; i++) {
        const struct gr_variable *v = &p->variables[i];
        int64_t first = row - before, left = v->dims[0] - first;
        struct making m = {p->late, v, first, left < n_rows ? left : n_rows, to};
        int64_t n = (m.n + ROWS - 1) / ROWS;

        before += v->dims[0];
        if (left <= 0)
            continue;
        t2_pool_run(pool, n, make_piece, &m);
        row += m.n;
        n_rows -= m.n;
        to += m.n * v->dims[1];
    }
    T2_ASSERT(n_rows == 0);
}

bool gr_late_copy_whole(const struct gr_params *p, int param, bool by_rows, int64_t row,
                        int64_t n_rows, int8_t *to, float *scales)
{
    const struct gr_param *of = &p->params[param];
    int64_t before = 0; /* rows of the variables before */

    T2_ASSERT(p->late && p->late->is_late[param]);
    if (!by_rows && of->n_variables > 1)
        return false; /* a column has as many scales */
    for (int i = of->first_variable; i < of->first_variable + of->n_variables && n_rows > 0; i++) {
        const struct gr_variable *v = &p->variables[i];
        int64_t first = row - before, left = v->dims[0] - first, n = left < n_rows ? left : n_rows;

        before += v->dims[0];
        if (left <= 0)
            continue;
        if (!p->late->copy_whole(p->late->context, v, by_rows, first, n, to, scales))
            return false;
        row += n;
        n_rows -= n;
        to += n * v->dims[1];
        scales += n;
    }
    return true;
}

void gr_late_rows(const struct gr_params *p, int param, const int32_t *rows, int64_t n)
{
    const struct gr_param *of = &p->params[param];
    bool *has;

    if (!p->late || !p->late->is_late[param])
        return;
    has = p->late->has_rows[param];
    T2_ASSERT(has);
    for (int64_t i = 0; i < n; i++)
        if (rows[i] >= 0 && rows[i] < of->dims[0] && !has[rows[i]]) {
            gr_late_make_to(p, param, rows[i], 1,
                            p->values + of->offset + rows[i] * (of->n / of->dims[0]));
            has[rows[i]] = true;
        }
}

static void make(const struct gr_params *p, bool all)
{
    for (int i = 0; p->late && i < p->n_params; i++)
        if (p->late->is_late[i] && (all || p->late->is_wanted[i])) {
            float *to = p->values + p->params[i].offset;

            t2_advise_pages(to, (size_t) p->params[i].n * sizeof *to, true);
            gr_late_make_to(p, i, 0, p->params[i].dims[0], to);
            p->late->is_late[i] = false;
        }
}

void gr_late_make_wanted(const struct gr_params *p)
{
    make(p, false);
}

void gr_late_make_all(const struct gr_params *p)
{
    make(p, true);
}
