/*
 * train/device/cpu/attention_cpu.c - multi-head attention, one (batch element, head) pair per piece
 * of work.
 *
 * Forward, for the Lq queries and Lk keys of a pair:
 *   s = scale q k^T [+ relative]    (Lq, Lk)
 *   w = dropout(softmax(s + masks)) (Lq, Lk)
 *   out = w v [+ relative]          (Lq, Dv)
 * Keys and values of the pair are packed into a worker's scratch memory, keys transposed, rows
 * padded to whole vectors, so the small gemms (attention_small.h) have no remainder.  Then QUERIES
 * queries at a time meet all keys: of the weights only (QUERIES, Lk) exist, which stay in the
 * cache, and no (B, H, Lq, Lk) tensor is held.  A row of the block is masked, normalised and
 * dropped in vectors by attention_rows.h.
 *
 * The backward pass computes the weights again, which costs one of its five gemms and saves a
 * tensor of Lq * Lk floats per pair.  With dp = dropout(dout v^T) and ds = w (dp - sum over j of w
 * dp):
 *   dv = dropout(w)^T dout,  dq = scale ds k,  dk = scale ds^T q
 * dk and dv are added up over the blocks of queries in their order, in the worker's scratch memory.
 *
 * A pair is computed by one thread from start to end, and pairs share no output but the relative
 * tables, whose gradients are kept by pair and added in the order of the pairs (table_row).  So the
 * bits do not depend on the number of threads.
 */
#include <math.h>

#include "train/device/cpu/attention_few.h"
#include "train/device/cpu/attention_rows.h"
#include "train/device/cpu/cpu_kernels.h"
#include "train/device/step.h"

enum {
    QUERIES = 32, /* queries of one block: its weights (QUERIES, Lk) stay in the cache */
    FEW = 4       /* up to so many queries are not worth packing the keys for (decoding) */
};

/* ---- scratch memory of one worker ---- */

/* Places in it, each a number of floats from the start; what a call does not need takes no room.
 * keys, dk, dv and rows are Lk, Dk, Dv and the rows of a relative table, rounded up to whole
 * vectors: the row strides of what follows. */
struct layout {
    int64_t keys, dk, dv, rows; /* padded Lk, Dk, Dv, rows of a relative table */
    /* of a pair and a block of queries */
    int64_t kt, vt, k, v, s, p, o, q, dout, soft, factors, dk_sum, dv_sum;
    /* of the relative tables of the pair's head */
    int64_t rel_kt, rel_vt, rel_k, rel_v;
    int64_t x, y, wk, wv;
    int64_t total;
};

static int64_t take(struct layout *l, bool wanted, int64_t floats)
{
    int64_t at = l->total;

    l->total += wanted ? floats : 0;
    return at;
}

/*
 * What the places hold.  Forward:
 *   kt  (Dk, keys)       the keys, transposed
 *   v   (Lk, dv)         the values
 *   s   (QUERIES, keys)  logits, then weights
 *   q   (QUERIES+1, dk)  scale * queries; behind the block the first query of the next one, which
 *       relative positions right of a query read (struct dev_relative)
 *   o   (QUERIES, dv)    the block of the output
 * With relative positions, R rows of a table:
 *   rel_kt (Dk, rows)         the table of keys, transposed
 *   rel_v  (R, dv)            the table of values
 *   x      (QUERIES+1, rows)  scale q rel_k^T, from which the logits take their terms
 *   wv     (QUERIES+1, rows)  weights, added up by the row of the table that they multiply
 * Backward:
 *   vt   (Dv, keys)       the values, transposed
 *   k    (Lk, dk)         scale * keys
 *   p    (QUERIES, keys)  weights, then dropped weights
 *   s    (QUERIES, keys)  gradients of the weights, then of the logits
 *   dout (QUERIES+1, dv)  the block of dout
 *   o    (QUERIES, dk)    the block of dq
 *   soft, factors (keys)  of one row: weights before they are made hard, factors of dropout
 *   dk_sum (Lk, dk), dv_sum (Lk, dv)          sums over the blocks
 *   rel_vt (Dv, rows), rel_k (R, dk)          tables of the head
 *   y, wk (QUERIES+1, rows)                   dout rel_v^T; gradients of logits by row of the table
 */
