/* Tests of train/exchange/saved_model.c: the file is read as protobuf; in the graph and in each
 * function every node reads what is there before it, and signatures name what is there. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/map.h"
#include "tests/unit/train/flow_models.h"
#include "tests/unit/train/proto_read.h"
#include "train/exchange/saved_model.h"

struct seen {
    struct t2_map *names;
    int n_nodes, n_while, n_functions, n_signatures;
};

static void define(struct t2_map *names, struct t2_slice name)
{
    bool inserted;

    (void) t2_map_at(names, name.data, name.len_bytes, &inserted);
    if (name.len_bytes == 0 || !inserted)
        fail_msg("'%.*s' is there twice", (int) name.len_bytes, (const char *) name.data);
}

/* "node", "node:1" and, in functions, "node:output:0" or an argument. */
static void must_know(struct t2_map *names, struct t2_slice ref)
{
    const uint8_t *colon = memchr(ref.data, ':', ref.len_bytes);
    size_t n = colon ? (size_t) (colon - ref.data) : ref.len_bytes;

    if (!t2_map_find(names, ref.data, n))
        fail_msg("'%.*s' is read and not there", (int) ref.len_bytes, (const char *) ref.data);
}

static bool read_node(struct t2_map *names, struct t2_slice node)
{
    struct t2_wire w = t2_wire_of(node);
    struct pr_field f;
    bool is_while = false;

    define(names, pr_get(node, 1).body);
    while (pr_next(&w, &f)) {
        if (f.number == 3)
            must_know(names, f.body);
        is_while = is_while || (f.number == 2 && pr_is(f.body, "StatelessWhile"));
    }
    return is_while;
}

static void read_function(struct t2_slice function)
{
    struct t2_slice signature = pr_get(function, 1).body;
    struct t2_map *names = t2_map_new();
    struct t2_wire w = t2_wire_of(signature);
    struct pr_field f;
    int n_out = 0, n_results = 0;

    while (pr_next(&w, &f)) {
        if (f.number == 2)
            define(names, pr_get(f.body, 1).body);
        n_out += f.number == 3;
    }
    w = t2_wire_of(function);
    while (pr_next(&w, &f)) {
        if (f.number == 3)
            assert_false(read_node(names, f.body));
        if (f.number == 4) {
            must_know(names, pr_get(f.body, 2).body);
            n_results++;
        }
    }
    assert_int_equal(n_out, n_results);
    t2_map_free(names);
}

static void read_graph(struct seen *s, struct t2_slice graph)
{
    struct t2_slice library = pr_get(graph, 2).body;
    struct t2_wire w = t2_wire_of(graph);
    struct pr_field f;

    while (pr_next(&w, &f))
        if (f.number == 1) {
            s->n_while += read_node(s->names, f.body);
            s->n_nodes++;
        }
    w = t2_wire_of(library);
    while (pr_next(&w, &f)) {
        read_function(f.body);
        s->n_functions++;
    }
}

static void read_signature(struct seen *s, struct t2_slice entry)
{
    struct t2_wire w = t2_wire_of(pr_get(entry, 2).body);
    struct pr_field f;

    while (pr_next(&w, &f))
        if (f.number == 1 || f.number == 2)
            must_know(s->names, pr_get(pr_get(f.body, 2).body, 1).body);
    s->n_signatures++;
}

static struct seen written_with(const char *model, const char *set, const char *hparams,
                                const struct mdl_problem *problem, const char *pipeline)
{
    const char *dir = t_tmp_path("saved");
    char *path = t2_path_join(dir, "saved_model.pb"), *bytes;
    struct seen s = {.names = t2_map_new()};
    struct t2_err err = T2_ERR_INIT;
    struct t2_slice meta;
    struct flow_model f;
    struct t2_wire w;
    struct pr_field field;
    size_t n;

    flow_open(&f, model, set, hparams, problem);
    f.m.pixels = pipeline ? aug_pipeline_find(pipeline) : NULL;
    if (xch_write_saved_model(&f.m, f.mdl, 50, dir, &err) != T2_OK)
        fail_msg("%s", err.message);
    bytes = t_read_file(path, &n);
    meta = pr_get((struct t2_slice){(const uint8_t *) bytes, n}, 2).body;
    assert_true(pr_is(pr_get(pr_get(meta, 1).body, 4).body, "serve"));
    read_graph(&s, pr_get(meta, 2).body);
    w = t2_wire_of(meta);
    while (pr_next(&w, &field))
        if (field.number == 5)
            read_signature(&s, field.body);
    t2_map_free(s.names);
    free(bytes);
    t2_free(path);
    flow_close(&f);
    return s;
}

static struct seen written(const char *model, const char *set, const char *hparams,
                           const struct mdl_problem *problem)
{
    return written_with(model, set, hparams, problem, NULL);
}

static void test_translates(void **state)
{
    struct seen s = written("transformer", "transformer_tiny", flow_small, &flow_texts);

    (void) state;
    assert_int_equal(s.n_while, 1);
    assert_int_equal(s.n_functions, 2);
    assert_int_equal(s.n_signatures, 2);
}

static void test_language_model(void **state)
{
    struct mdl_problem alone = flow_texts;
    struct seen s;

    (void) state;
    alone.has_inputs = false;
    alone.inputs_vocab = 0;
    s = written("transformer", "transformer_tiny", flow_small, &alone);
    assert_int_equal(s.n_while, 0);
    assert_int_equal(s.n_signatures, 1);
}

static void test_images(void **state)
{
    struct seen s = written("resnet", "resnet_18", "filter_sizes=[4,4,6,8,8],layer_sizes=[1,1,1,1]",
                            &flow_images);

    (void) state;
    assert_int_equal(s.n_while, 0);
    assert_int_equal(s.n_signatures, 2);
    assert_in_range(s.n_nodes, 60, 200);
}

/* What pipelines of evaluation do becomes nodes of a loop's body; Pillow's resizing has none. */
static void test_files(void **state)
{
    static const struct {
        const char *pipeline;
        int n_while;
    } rows[] = {{"resnet_eval_normalized", 1},
                {"garden_eval", 1},
                {"official_eval", 1},
                {"t2t_imagenet_eval", 1},
                {"flowers_eval", 1},
                {"photos_eval", 1},
                {"cifar_eval", 1},
                {"torchvision_eval", 0},
                {"mnist_grey", 0},
                {"inception_eval", 0}};

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct seen s =
            written_with("resnet", "resnet_18", "filter_sizes=[4,4,6,8,8],layer_sizes=[1,1,1,1]",
                         &flow_images, rows[i].pipeline);

        assert_int_equal(s.n_while, rows[i].n_while);
        assert_int_equal(s.n_functions, 2 * rows[i].n_while);
        assert_int_equal(s.n_signatures, 2);
    }
}

T_MAIN(cmocka_unit_test(test_translates), cmocka_unit_test(test_language_model),
       cmocka_unit_test(test_images), cmocka_unit_test(test_files))
