/*
 * train/ops/best_rows.c - x (rows,K), table (V,K) -> the best of each row of x table^T.
 *
 * A product of some rows and a choice among their logits take turns in one place.  So many rows
 * that the place has a few megabytes: the product still reads the table rarely, and (rows,V), which
 * can be most of the arena, is never held.
 */
#include "train/ops/best_rows.h"

#include "train/ops/cast.h"

enum { X, TABLE };
enum { LOGITS_AT_A_TIME = 1 << 22, MIN_ROWS = 16, CANDIDATE_FLOATS = 2 };

struct best_rows {
    int64_t rows, K, V, at_a_time;
    int64_t best_at, gemm_at; /* places behind the logits in the scratch memory */
};

/* Logits (n,V) of rows first ... first + n - 1. */
static struct dev_gemm product(const struct gr_node *node, int64_t first, int64_t n)
{
    const struct best_rows *b = node->attributes;
    const struct gr_tensor *x = node->inputs[X], *table = node->inputs[TABLE];
    bool there = x->value != NULL; /* not while it is planned */

    return (struct dev_gemm){.trans_b = true,
                             .M = n,
                             .N = b->V,
                             .K = b->K,
                             .type_a = x->type,
                             .type_b = gr_factor_type(table),
                             .type_c = DEV_FLOAT32,
                             .A = there ? dev_element_in(x->type, x->value, first * b->K) : NULL,
                             .lda = b->K,
                             .B = gr_factor(table),
                             .ldb = b->K,
                             .layout_b = table->layout,
                             .C = node->scratch,
                             .ldc = b->V,
                             .scratch = there ? node->scratch + b->gemm_at : NULL};
}

static void best_rows_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct best_rows *b = node->attributes;
    struct dev_candidate *best = node->outputs[0]->value;
    const struct dev_kernels *k = node->dev->kernels;

    (void) context;
    for (int64_t first = 0; first < b->rows; first += b->at_a_time) {
        int64_t n = b->rows - first < b->at_a_time ? b->rows - first : b->at_a_time;
        struct dev_gemm a = product(node, first, n);

        k->gemm(node->dev, &a);
        k->best_ids(node->dev, &(struct dev_best_ids_args){.logits = node->scratch,
                                                           .rows = n,
                                                           .V = b->V,
                                                           .stride = b->V,
                                                           .n = 1,
                                                           .best = best + first,
                                                           .scratch = node->scratch + b->best_at});
    }
}

static const struct gr_op best_rows_op = {.name = "best_rows", .fwd = best_rows_fwd};

static int64_t aligned(int64_t floats)
{
    int64_t unit = DEV_ALIGN_BYTES / (int64_t) sizeof(float);

    return (floats + unit - 1) / unit * unit;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

struct gr_tensor *nn_best_rows(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *table)
{
    struct best_rows *b = gr_alloc(g, sizeof *b);
    struct gr_tensor *inputs[] = {x = nn_convert(g, x, g->type), table}, *best;
    struct gr_node *node;
    struct dev_gemm a, last;

    T2_ASSERT(sizeof(struct dev_candidate) == CANDIDATE_FLOATS * sizeof(float));
    T2_ASSERT(!g->training && table->rank == 2 && x->dims[x->rank - 1] == table->dims[1]);
    b->K = table->dims[1];
    b->V = table->dims[0];
    b->rows = x->n / b->K;
    b->at_a_time = LOGITS_AT_A_TIME / b->V > MIN_ROWS ? LOGITS_AT_A_TIME / b->V : MIN_ROWS;
    b->at_a_time = b->rows < b->at_a_time ? b->rows : b->at_a_time;
    node = gr_add_node(g, &best_rows_op, 2, inputs, b);
    best = gr_add_output_of(g, node, DEV_FLOAT32, 2, (int64_t[]){b->rows, CANDIDATE_FLOATS}, false);
    b->best_at = aligned(b->at_a_time * b->V);
    b->gemm_at = b->best_at + aligned(g->dev->kernels->best_ids_scratch_floats(g->dev, b->V));
    a = product(node, 0, b->at_a_time);
    last = product(node, 0, (b->rows - 1) % b->at_a_time + 1);
    node->scratch_fwd_floats =
        b->gemm_at + larger(g->dev->kernels->gemm_scratch_floats(g->dev, &a),
                            g->dev->kernels->gemm_scratch_floats(g->dev, &last));
    return best;
}