static struct layout layout_of(const struct dev_attention *a, bool backward)
{
    struct layout l = {.keys = padded(a->Lk),
                       .dk = padded(a->Dk),
                       .dv = padded(a->Dv),
                       .rows = padded(a->relative.rows)};
    /* not by the addresses: the size is asked for before there are any */
    bool rel = a->relative.kind != DEV_RELATIVE_NONE;

    l.kt = take(&l, true, a->Dk * l.keys);
    l.vt = take(&l, backward, a->Dv * l.keys);
    l.k = take(&l, backward, a->Lk * l.dk);
    l.v = take(&l, !backward, a->Lk * l.dv);
    l.s = take(&l, true, QUERIES * l.keys);
    l.p = take(&l, backward, QUERIES * l.keys);
    l.o = take(&l, true, QUERIES * (backward ? l.dk : l.dv));
    l.q = take(&l, true, (QUERIES + rel) * l.dk);
    l.dout = take(&l, backward, (QUERIES + rel) * l.dv);
    l.soft = take(&l, backward && a->hard_k > 0, l.keys);
    l.factors = take(&l, backward, l.keys);
    l.dk_sum = take(&l, backward, a->Lk * l.dk);
    l.dv_sum = take(&l, backward, a->Lk * l.dv);
    l.rel_kt = take(&l, rel, a->Dk * l.rows);
    l.rel_vt = take(&l, rel && backward, a->Dv * l.rows);
    l.rel_k = take(&l, rel && backward, a->relative.rows * l.dk);
    l.rel_v = take(&l, rel && !backward, a->relative.rows * l.dv);
    l.x = take(&l, rel, (QUERIES + 1) * l.rows);
    l.y = take(&l, rel && backward, (QUERIES + 1) * l.rows);
    l.wk = take(&l, rel && backward, (QUERIES + 1) * l.rows);
    l.wv = take(&l, rel, (QUERIES + 1) * l.rows);
    return l;
}

/* Floats at the start of the scratch memory that all workers share: log(1 + distance) for each
 * distance, and the gradients of the relative tables by pair, (B*H, rows, dk + dv). */
static int64_t shared_floats(const struct dev_attention *a, bool backward)
{
    int64_t n = a->proximity ? padded(most(a->Lq, a->Lk)) : 0;

    if (backward)
        n += a->B * a->H * padded(a->relative.rows) * (padded(a->Dk) + padded(a->Dv)) *
             (a->relative.kind != DEV_RELATIVE_NONE);
    return n;
}

struct task {
    const struct dev_attention *a;
    const struct dev_attention_grads *g;
    struct layout l;
    float *proximity;
    float *pair_grads; /* (B * H, rows, dk + dv) */
    float *scratch;    /* of worker 0; l.total apart */
};

static struct task task_of(const struct dev_attention *a, const struct dev_attention_grads *g,
                           float *scratch)
{
    struct task t = {.a = a, .g = g, .l = layout_of(a, g != NULL), .proximity = scratch};

    for (int64_t i = 0; a->proximity && i < most(a->Lq, a->Lk); i++)
        t.proximity[i] = log1pf((float) i);
    t.pair_grads = scratch + (a->proximity ? padded(most(a->Lq, a->Lk)) : 0);
    t.scratch = scratch + shared_floats(a, g != NULL);
    return t;
}

/* Keys that any query of the block can see.  In causal self-attention those behind the block's last
 * query have weight e^-1e9 = 0 in every row, so their columns need not exist.  This holds only if
 * each query sees at least one key, itself: in a row that is masked everywhere all weights are
 * equal, and the hidden keys count. */
static int64_t block_keys(const struct dev_attention *a, int64_t i_end)
{
    bool sees_itself = !a->key_ids && !a->k_levels && a->k_segments == a->q_segments;

    return a->causal && sees_itself ? dev_cpu_least(a->Lk, i_end + a->Lk - a->Lq) : a->Lk;
}

