/*
 * tests/unit/datagen/problems/test_problem_captions.c - pairs of captions of an image, in order.
 */
#include "tests/unit/datagen/problems/samples.h"

static const char json[] =
    "{\"annotations\": [{\"image_id\": 5, \"caption\": \"a \"}, "
    "{\"image_id\": 2, \"caption\": \"x\"}, {\"image_id\": 5, \"caption\": \"b\"}, "
    "{\"image_id\": 9, \"caption\": \"lone\"}, {\"image_id\": 2, \"caption\": \"y\"}, "
    "{\"image_id\": 5, \"caption\": \"c\"}]}";

static void test_pairs(void **state)
{
    (void) state;
    s_put("captions_train-val2014/annotations/captions_train2014.json", json);
    s_put("captions_train-val2014/annotations/captions_val2014.json",
          "{\"annotations\": [{\"image_id\": 1}]}");
    s_check("paraphrase_generation_ms_coco_problem1d", DG_TRAIN, "a >b\na >c\nb>c\nx>y\n");
    s_check("paraphrase_generation_ms_coco_problem2d_characters", DG_TRAIN,
            "a >b\nb>a \na >c\nc>a \nb>c\nc>b\nx>y\ny>x\n");
    s_check_contains("paraphrase_generation_ms_coco_problem1d", DG_DEV, "annotation 1 has no");
}

T_MAIN(cmocka_unit_test(test_pairs))
