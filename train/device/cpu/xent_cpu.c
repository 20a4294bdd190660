/*
 * train/device/cpu/xent_cpu.c - softmax and cross-entropy over a vocabulary, with their gradients.
 *
 * For row r of x (N,D) with label t and logits s = x table^T (V):
 *   loss = conf (lse - s_t) + low ((V - 1) lse - (sum of s - s_t)) - norm,  lse = log sum e^s
 *   ds_v = grad_scale (e^(s_v - lse) - (v == t ? conf : low)),  dx = ds table,  dtable += ds^T x
 * and of a weighted row all of it, the statistics but the loss apart, times its weight.
 * Rows that do not count (label 0) are left out first: with padding that is work saved.  The rest
 * goes through in chunks: a gemm makes the logits of a chunk, one pass per row turns them into
 * gradients in place, two gemms multiply these by the table and by x.  So (rows, V) floats are held
 * instead of (N, V).
 *
 * With a model 128 wide this is half of a training step, and at least four fifths of it are gemms.
 * Tried and left: chunks small enough for the logits to stay in the second-level cache (64 to 256
 * rows of 8192); the gemms lose what memory gains (bench/results/2026-11-22-step-notes.md).
 *
 * Work is cut into tiles of a gemm and rows of a chunk.  Chunks depend on N and V alone and are
 * added to dtable in their order, so the bits do not depend on the number of threads.
 */
#include <math.h>

#include "train/device/cpu/cpu_kernels.h"
#include "train/device/cpu/logit_row.h"

/* Rows of a chunk: logits of at most 32 MiB, at least 64 rows so that gemms stay efficient. */
static int64_t chunk_rows(int64_t N, int64_t V)
{
    int64_t rows = (1 << 23) / V / 32 * 32;

    rows = rows < 64 ? 64 : rows > 512 ? 512 : rows;
    return rows < N ? rows : N;
}

/* From one row of logits to the next: whole vectors, and not a multiple of 2 KiB, which would put
 * the columns that a gemm packs into the same few sets of the cache. */
static int64_t row_stride(int64_t V)
{
    int64_t stride = (V + DEV_LINE - 1) / DEV_LINE * DEV_LINE;

    return stride % 512 == 0 ? stride + DEV_LINE : stride;
}

struct chunk {
    const struct dev_xent *a;
    const int32_t *row; /* row of x for each row of the chunk */
    float *logits;      /* (n, stride); becomes the gradient */
    int64_t stride;
    double norm;
    float conf, low;
};

/* s = e^(s - largest); returns the sum. */
static float exponentials(float *s, int64_t V, float largest)
{
    vf sum = {0};
    int64_t v = 0;

    for (; v + DEV_LANES <= V; v += DEV_LANES) {
        vf e = vf_exp(vf_load(s + v) - vf_set(largest));

        sum += e;
        vf_store(s + v, e);
    }
    if (v < V) {
        vf e = vf_exp(vf_load_part(s + v, V - v) - vf_set(largest));

        vf_store_part(s + v, e, V - v);
        for (int64_t i = 0; i < V - v; i++)
            sum[i] += e[i];
    }
    return vf_sum(sum);
}

/* Row i of a chunk: statistics, and logits (V) become ds in place.  Sums over V are in float by
 * lanes, what is made of them in double: V lse and the sum of logits nearly cancel. */
static void loss_row(void *arg, int64_t i, int worker)
{
    const struct chunk *c = arg;
    const struct dev_xent *a = c->a;
    int64_t V = a->V;
    float *s = c->logits + i * c->stride, *stats = a->row_stats + 4 * c->row[i];
    int32_t label = a->labels[c->row[i]];
    struct logit_row r = logit_row_of(s, V);
    float gold = s[label];
    float hit = logit_hit(s, V, &r, label);
    float sum = exponentials(s, V, r.largest);
    float weight = a->weights ? a->weights[c->row[i]] : 1.0f;
    double lse = (double) r.largest + log((double) sum);

    (void) worker;
    stats[0] =
        (float) ((double) c->conf * (lse - (double) gold) +
                 (double) c->low * ((double) (V - 1) * lse - ((double) r.total - (double) gold)) -
                 c->norm) *
        weight;
    stats[1] = hit;
    stats[2] = (float) ((double) gold - lse);
    stats[3] = 1.0f;
    if (a->dx) {
        float grad_scale = a->step->grad_scale * weight;
        float p_scale = grad_scale / sum, low = c->low * grad_scale;

        for (int64_t v = 0; v < V; v++)
            s[v] = s[v] * p_scale - low;
        s[label] -= (c->conf - c->low) * grad_scale;
    }
}

/* Copies the rows of x that count one behind the other, x (n,D), and clears all statistics.  row
 * (n) says which they were; returns n. */
static int64_t gather_rows(const struct dev_xent *a, int32_t *row, char *x)
{
    size_t bytes = (size_t) a->D * dev_type_bytes(a->type);
    int64_t n = 0;

    for (int64_t r = 0; r < a->N; r++) {
        memset(a->row_stats + 4 * r, 0, 4 * sizeof *a->row_stats);
        if (a->labels[r] == 0)
            continue;
        memcpy(x + (size_t) n * bytes, (const char *) a->x + (size_t) r * bytes, bytes);
        row[n++] = (int32_t) r;
    }
    return n;
}