/* Packs what head h has of a table (rows, D): transposed (D, padded rows), or by rows (rows, padded
 * D) times scale. */
static void pack_table(const struct dev_attention *a, const float *table, int64_t h, int64_t D,
                       bool transposed, float scale, float *to)
{
    const float *from = table + (a->relative.per_head ? h * a->relative.rows * D : 0);

    if (transposed)
        pack_transposed(DEV_FLOAT32, from, 0, D, a->relative.rows, D, to);
    else
        pack_rows(DEV_FLOAT32, from, 0, D, a->relative.rows, D, scale, to);
}

/* Row n of w (QUERIES + 1, rows) belongs to the first query of the next block, so it becomes row 0,
 * and the others are cleared. */
static void carry_sums(float *w, int64_t n, int64_t rows)
{
    memcpy(w, w + n * rows, (size_t) rows * sizeof *w);
    memset(w + rows, 0, (size_t) (n * rows) * sizeof *w);
}

/* ---- forward ---- */

/* Not of a short text by itself: in a batch with longer ones it is padded to more queries, and has
 * the same bits. */
static bool few(const struct dev_attention *a)
{
    return (a->at_step || a->Lq != a->Lk) &&
           a->Lq <= (a->relative.kind == DEV_RELATIVE_NONE ? FEW : 1);
}

/* x (rows) = scale q rel_k^T of one query. */
static void few_relative(const struct dev_attention *a, int64_t h, const float *q, float *x)
{
    const float *k = a->relative.k + (a->relative.per_head ? h * a->relative.rows * a->Dk : 0);

    for (int64_t r = 0; r < a->relative.rows; r++) {
        float sum = 0.0f;

        for (int64_t c = 0; c < a->Dk; c++)
            sum += q[c] * k[r * a->Dk + c];
        x[r] = sum * a->scale;
    }
}

/* out (Dv) += w (rows) times the head's table of values. */
static void few_relative_out(const struct dev_attention *a, int64_t h, const float *w, float *out)
{
    const float *v = a->relative.v + (a->relative.per_head ? h * a->relative.rows * a->Dv : 0);

    for (int64_t r = 0; r < a->relative.rows; r++)
        for (int64_t c = 0; c < a->Dv; c++)
            out[c] += w[r] * v[r * a->Dv + c];
}

/* Sum over c of q[c] k[c], k from element `at` on; the type is a constant where it is inlined. */
DEV_INLINE float dot_key(enum dev_type type, const float *q, const void *k, int64_t at, int64_t n)
{
    vf sum = {0};
    int64_t c = 0;

    for (; c + DEV_LANES <= n; c += DEV_LANES)
        sum += vf_load(q + c) * vf_get(type, k, at + c);
    if (c < n)
        sum += vf_load_part(q + c, n - c) * load_lanes(type, k, at + c, n - c);
    return vf_sum(sum);
}

/* Where the key and value of head h and position j lie, in rows of their caches. */
DEV_INLINE int64_t cache_row(const struct dev_attention *a, int64_t b, int64_t kb, int64_t j)
{
    return dev_cache_element(a->cache_index, a->k_rows, b, kb, j) * a->k_rows + j;
}

/* s (Lk) = scale * q . k_j */
DEV_INLINE void few_logits(enum dev_type type, const struct dev_attention *a, int64_t b, int64_t kb,
                           int64_t h, const float *q, float *s)
{
    for (int64_t j = 0; j < a->Lk; j++)
        s[j] =
            dot_key(type, q, a->k, (cache_row(a, b, kb, j) * a->H + h) * a->Dk, a->Dk) * a->scale;
}

/* out (Dv) = sum over j of s[j] v_j */
DEV_INLINE void few_values(enum dev_type type, const struct dev_attention *a, int64_t b, int64_t kb,
                           int64_t h, const float *s, float *out)
{
    for (int64_t c = 0; c < a->Dv; c++)
        out[c] = 0.0f;
    for (int64_t j = 0; j < a->Lk; j++) {
        int64_t at = (cache_row(a, b, kb, j) * a->H + h) * a->Dv;

        for (int64_t c = 0; c < a->Dv; c++)
            out[c] += s[j] * dev_get(type, a->v, at + c);
    }
}

