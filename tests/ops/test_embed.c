/*
 * tests/ops/test_embed.c - embedding: kernels on every device against the reference loops, and the
 * operator's gradients.  num_threads is 1, 2 and 3 (op_check.c).
 */
#include "train/ops/embed.h"

#include "tests/support/op_check.h"
#include "tests/support/t.h"
#include "train/ops/residual.h"
#include "train/ops/xent.h"

struct args {
    int64_t B, L, D, V, n_positions, first_position;
    int shift;
    int64_t parts;
    bool extra, positions, position_ids;
    double rate;
    bool accumulate, no_table, no_extra, no_positions; /* backward */
};

enum { IDS, TABLE, EXTRA, POSITIONS, POSITION_IDS, OUT, DTABLE = 5, DEXTRA, DPOSITIONS, DOUT };

static struct dev_embed arguments(struct dev *d, const struct args *a, void *const *p)
{
    return (struct dev_embed){.B = a->B,
                              .L = a->L,
                              .D = a->D,
                              .ids = p[IDS],
                              .table = p[TABLE],
                              .scale = 1.7f,
                              .shift = a->shift,
                              .parts = a->parts,
                              .part_rows = a->parts ? a->V / a->parts : 0,
                              .extra = a->extra ? p[EXTRA] : NULL,
                              .positions = a->positions ? p[POSITIONS] : NULL,
                              .n_positions = a->n_positions,
                              .first_position = a->first_position,
                              .position_ids = a->position_ids ? p[POSITION_IDS] : NULL,
                              .dropout = op_dropout(d, a->rate, 51),
                              .type = op_type()};
}

static void call_forward(struct dev *d, void *const *p, const void *arg)
{
    struct dev_embed x = arguments(d, arg, p);

    d->kernels->embed(d, &(struct dev_embed_args){.of = x, .out = p[OUT]});
}

static void call_backward(struct dev *d, void *const *p, const void *arg)
{
    const struct args *a = arg;
    struct dev_embed x = arguments(d, a, p);

    d->kernels->embed_bwd(d,
                          &(struct dev_embed_bwd_args){.of = x,
                                                       .dout = p[DOUT],
                                                       .V = a->V,
                                                       .dtable = a->no_table ? NULL : p[DTABLE],
                                                       .accumulate_table = a->accumulate,
                                                       .dextra = a->no_extra ? NULL : p[DEXTRA],
                                                       .accumulate_extra = a->accumulate,
                                                       .dpositions =
                                                           a->no_positions ? NULL : p[DPOSITIONS],
                                                       .accumulate_positions = a->accumulate});
}

static void begin(struct op_call *c, const struct args *a, const char *what)
{
    op_begin(c, 1e-6, 1e-5,
             "%s B %d L %d D %d positions %d of %d shift %d extra %d ids %d rate %g accumulate %d",
             what, (int) a->B, (int) a->L, (int) a->D, a->positions, (int) a->n_positions, a->shift,
             a->extra, a->position_ids, a->rate, a->accumulate);
    (void) op_in_ids(c, a->B * a->L, (int32_t) (a->V / (a->parts ? a->parts : 1)), 4, 1);
    (void) op_in(c, a->V * a->D, 2);
    (void) op_in(c, a->D, 3);
    (void) op_in(c, a->n_positions * a->D, 4);
    (void) op_in_ids(c, a->B * a->L, (int32_t) a->n_positions + 2, 5, 6);
}

static void check(const struct args *a)
{
    struct op_call c;

    begin(&c, a, "embed");
    (void) op_typed_out(&c, a->B * a->L * a->D, false, 7);
    op_check(&c, call_forward, a);
    begin(&c, a, "embed_bwd");
    c.atol = 1e-6 * (double) (4 + a->B * a->L / 16); /* sums of one row's many uses */
    (void) op_out(&c, a->V * a->D, a->accumulate || a->no_table, 8);
    (void) op_out(&c, a->D, a->accumulate || a->no_extra, 9);
    (void) op_out(&c, a->n_positions * a->D, a->accumulate || a->no_positions, 10);
    (void) op_typed_in(&c, a->B * a->L * a->D, 11);
    op_check(&c, call_backward, a);
}

static const struct args shapes[] = {
    {.B = 1, .L = 1, .D = 1, .V = 2, .n_positions = 1},
    {.B = 2, .L = 7, .D = 5, .V = 11, .n_positions = 4}, /* positions that the table lacks */
    {.B = 3, .L = 16, .D = 16, .V = 30, .n_positions = 40},
    {.B = 2, .L = 9, .D = 65, .V = 8, .n_positions = 9, .first_position = 3},
    {.B = 5, .L = 20, .D = 129, .V = 70, .n_positions = 20},
};

enum { N_SHAPES = sizeof shapes / sizeof *shapes };