/* Row r of dx (N,D) += row i of dx (n,D) */
static void add_row(const struct dev_xent *a, int64_t r, int64_t i, const float *dx)
{
    float to[DEV_CPU_BLOCK];

    for (int64_t c = 0, n; c < a->D; c += n) {
        const float *x = dx + i * a->D + c;
        float *sum;

        n = dev_cpu_block(a->type, c, a->D);
        sum = dev_cpu_out(a->type, a->dx, r * a->D + c, n, true, to);
        for (int64_t k = 0; k < n; k++)
            sum[k] += x[k];
        dev_cpu_done(a->type, sum, n, a->dx, r * a->D + c);
    }
}

static void scatter_rows(const struct dev_xent *a, const int32_t *row, int64_t n, const float *dx)
{
    if (!a->accumulate_x)
        memset(a->dx, 0, (size_t) (a->N * a->D) * dev_type_bytes(a->type));
    for (int64_t i = 0; i < n; i++)
        add_row(a, row[i], i, dx);
}

/* logits (m,V) = x table^T, without the places of x and logits */
static struct dev_gemm forward_gemm(const struct dev_xent *a, int64_t m)
{
    return (struct dev_gemm){.trans_b = true,
                             .M = m,
                             .N = a->V,
                             .K = a->D,
                             .type_a = a->type,
                             .lda = a->D,
                             .B = a->table,
                             .ldb = a->D,
                             .ldc = row_stride(a->V)};
}

/* dx (m,D) = ds table */
static struct dev_gemm gemm_to_x(const struct dev_xent *a, int64_t m)
{
    return (struct dev_gemm){.M = m,
                             .N = a->D,
                             .K = a->V,
                             .lda = row_stride(a->V),
                             .B = a->table,
                             .ldb = a->D,
                             .ldc = a->D};
}

/* dtable (V,D) += ds^T x */
static struct dev_gemm gemm_to_table(const struct dev_xent *a, int64_t m)
{
    return (struct dev_gemm){.trans_a = true,
                             .M = a->V,
                             .N = a->D,
                             .K = m,
                             .type_b = a->type,
                             .lda = row_stride(a->V),
                             .ldb = a->D,
                             .C = a->dtable,
                             .ldc = a->D};
}

/* Floats that n elements of a type take, in whole vectors. */
static int64_t row_floats(enum dev_type type, int64_t n)
{
    int64_t bytes = n * (int64_t) dev_type_bytes(type), line = DEV_LINE * sizeof(float);

    return type == DEV_FLOAT32 ? n : dev_cpu_div_up(bytes, line) * DEV_LINE;
}

/* Scratch memory: x and dx of the rows that count (N,D) each, the logits of a chunk (rows, stride),
 * row (N) as int32, and what the gemms need. */
void DEV_CPU(dev_cpu_xent)(struct dev *d, const struct dev_xent *a)
{
    double conf = 1.0 - (double) a->smoothing;
    double low = (double) a->smoothing / (double) (a->V - 1);
    int64_t D = a->D, V = a->V, rows = chunk_rows(a->N, V), stride = row_stride(V);
    char *x = (char *) a->scratch;
    float *dx = a->scratch + row_floats(a->type, a->N * D), *logits = dx + a->N * D;
    int32_t *row = (int32_t *) (void *) (logits + rows * stride);
    float *products = logits + rows * stride + a->N;
    int64_t n = gather_rows(a, row, x);
    bool accumulate = a->accumulate_table;

    for (int64_t first = 0; first < n; first += rows) {
        int64_t m = n - first < rows ? n - first : rows;
        struct chunk c = {.a = a,
                          .row = row + first,
                          .logits = logits,
                          .stride = stride,
                          .conf = (float) conf,
                          .low = (float) low,
                          .norm = -(conf * log(conf) + (double) (V - 1) * low * log(low + 1e-20))};
        struct dev_gemm forward = forward_gemm(a, m), to_x = gemm_to_x(a, m);
        struct dev_gemm to_table = gemm_to_table(a, m);

        forward.A = to_table.B = dev_element_in(a->type, x, first * D);
        forward.C = logits;
        to_x.A = to_table.A = logits;
        to_x.C = dx + first * D;
        to_table.accumulate = accumulate;
        forward.scratch = to_x.scratch = to_table.scratch = products;
        DEV_CPU(dev_cpu_gemm)(d, &forward);
        dev_cpu_run(d, m, loss_row, &c);
        if (a->dx) {
            DEV_CPU(dev_cpu_gemm)(d, &to_x);
            DEV_CPU(dev_cpu_gemm)(d, &to_table);
            accumulate = true;
        }
    }
    if (a->dx) {
        scatter_rows(a, row, n, dx);
        if (n == 0 && !a->accumulate_table)
            memset(a->dtable, 0, (size_t) (V * D) * sizeof *a->dtable);
    }
}

int64_t DEV_CPU(dev_cpu_xent_scratch)(const struct dev *d, const struct dev_xent *a)
{
    int64_t rows = chunk_rows(a->N, a->V);
    struct dev_gemm forward = forward_gemm(a, rows), to_x = gemm_to_x(a, rows);
    struct dev_gemm to_table = gemm_to_table(a, rows);
    int64_t most = DEV_CPU(dev_cpu_gemm_scratch)(d, &forward);
    int64_t back = DEV_CPU(dev_cpu_gemm_scratch)(d, &to_x);
    int64_t table = DEV_CPU(dev_cpu_gemm_scratch)(d, &to_table);

    most = back > most ? back : most;
    most = table > most ? table : most;
    return row_floats(a->type, a->N * a->D) + a->N * a->D + rows * row_stride(a->V) + a->N + most;
}