/* Keys up to the last that is no padding, as whole vectors; those behind it have weight e^-1e9 = 0.
 * All where that is not so simple: where no key is to be seen weights are equal. */
static int64_t few_seen(const struct dev_attention *a, int64_t kb)
{
    const int32_t *ids = a->key_ids ? a->key_ids + kb * dev_attention_ids_rows(a) : NULL;
    int64_t n = a->Lk;

    if (!ids || a->relative.kind != DEV_RELATIVE_NONE || a->hard_k > 0 || a->dropout.threshold ||
        a->k_segments)
        return a->Lk;
    while (n > 0 && ids[n - 1] == 0)
        n--;
    return n == 0 ? a->Lk : dev_cpu_least(a->Lk, padded(n));
}

/* One query against unpacked keys: in decoding Lq is 1, and packing (Lk, Dk) keys would cost as
 * much as the products with them.  The logits (Lk) stand where packed keys would; the query and the
 * result, where they are not floats, in their own places. */
static void few_forward(const struct task *t, int64_t b, int64_t h, int64_t i, float *scratch)
{
    const struct dev_attention *a = t->a;
    int64_t kb = b / a->q_per_key, out_at = ((b * a->Lq + i) * a->H + h) * a->Dv;
    int64_t n = a->type == DEV_FLOAT32 ? few_seen(a, kb) : a->Lk;
    const float *q =
        dev_cpu_in(a->type, a->q, ((b * a->Lq + i) * a->H + h) * a->Dk, a->Dk, scratch + t->l.q);
    float *out = dev_cpu_out(a->type, a->out, out_at, a->Dv, false, scratch + t->l.o);
    float *s = scratch + t->l.kt;
    bool relative = a->relative.kind != DEV_RELATIVE_NONE;
    const int32_t *index = a->cache_index ? a->cache_index + b * a->k_rows : NULL;
    struct few_places keys = {index, kb, a->k_rows, a->H * a->Dk, h * a->Dk};
    struct few_places values = {index, kb, a->k_rows, a->H * a->Dv, h * a->Dv};
    struct biases biases;
    struct mask m;

    if (a->type == DEV_FLOAT32)
        for (int64_t j = 0; j < n; j++) {
            few_ask(a->v, &values, j, a->Dv);
            s[j] = few_dot(q, (const float *) a->k + few_at(&keys, j), a->Dk) * a->scale;
        }
    else if (a->type == DEV_BFLOAT16)
        few_logits(DEV_BFLOAT16, a, b, kb, h, q, s);
    else
        few_logits(DEV_FLOAT16, a, b, kb, h, q, s);
    if (relative) {
        few_relative(a, h, q, scratch + t->l.x);
        relative_add(a, i, a->Lk, scratch + t->l.x, t->l.rows, s);
    }
    biases_init(&biases, a, b, t->proximity);
    softmax_row(&biases, i, n, s);
    if (a->hard_k > 0)
        (void) harden_row(a->hard_k, padded(a->Lk), s);
    if (a->dropout.threshold) {
        mask_init(&m, a, b, h);
        for (int64_t j = 0; j < padded(a->Lk); j += DEV_LANES)
            vf_store(s + j, vf_load(s + j) * mask_factors(&m, i, j));
    }
    if (a->type == DEV_FLOAT32 && h + 1 < a->H) { /* the next head's, which comes next */
        keys.first += a->Dk;
        for (int64_t j = 0; j < n; j++)
            few_ask(a->k, &keys, j, a->Dk);
    }
    if (a->type == DEV_FLOAT32)
        few_weighted(s, a->v, &values, n, a->Dv, out);
    else if (a->type == DEV_BFLOAT16)
        few_values(DEV_BFLOAT16, a, b, kb, h, s, out);
    else
        few_values(DEV_FLOAT16, a, b, kb, h, s, out);
    if (a->relative.v) {
        memset(scratch + t->l.wv, 0, (size_t) t->l.rows * sizeof *s);
        relative_gather(a, i, a->Lk, s, t->l.rows, scratch + t->l.wv);
        few_relative_out(a, h, scratch + t->l.wv, out);
    }
    dev_cpu_done(a->type, out, a->Dv, a->out, out_at);
}