static void test_all_options(void **state)
{
    static const double rates[] = {0.0, 0.1, 0.5};

    (void) state;
    for (int i = 0; i < N_SHAPES; i++)
        for (int bits = 0; bits < 16; bits++)
            for (int r = 0; r < 3; r++) {
                struct args a = shapes[i];

                a.shift = bits & 1;
                a.extra = bits & 2;
                a.positions = bits & 4;
                a.position_ids = bits & 8;
                a.rate = rates[r];
                a.accumulate = (bits + r) % 2;
                check(&a);
            }
}

/* Tables that take turns, where id 0 counts; one for all positions, and three. */
static void test_parts(void **state)
{
    static const int64_t parts[] = {1, 3};

    (void) state;
    for (int i = 2; i < N_SHAPES; i++)
        for (int bits = 0; bits < 8; bits++) {
            struct args a = shapes[i];

            a.V = 30;
            a.parts = parts[bits & 1];
            a.shift = bits >> 1 & 1;
            a.accumulate = bits >> 2;
            check(&a);
        }
}

static void test_backward_without_some(void **state)
{
    (void) state;
    for (int bits = 0; bits < 8; bits++) {
        struct args a = shapes[2];

        a.extra = a.positions = true;
        a.no_table = bits & 1;
        a.no_extra = bits & 2;
        a.no_positions = bits & 4;
        check(&a);
    }
}

/* ---- gradients ---- */

enum { G_B = 3, G_L = 4, G_D = 5, G_V = 6 };

static const int32_t ids[] = {1, 2, 3, 0, 2, 2, 0, 5, 4, 1, 1, 2};
static const int32_t places[] = {0, 1, 2, 3, 0, 1, 0, 1, 2, 6, 0, 0}; /* 6 is not in the table */

static const int32_t targets[] = {5, 1, 0, 0, 3, 2, 4, 1, 1, 0, 0, 0};

struct graph_case {
    bool shift, extra, positions, place_ids;
    double rate;
};

static void build(struct op_graph *t, const void *arg)
{
    const struct graph_case *c = arg;
    struct nn_embed e = {.ids = op_ids(t, G_B, G_L, ids),
                         .table = op_param(t, "table", 2, G_V, G_D, 0),
                         .scale = 1.3,
                         .shift_right = c->shift,
                         .dropout = c->rate};

    if (c->extra) {
        e.extra_table = op_param(t, "extra", 2, 3, G_D, 0);
        e.extra_row = 1;
    }
    if (c->positions)
        e.positions = op_param(t, "positions", 2, G_L, G_D, 0);
    if (c->place_ids)
        e.position_ids = op_ids(t, G_B, G_L, places);
    op_sum_loss(t, nn_embed(t->g, &e));
}

/* Three channels' tables of two rows, for ids 0 and 1 only. */
static void build_parts(struct op_graph *t, const void *arg)
{
    static const int32_t bits[] = {1, 0, 1, 0, 0, 1, 0, 1, 1, 1, 1, 0};
    struct nn_embed e = {.ids = op_ids(t, G_B, G_L, bits),
                         .table = op_param(t, "table", 2, G_V, G_D, 0),
                         .scale = 1.3,
                         .parts = 3,
                         .shift_right = arg != NULL};

    op_sum_loss(t, nn_embed(t->g, &e));
}

static void test_gradients_of_parts(void **state)
{
    (void) state;
    op_check_gradient(build_parts, NULL, 1e-2, 1e-4);
    op_check_gradient(build_parts, ids, 1e-2, 1e-4);
}

static void test_gradients(void **state)
{
    (void) state;
    for (int bits = 0; bits < 16; bits++)
        for (int r = 0; r < 2; r++) {
            struct graph_case c = {bits & 1, bits & 2, bits & 4, bits & 8, 0.4 * r};

            op_check_gradient(build, &c, 1e-2, 1e-4);
        }
}

/* One table embeds twice, gives the added vector and the positions, and is the softmax. */
static void build_shared(struct op_graph *t, const void *arg)
{
    struct gr_tensor *table = op_param(t, "table", 2, G_V, G_D, 0);
    struct nn_embed a = {.ids = op_ids(t, G_B, G_L, ids),
                         .table = table,
                         .scale = 1.0,
                         .extra_table = table,
                         .extra_row = 2};
    struct nn_embed b = {.ids = op_ids(t, G_B, G_L, targets),
                         .table = table,
                         .scale = 0.5,
                         .shift_right = true,
                         .positions = table};
    struct gr_tensor *row_stats;
    struct gr_tensor *x = nn_residual(t->g, nn_embed(t->g, &a), nn_embed(t->g, &b), NULL, 0.0);
    struct gr_node *loss = nn_xent(t->g, x, table, b.ids, NULL, 0.1, &row_stats);

    (void) arg;
    op_xent_loss(t, loss, row_stats);
}

static void test_shared_table(void **state)
{
    (void) state;
    op_check_gradient(build_shared, NULL, 2e-3, 1e-3);
}

T_MAIN(cmocka_unit_test(test_all_options), cmocka_unit_test(test_parts),
       cmocka_unit_test(test_backward_without_some), cmocka_unit_test(test_gradients),
       cmocka_unit_test(test_gradients_of_parts), cmocka_unit_test(test_shared_table))
