/* Tests of train/exchange/onnx.c: the file is read as protobuf; every node reads what is there. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/map.h"
#include "tests/unit/train/flow_models.h"
#include "tests/unit/train/proto_read.h"
#include "train/exchange/onnx.h"

struct seen {
    struct t2_map *names; /* of inputs, weights, and results so far */
    int n_nodes, n_weights, n_inputs, n_conv, n_transpose;
    int64_t n_floats; /* in weights */
    bool has_logits;
};

static void define(struct seen *s, struct t2_slice name)
{
    bool inserted;

    assert_true(name.len_bytes > 0);
    (void) t2_map_at(s->names, name.data, name.len_bytes, &inserted);
    if (!inserted)
        fail_msg("'%.*s' is there twice", (int) name.len_bytes, (const char *) name.data);
}

static void read_weight(struct seen *s, struct t2_slice tensor)
{
    struct t2_wire w = t2_wire_of(tensor);
    struct t2_slice name = {0}, raw = {0};
    uint64_t n = 1, type = 0;
    struct pr_field f;

    while (pr_next(&w, &f)) {
        if (f.number == 1)
            n *= f.value;
        if (f.number == 2)
            type = f.value;
        if (f.number == 8)
            name = f.body;
        if (f.number == 9)
            raw = f.body;
    }
    define(s, name);
    assert_int_equal(raw.len_bytes, n * (type == 1 ? 4 : 8));
    s->n_weights++;
    s->n_floats += type == 1 ? (int64_t) n : 0;
}

static void read_node(struct seen *s, struct t2_slice node)
{
    struct t2_wire w = t2_wire_of(node);
    struct pr_field f;

    s->n_nodes++;
    while (pr_next(&w, &f)) {
        if (f.number == 1 && !t2_map_find(s->names, f.body.data, f.body.len_bytes))
            fail_msg("'%.*s' is read before it is there", (int) f.body.len_bytes,
                     (const char *) f.body.data);
        if (f.number == 2)
            define(s, f.body);
        s->has_logits = s->has_logits || (f.number == 2 && pr_is(f.body, "logits"));
        s->n_conv += f.number == 4 && pr_is(f.body, "Conv");
        s->n_transpose += f.number == 4 && pr_is(f.body, "Transpose");
    }
}

static void read_input(struct seen *s, struct t2_slice info)
{
    struct t2_wire w = t2_wire_of(info);
    struct pr_field f;

    while (pr_next(&w, &f))
        if (f.number == 1)
            define(s, f.body);
    s->n_inputs++;
}

/* Weights and inputs stand behind the nodes, but are there before them. */
static void read_graph(struct seen *s, struct t2_slice graph)
{
    for (int nodes = 0; nodes < 2; nodes++) {
        struct t2_wire w = t2_wire_of(graph);
        struct pr_field f;

        while (pr_next(&w, &f)) {
            if (f.number == 1 && nodes)
                read_node(s, f.body);
            if (f.number == 5 && !nodes)
                read_weight(s, f.body);
            if (f.number == 11 && !nodes)
                read_input(s, f.body);
        }
    }
}

static struct seen read_model(struct t2_slice model)
{
    struct t2_wire w = t2_wire_of(model);
    struct seen s = {.names = t2_map_new()};
    struct pr_field f;
    int ir = 0;

    while (pr_next(&w, &f)) {
        if (f.number == 1)
            ir = (int) f.value;
        if (f.number == 7)
            read_graph(&s, f.body);
    }
    assert_int_equal(ir, 8);
    assert_true(s.has_logits);
    t2_map_free(s.names);
    return s;
}

static struct seen written(const char *model, const char *set, const char *hparams,
                           const struct mdl_problem *problem, int64_t *n_floats)
{
    const char *dir = t_tmp_path("onnx");
    char *path = t2_path_join(dir, "model.onnx"), *bytes;
    struct t2_err err = T2_ERR_INIT;
    struct flow_model f;
    struct seen s;
    size_t n;

    flow_open(&f, model, set, hparams, problem);
    if (xch_write_onnx(&f.m, f.mdl, dir, &err) != T2_OK)
        fail_msg("%s", err.message);
    bytes = t_read_file(path, &n);
    s = read_model((struct t2_slice){(const uint8_t *) bytes, n});
    *n_floats = 0;
    for (int i = 0; i < f.m.params->n_variables; i++)
        *n_floats += f.m.params->variables[i].n;
    free(bytes);
    t2_free(path);
    flow_close(&f);
    return s;
}

static void test_texts(void **state)
{
    int64_t n_floats;
    struct seen s = written("transformer", "transformer_tiny", flow_small, &flow_texts, &n_floats);

    (void) state;
    assert_int_equal(s.n_inputs, 2);
    assert_int_equal(s.n_conv, 0);
    /* each variable once, and a few numbers */
    assert_in_range(s.n_floats, n_floats, n_floats + 64);
}

/* Convolutions follow each other without a change of layout. */
static void test_images(void **state)
{
    int64_t n_floats;
    struct seen s = written("resnet", "resnet_18", "filter_sizes=[4,4,6,8,8],layer_sizes=[1,1,1,1]",
                            &flow_images, &n_floats);

    (void) state;
    assert_int_equal(s.n_inputs, 1);
    assert_int_equal(s.n_conv, 1 + 4 * 3);
    assert_int_equal(s.n_transpose, 1);
    assert_int_equal(s.n_floats, n_floats);
}

static void test_refused(void **state)
{
    struct mdl_problem labels = flow_texts;
    struct t2_err err = T2_ERR_INIT;
    struct flow_model f;

    (void) state;
    labels.class_labels = true;
    labels.targets_vocab = 2;
    flow_open(&f, "transformer_encoder", "transformer_tiny", flow_small, &labels);
    assert_int_equal(xch_write_onnx(&f.m, f.mdl, t_tmp_path("no"), &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "only models that write text, or classify images");
    flow_close(&f);
}

T_MAIN(cmocka_unit_test(test_texts), cmocka_unit_test(test_images), cmocka_unit_test(test_refused))