/* One pass over the blocks of queries; o goes to its columns of out (B,Lq,H*Dv). */
static void forward_pair_of(const struct task *t, int64_t b, int64_t h, int worker)
{
    const struct dev_attention *a = t->a;
    const struct layout *l = &t->l;
    int64_t kb = b / a->q_per_key;
    bool relative = a->relative.kind != DEV_RELATIVE_NONE;
    float *mine = t->scratch + worker * l->total, *kt = mine + l->kt, *v = mine + l->v;
    float *s = mine + l->s, *o = mine + l->o, *q = mine + l->q;
    float *x = mine + l->x, *wv = mine + l->wv;
    struct biases biases;
    struct mask m;

    if (few(a)) {
        for (int64_t i = 0; i < a->Lq; i++)
            few_forward(t, b, h, i, mine);
        return;
    }
    mask_init(&m, a, b, h);
    biases_init(&biases, a, b, t->proximity);
    pack_transposed(a->type, a->k, (kb * a->k_rows * a->H + h) * a->Dk, a->H * a->Dk, a->Lk, a->Dk,
                    kt);
    pack_rows(a->type, a->v, (kb * a->k_rows * a->H + h) * a->Dv, a->H * a->Dv, a->Lk, a->Dv, 1.0f,
              v);
    if (relative)
        pack_table(a, a->relative.k, h, a->Dk, true, 1.0f, mine + l->rel_kt);
    if (a->relative.v) {
        pack_table(a, a->relative.v, h, a->Dv, false, 1.0f, mine + l->rel_v);
        memset(wv, 0, (size_t) ((QUERIES + 1) * l->rows) * sizeof *wv);
    }
    for (int64_t i0 = 0; i0 < a->Lq; i0 += QUERIES) {
        int64_t n = dev_cpu_least(QUERIES, a->Lq - i0), n_keys = block_keys(a, i0 + n);
        int64_t width = padded(n_keys), n_q = relative ? dev_cpu_least(n + 1, a->Lq - i0) : n;

        pack_rows(a->type, a->q, ((b * a->Lq + i0) * a->H + h) * a->Dk, a->H * a->Dk, n_q, a->Dk,
                  a->scale, q);
        product(n, width, a->Dk, q, l->dk, 1, kt, l->keys, false, s, l->keys);
        if (relative)
            product(n_q, l->rows, a->Dk, q, l->dk, 1, mine + l->rel_kt, l->rows, false, x, l->rows);
        for (int64_t i = 0; i < n; i++) {
            float *row = s + i * l->keys;

            if (relative)
                relative_add(a, i0 + i, n_keys, x + i * l->rows, l->rows, row);
            softmax_row(&biases, i0 + i, n_keys, row);
            if (a->hard_k > 0)
                (void) harden_row(a->hard_k, width, row);
            for (int64_t j = 0; a->dropout.threshold && j < width; j += DEV_LANES)
                vf_store(row + j, vf_load(row + j) * mask_factors(&m, i0 + i, j));
            if (a->relative.v)
                relative_gather(a, i0 + i, n_keys, row, l->rows, wv + i * l->rows);
        }
        product(n, l->dv, n_keys, s, l->keys, 1, v, l->dv, false, o, l->dv);
        if (a->relative.v) {
            product(n, l->dv, a->relative.rows, wv, l->rows, 1, mine + l->rel_v, l->dv, true, o,
                    l->dv);
            carry_sums(wv, n, l->rows);
        }
        unpack_rows(o, n, a->Dv, false, a->type, a->out, ((b * a->Lq + i0) * a->H + h) * a->Dv,
                    a->H * a->Dv);
    }
}

