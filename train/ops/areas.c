/*
 * train/ops/areas.c - areas of neighbouring positions as a memory for attention.
 */
#include "train/ops/areas.h"

#include "train/ops/cast.h"

struct areas {
    struct dev_areas of;
    enum dev_area_kind kind;
    enum dev_area_id_kind id_kind;
};

static struct areas *attributes_of(struct gr_graph *g, int64_t B, int64_t L, int64_t D,
                                   const struct nn_areas *areas)
{
    struct areas *a = gr_alloc(g, sizeof *a);
    int64_t height = L % areas->height == 0 ? areas->height : 1;

    T2_ASSERT(areas->height > 0 && areas->most_height > 0 && areas->most_width > 0);
    *a = (struct areas){.of = {.B = B,
                               .height = height,
                               .width = L / height,
                               .D = D,
                               .most_height = areas->most_height,
                               .most_width = areas->most_width}};
    return a;
}

static void values_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct areas *a = node->attributes;

    (void) context;
    node->dev->kernels->area_values(node->dev,
                                    &(struct dev_area_values_args){.of = a->of,
                                                                   .kind = a->kind,
                                                                   .type = node->outputs[0]->type,
                                                                   .x = node->inputs[0]->value,
                                                                   .y = node->outputs[0]->value});
}

static void values_bwd(struct gr_node *node, const struct gr_context *context)
{
    const struct areas *a = node->attributes;

    (void) context;
    node->dev->kernels->area_values_bwd(
        node->dev, &(struct dev_area_values_bwd_args){.of = a->of,
                                                      .kind = a->kind,
                                                      .type = node->outputs[0]->type,
                                                      .x = node->inputs[0]->value,
                                                      .dy = node->outputs[0]->grad,
                                                      .accumulate = node->accumulate[0],
                                                      .dx = node->inputs[0]->grad});
}

static const struct gr_op sums_op = {.name = "area_sums", .fwd = values_fwd, .bwd = values_bwd};
static const struct gr_op values_op = {.name = "area_values",
                                       .fwd = values_fwd,
                                       .bwd = values_bwd,
                                       .bwd_uses_inputs = 1u};

struct gr_tensor *nn_area_values(struct gr_graph *g, struct gr_tensor *x,
                                 const struct nn_areas *areas, enum dev_area_kind kind,
                                 int64_t heads)
{
    int64_t D = x->dims[2], A = x->dims[1] * areas->most_height * areas->most_width;
    int64_t dims[] = {x->dims[0], A, heads > 0 ? heads : D, heads > 0 ? D / heads : 0};
    struct areas *a = attributes_of(g, x->dims[0], x->dims[1], D, areas);
    bool linear = kind == DEV_AREA_MEAN || kind == DEV_AREA_SUM;

    x = nn_convert(g, x, g->type);
    T2_ASSERT(x->rank == 3 && (heads == 0 || D % heads == 0));
    a->kind = kind;
    return gr_add_output(g, gr_add_node(g, linear ? &sums_op : &values_op, 1, &x, a),
                         heads > 0 ? 4 : 3, dims, true);
}

enum { IDS, AREA_IDS };

static void ids_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct areas *a = node->attributes;
    const struct gr_tensor *ids = node->inputs[IDS];

    (void) context;
    node->dev->kernels->area_ids(node->dev,
                                 &(struct dev_area_ids_args){.of = a->of,
                                                             .kind = a->id_kind,
                                                             .ids = ids ? ids->ids : NULL,
                                                             .y = node->inputs[AREA_IDS]->ids});
}

static const struct gr_op ids_op = {.name = "area_ids", .fwd = ids_fwd};

struct gr_tensor *nn_area_ids(struct gr_graph *g, int64_t B, int64_t L, struct gr_tensor *ids,
                              const struct nn_areas *areas, enum dev_area_id_kind kind)
{
    int64_t dims[] = {B, L * areas->most_height * areas->most_width};
    struct gr_tensor *inputs[] = {ids, gr_ids(g, 2, dims)};
    struct areas *a = attributes_of(g, B, L, 0, areas);

    T2_ASSERT(!ids == (kind == DEV_AREA_THERE || kind == DEV_AREA_LAST));
    T2_ASSERT(!ids || ids->n == B * L);
    a->id_kind = kind;
    gr_add_node(g, &ids_op, 2, inputs, a);
    return inputs[AREA_IDS];
}
