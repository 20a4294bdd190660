/* Tests of train/exchange/tf_images.c: which operators the steps of a pipeline become, in their
 * order; that they can be run is test_saved_model's and bench/check_exports.py's. */
#include "train/exchange/tf_images.h"

#include <string.h>

#include "tests/support/t.h"
#include "tests/unit/train/proto_read.h"

/* The operators of the function number `at` of a library, but constants. */
static void operators_of(struct t2_slice library, int at, struct t2_buf *ops)
{
    struct t2_wire w = t2_wire_of(library);
    struct pr_field f;

    while (pr_next(&w, &f) && at > 0)
        at--;
    w = t2_wire_of(f.body);
    while (pr_next(&w, &f)) {
        struct t2_slice op = f.number == 3 ? pr_get(f.body, 2).body : (struct t2_slice){NULL, 0};

        if (op.len_bytes > 0 && !pr_is(op, "Const"))
            t2_buf_printf(ops, "%s%.*s", ops->len_bytes ? " " : "", (int) op.len_bytes,
                          (const char *) op.data);
    }
}

static void check(const char *pipeline, int32_t size, const char *wanted)
{
    const struct aug_pipeline *p = aug_pipeline_find(pipeline);
    struct xch_tf_graph g = {.field = 1};
    struct t2_buf library = {0}, ops = {0};

    assert_true(xch_tf_can_decode(p));
    assert_string_equal(xch_tf_decoded(&g, p, size, &library), "decoded");
    operators_of(t2_buf_slice(&library), 1, &ops);
    assert_string_equal(t2_buf_cstr(&ops), wanted);
    t2_buf_release(&ops);
    t2_buf_release(&library);
    xch_tf_release(&g);
}

static void test_operators(void **state)
{
    (void) state;
    check("cifar_eval", 32,
          "GatherV2 Cast DecodeJpeg Shape GatherV2 GatherV2 Cast Mean Sub Mul Mean Sqrt "
          "Maximum RealDiv TensorListSetItem AddV2");
    check("flowers_eval", 299,
          "GatherV2 Cast DecodeJpeg Shape GatherV2 GatherV2 Cast Mul ExpandDims Pack Cast "
          "ResizeBilinear Squeeze Sub Mul TensorListSetItem AddV2");
    check("resnet_eval_normalized", 224,
          "GatherV2 Cast ExtractJpegShape GatherV2 GatherV2 Minimum Cast Mul Cast Sub "
          "AddV2 FloorDiv Sub AddV2 FloorDiv Pack Cast DecodeAndCropJpeg ExpandDims Pack "
          "Cast ResizeBicubic Squeeze Sub Mul TensorListSetItem AddV2");
    check("official_eval", 224,
          "GatherV2 Cast DecodeJpeg Shape GatherV2 GatherV2 Minimum Cast Cast RealDiv Mul "
          "Cast Cast RealDiv Mul Cast ExpandDims Pack Cast ResizeBilinear Squeeze Sub "
          "FloorDiv Sub FloorDiv Pack Slice Sub Mul TensorListSetItem AddV2");
}

static void test_without_a_form(void **state)
{
    static const char *const names[] = {"torchvision_eval", "inception_eval", "t2t_area",
                                        "resnet_train"};

    (void) state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_false(xch_tf_can_decode(aug_pipeline_find(names[i])));
}

T_MAIN(cmocka_unit_test(test_operators), cmocka_unit_test(test_without_a_form))