/* Piece = b * H + h. */
static void forward_pair(void *arg, int64_t piece, int worker)
{
    const struct task *t = arg;
    int64_t b = piece / t->a->H, h = piece % t->a->H;

    if (t->a->live && !t->a->live->is_live[b])
        return;
    if (dev_attention_differs(t->a)) {
        const struct dev_attention a = dev_attention_of(t->a, b);
        struct task own = *t; /* with places for the most keys */

        own.a = &a;
        forward_pair_of(&own, b, h, worker);
    } else {
        forward_pair_of(t, b, h, worker);
    }
}

static void check(const struct dev_attention *a)
{
    T2_ASSERT(!a->causal || a->Lk >= a->Lq);
    T2_ASSERT(!a->q_segments == !a->k_segments && !a->q_levels == !a->k_levels);
    T2_ASSERT(!a->cache_index || (a->Lq == 1 && a->q_per_key == 1));
    T2_ASSERT(a->relative.kind == DEV_RELATIVE_NONE || (a->Lk >= a->Lq && a->relative.rows > 0));
}

void DEV_CPU(dev_cpu_attention)(struct dev *d, const struct dev_attention_args *args)
{
    const struct dev_attention now = dev_attention_now(&args->of), *a = &now;
    struct task t = task_of(a, NULL, args->scratch);

    check(a);
    dev_cpu_run(d, a->B * a->H, forward_pair, &t);
}

/* ---- backward ---- */

/* Row i of a block.  In: weights p and dp = dout v^T, (width) each.  Out: p becomes the dropped
 * weights, which dv needs, dp the gradient of the logits, w (dp - sum w dp).  soft: weights before
 * they were made hard, with their divisor; else NULL.  f: room for the row's factors of dropout,
 * drawn once and used twice. */
static void backward_row(struct mask *m, int64_t i, int64_t width, const float *soft, float divisor,
                         float *f, float *p, float *dp)
{
    bool dropped = m->dropout->threshold != 0;
    float total;

    for (int64_t j = 0; dropped && j < width; j += DEV_LANES) {
        vf factors = mask_factors(m, i, j);

        vf_store(f + j, factors);
        vf_store(dp + j, vf_load(dp + j) * factors);
    }
    if (soft)
        harden_row_bwd(divisor, width, p, dp);
    total = dot_row(soft ? soft : p, dp, width);
    for (int64_t j = 0; j < width; j += DEV_LANES) {
        vf w = vf_load(p + j);

        vf_store(dp + j, (soft ? vf_load(soft + j) : w) * (vf_load(dp + j) - vf_set(total)));
        if (dropped)
            vf_store(p + j, w * vf_load(f + j));
    }
}

/* Packs the tables of the pair's head and clears the sums by row of a table. */
static void backward_tables(const struct task *t, int64_t h, float *mine)
{
    const struct dev_attention *a = t->a;
    const struct layout *l = &t->l;
    size_t sums = (size_t) ((QUERIES + 1) * l->rows) * sizeof *mine;

    pack_table(a, a->relative.k, h, a->Dk, true, 1.0f, mine + l->rel_kt);
    pack_table(a, a->relative.k, h, a->Dk, false, a->scale, mine + l->rel_k);
    memset(mine + l->wk, 0, sums);
    if (a->relative.v) {
        pack_table(a, a->relative.v, h, a->Dv, true, 1.0f, mine + l->rel_vt);
        memset(mine + l->wv, 0, sums);
    }
}

/* After a block of n queries: dq (n,dk) += wk rel_k, and for the tables d rel_k (rows,dk) += wk^T
 * q, d rel_v (rows,dv) += wv^T dout.  wk and wv hold the block's ds and dropped weights by row of
 * the table, so these gemms have `rows` terms and not Lk. */
static void backward_table_grads(const struct task *t, int64_t n, bool first, float *mine,
                                 float *pair_grads)
{
    const struct dev_attention *a = t->a;
    const struct layout *l = &t->l;
    int64_t rows = a->relative.rows;

    product(n, l->dk, rows, mine + l->wk, l->rows, 1, mine + l->rel_k, l->dk, true, mine + l->o,
            l->dk);
    product(rows, l->dk, n, mine + l->wk, 1, l->rows, mine + l->q, l->dk, !first, pair_grads,
            l->dk);
    carry_sums(mine + l->wk, n, l->rows);
    if (!a->relative.v)
        return;
    product(rows, l->dv, n, mine + l->wv, 1, l->rows, mine + l->dout, l->dv, !first,
            pair_grads + rows * l->dk, l->dv);
    carry_sums(mine + l->wv, n, l->rows);
}

