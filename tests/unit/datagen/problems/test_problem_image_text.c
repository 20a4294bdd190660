/*
 * tests/unit/datagen/problems/test_problem_image_text.c - captions in the original's order; lines
 * of print.
 */
#include "base/mt19937.h"
#include "tests/unit/datagen/problems/image_samples.h"

#define IMAGE(id, name)                                                                            \
    "{\"id\": " #id ", \"file_name\": \"" name "\", \"height\": 3, \"width\": 4}"
#define NOTE(id, text) "{\"image_id\": " #id ", \"caption\": \"" text "\"}"
#define RECORD(label)                                                                              \
    "image/class/label=" label                                                                     \
    ",1 image/encoded=JPEG:4x3 image/format=jpeg image/height=3 image/width=4\n"

static void test_captions(void **state)
{
    const struct dg_problem *p = dg_find("image_ms_coco_characters");
    struct dg_options o = s_options();
    struct t2_err err = T2_ERR_INIT;
    struct t2_mt drawn, expected;

    (void) state;
    for (int i = 0; i < 2; i++) {
        p_put(i ? "train2014/b.jpg" : "train2014/a.jpg", 4, 3);
        p_put(i ? "val2014/d.jpg" : "val2014/c.jpg", 4, 3);
    }
    s_put("annotations/captions_train2014.json",
          "{\"images\": [" IMAGE(7, "b.jpg") ", " IMAGE(3, "a.jpg") "], \"annotations\": [" NOTE(
              3, "x") ", " NOTE(7, "é😀") ", " NOTE(3, "yz") "]}");
    s_put("annotations/captions_val2014.json",
          "{\"images\": [" IMAGE(1, "c.jpg") "], \"annotations\": [" NOTE(1, "x") "]}");
    /* seed 429459: two items change places */
    p_check("image_ms_coco_characters", DG_TRAIN,
            RECORD("120") RECORD("121,122") RECORD("233,128512"));
    p_check("image_ms_coco_characters", DG_DEV, RECORD("120"));
    t2_mt_seed_python(&drawn, o.random_seed);
    expected = drawn;
    assert_int_equal(p->sharding.before_shuffle(p, &o, &drawn, &err), T2_OK);
    t2_mt_skip_shuffle(&expected, 2);
    t2_mt_skip_shuffle(&expected, 1);
    assert_memory_equal(&drawn, &expected, sizeof drawn);

    s_put("annotations/captions_val2014.json",
          "{\"images\": [" IMAGE(1, "e.jpg") "], \"annotations\": [" NOTE(1, "x") "]}");
    p_check("image_ms_coco_characters", DG_DEV, "!there is no image 'val2014/e.jpg'");
    s_put("annotations/captions_val2014.json", "{\"images\": [{}]}");
    p_check_contains("image_ms_coco_characters", DG_DEV, "image 1 has no 'id'");
    s_put("annotations/captions_val2014.json",
          "{\"images\": [], \"annotations\": [" NOTE(9, "") "]}");
    p_check_contains("image_ms_coco_characters", DG_DEV, "annotation 1 has no 'caption', or no");
}

static void test_lines(void **state)
{
    (void) state;
    p_check_contains("ocr_test", DG_TRAIN, "put it at");
    p_put("ocr/0.png", 9, 2);
    p_put("ocr/1.png", 8, 2);
    s_put("ocr/0.txt", " a\xff\r\n");
    s_put("ocr/1.txt", "b");
    for (int split = DG_TRAIN; split <= DG_DEV; split++)
        p_check("ocr_test", (enum dg_split) split,
                "image/class/label=97,255 image/encoded=PNG:9x2 image/format=png image/height=2 "
                "image/width=9\n"
                "image/class/label=98 image/encoded=PNG:8x2 image/format=png image/height=2 "
                "image/width=8\n");
    s_put("ocr/1.txt", " \n");
    p_check_contains("ocr_test", DG_TRAIN, "1.txt' is empty");
}

T_MAIN(cmocka_unit_test(test_captions), cmocka_unit_test(test_lines))