/* Piece = b * H + h.  Per block five gemms: logits, dp, and the shares of dv, dk, dq.  Products
 * with A transposed read the same block with other strides (a_row, a_col of product()). */
static void backward_pair(void *arg, int64_t piece, int worker)
{
    const struct task *t = arg;
    const struct dev_attention *a = t->a;
    const struct dev_attention_grads *g = t->g;
    const struct layout *l = &t->l;
    int64_t b = piece / a->H, h = piece % a->H;
    int64_t k_at = (b * a->Lk * a->H + h) * a->Dk, v_at = (b * a->Lk * a->H + h) * a->Dv;
    bool relative = a->relative.kind != DEV_RELATIVE_NONE;
    float *mine = t->scratch + worker * l->total, *kt = mine + l->kt, *vt = mine + l->vt;
    float *k = mine + l->k, *dk_sum = mine + l->dk_sum, *dv_sum = mine + l->dv_sum;
    float *p = mine + l->p, *dp = mine + l->s, *q = mine + l->q, *dq = mine + l->o;
    float *dout = mine + l->dout, *x = mine + l->x, *y = mine + l->y;
    float *pair_grads = t->pair_grads + piece * a->relative.rows * (l->dk + l->dv);
    struct biases biases;
    struct mask m;

    mask_init(&m, a, b, h);
    biases_init(&biases, a, b, t->proximity);
    pack_transposed(a->type, a->k, k_at, a->H * a->Dk, a->Lk, a->Dk, kt);
    pack_transposed(a->type, a->v, v_at, a->H * a->Dv, a->Lk, a->Dv, vt);
    pack_rows(a->type, a->k, k_at, a->H * a->Dk, a->Lk, a->Dk, a->scale, k);
    if (relative)
        backward_tables(t, h, mine);
    memset(dk_sum, 0, (size_t) (a->Lk * l->dk) * sizeof *dk_sum);
    memset(dv_sum, 0, (size_t) (a->Lk * l->dv) * sizeof *dv_sum);
    for (int64_t i0 = 0; i0 < a->Lq; i0 += QUERIES) {
        int64_t n = dev_cpu_least(QUERIES, a->Lq - i0), n_keys = block_keys(a, i0 + n);
        int64_t width = padded(n_keys), n_q = relative ? dev_cpu_least(n + 1, a->Lq - i0) : n;
        int64_t q_at = ((b * a->Lq + i0) * a->H + h) * a->Dk;
        int64_t out_at = ((b * a->Lq + i0) * a->H + h) * a->Dv;

        pack_rows(a->type, a->q, q_at, a->H * a->Dk, n_q, a->Dk, a->scale, q);
        pack_rows(a->type, g->dout, out_at, a->H * a->Dv, n_q, a->Dv, 1.0f, dout);
        product(n, width, a->Dk, q, l->dk, 1, kt, l->keys, false, p, l->keys);
        product(n, width, a->Dv, dout, l->dv, 1, vt, l->keys, false, dp, l->keys);
        if (relative)
            product(n_q, l->rows, a->Dk, q, l->dk, 1, mine + l->rel_kt, l->rows, false, x, l->rows);
        if (a->relative.v)
            product(n_q, l->rows, a->Dv, dout, l->dv, 1, mine + l->rel_vt, l->rows, false, y,
                    l->rows);
        for (int64_t i = 0; i < n; i++) {
            float *weights = p + i * l->keys, *dweights = dp + i * l->keys;
            const float *soft = NULL;
            float divisor = 1.0f;

            if (relative)
                relative_add(a, i0 + i, n_keys, x + i * l->rows, l->rows, weights);
            if (a->relative.v)
                relative_add(a, i0 + i, n_keys, y + i * l->rows, l->rows, dweights);
            softmax_row(&biases, i0 + i, n_keys, weights);
            if (a->hard_k > 0) {
                soft = memcpy(mine + l->soft, weights, (size_t) width * sizeof *weights);
                divisor = harden_row(a->hard_k, width, weights);
            }
            backward_row(&m, i0 + i, width, soft, divisor, mine + l->factors, weights, dweights);
            if (relative)
                relative_gather(a, i0 + i, n_keys, dweights, l->rows, mine + l->wk + i * l->rows);
            if (a->relative.v)
                relative_gather(a, i0 + i, n_keys, weights, l->rows, mine + l->wv + i * l->rows);
        }
        product(n_keys, l->dv, n, p, 1, l->keys, dout, l->dv, true, dv_sum, l->dv);
        product(n_keys, l->dk, n, dp, 1, l->keys, q, l->dk, true, dk_sum, l->dk);
        product(n, l->dk, n_keys, dp, l->keys, 1, k, l->dk, false, dq, l->dk);
        if (relative)
            backward_table_grads(t, n, i0 == 0, mine, pair_grads);
        if (g->dq)
            unpack_rows(dq, n, a->Dk, g->accumulate_q, a->type, g->dq, q_at, a->H * a->Dk);
    }
    if (g->dk)
        unpack_rows(dk_sum, a->Lk, a->Dk, g->accumulate_k, a->type, g->dk, k_at, a->H * a->Dk);
    if (g->dv)
        unpack_rows(dv_sum, a->Lk, a->Dv, g->accumulate_v, a->type, g->dv, v_at, a->H * a->Dv);
}

/* One row of a table's gradient: the pairs' gradients added in their order, those of the row's own
 * head where each head has a table.  piece counts the rows of all tables; `first` and `stride` are
 * the place of the table's rows in a pair's gradients (rows, dk) (rows, dv). */
static void add_pair_grads(const struct task *t, int64_t piece, int64_t D, int64_t first,
                           int64_t stride, bool accumulate, float *grad)
{
    const struct dev_attention *a = t->a;
    int64_t rows = a->relative.rows, r = piece % rows, head = piece / rows;
    float *to = grad + piece * D;

    if (!accumulate)
        memset(to, 0, (size_t) D * sizeof *to);
    for (int64_t pair = 0; pair < a->B * a->H; pair++) {
        const float *from = t->pair_grads + pair * rows * (t->l.dk + t->l.dv) + first + r * stride;

        if (a->relative.per_head && pair % a->H != head)
            continue;
        for (int64_t c = 0; c < D; c++)
            to[c] += from[c];
    }
}

static void table_row(void *arg, int64_t piece, int worker)
{
    const struct task *t = arg;
    const struct dev_attention *a = t->a;
    const struct dev_attention_grads *g = t->g;

    (void) worker;
    add_pair_grads(t, piece, a->Dk, 0, t->l.dk, g->accumulate_relative_k, g->drelative_k);
    if (a->relative.v)
        add_pair_grads(t, piece, a->Dv, a->relative.rows * t->l.dk, t->l.dv,
                       g->accumulate_relative_v, g->drelative_v);
}

void DEV_CPU(dev_cpu_attention_bwd)(struct dev *d, const struct dev_attention_bwd_args *args)
{
    const struct dev_attention *a = &args->of;
    const struct dev_attention_grads *g = &args->g;
    struct task t = task_of(a, g, args->scratch);

    check(a);
    T2_ASSERT(a->k_rows == a->Lk && a->q_per_key == 1);
    dev_cpu_run(d, a->B * a->H, backward_pair, &t);
    if (a->relative.kind != DEV_RELATIVE_NONE)
        dev_cpu_run(d, a->relative.rows * (a->relative.per_head ? a->H : 1), table_row, &t);
}

int64_t DEV_CPU(dev_cpu_attention_scratch)(const struct dev *d, const struct dev_attention *a,
                                           bool backward)
{
    return shared_floats(a, backward) + t2_pool_threads(d->pool) * layout_of(a, backward).total;
}
