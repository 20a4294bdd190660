/*
 * tests/unit/datagen/problems/test_problem_vqa.c - questions beside images, in the original's
 * order, and beside regions.
 */
#include "base/base64.h"
#include "tests/unit/datagen/problems/image_samples.h"

#define QUESTION(image, number, text, answers)                                                     \
    "{\"image_id\": " #image ", \"question_id\": " #number ", \"question\": \"" text               \
    "\", \"answer\": [" answers "]}"

static void put_questions(void)
{
    s_put("question.vocab.10000", "red\nbus\n");
    s_put("answer.label.3000", "yes\nno way \nyes\n");
    s_put("v2_train2014_annotations.json",
          "[" QUESTION(5, 50, "red bus ?", "\"no way\", \"yes\"") ", " QUESTION(
              4, 40, "bus", "") ", " QUESTION(5, 51, "red", "\"yes\"") "]");
    s_put("v2_val2014_annotations.json", "[" QUESTION(6, 60, "bus", "\"yes\"") "]");
}

static void test_images(void **state)
{
    struct dg_options o;
    struct t2_err err = T2_ERR_INIT;
    size_t n;
    char *labels, *path;

    (void) state;
    put_questions();
    p_put("train2014/COCO_train2014_000000000005.jpg", 4, 3);
    p_put("train2014/COCO_train2014_000000000004.jpg", 6, 2);
    p_put("val2014/COCO_val2014_000000000006.jpg", 2, 2);
    /* random.shuffle of three items with seed 429459 */
    p_check("image_vqav2_tokens10k_labels3k", DG_TRAIN,
            "image/question=3 image/answer=0 image/image_id=4 image/question_id=40 "
            "image/encoded=JPEG:6x2 image/format=jpeg\n"
            "image/question=2 image/answer=0 image/image_id=5 image/question_id=51 "
            "image/encoded=JPEG:4x3 image/format=jpeg\n"
            "image/question=2,3,4 image/answer=1,0 image/image_id=5 image/question_id=50 "
            "image/encoded=JPEG:4x3 image/format=jpeg\n");
    p_check("image_vqav2_tokens10k_labels3k", DG_DEV,
            "image/question=3 image/answer=0 image/image_id=6 image/question_id=60 "
            "image/encoded=JPEG:2x2 image/format=jpeg\n");
    o = s_options();
    assert_int_equal(dg_find("image_vqav2_tokens10k_labels3k")
                         ->before(dg_find("image_vqav2_tokens10k_labels3k"), &o, DG_STEP_VOCAB,
                                  &err),
                     T2_OK);
    path = t2_path_join(o.data_dir, "answer.label.3000");
    labels = t_read_file(path, &n);
    assert_string_equal(labels, "yes\nno way \nyes\n");
    free(labels);
    t2_free(path);
    s_put("v2_val2014_annotations.json", "[" QUESTION(6, 60, "bus", "\"maybe\"") "]");
    p_check_contains("image_vqav2_tokens10k_labels3k", DG_DEV,
                     "annotation 1: the answer 'maybe' is not in");
    s_put("v2_val2014_annotations.json", "[{}]");
    p_check_contains("image_vqav2_tokens10k_labels3k", DG_DEV, "annotation 1 has no 'image_id'");
    s_put("v2_val2014_annotations.json", "[" QUESTION(7, 60, "bus", "\"yes\"") "]");
    p_check_contains("image_vqav2_tokens10k_labels3k", DG_DEV,
                     "no image 'val2014/COCO_val2014_000000000007.jpg'");
}

static void put_rows(const char *rest)
{
    static const float boxes[] = {10, 20, 30, 60, 0, 0, 100, 50}, vector[] = {.5f, -2};
    struct t2_buf text = {NULL, 0, 0};

    for (int image = 3; image <= 5; image++) {
        t2_buf_printf(&text, "%d\t100\t200\t2\t", image);
        t2_base64_encode((struct t2_slice){(const uint8_t *) boxes, sizeof boxes}, &text);
        t2_buf_push(&text, '\t');
        t2_base64_encode((struct t2_slice){(const uint8_t *) vector, sizeof vector}, &text);
        t2_buf_puts(&text, "\r\n");
    }
    t2_buf_puts(&text, rest);
    s_put("trainval_resnet101_faster_rcnn_genome_36.tsv", t2_buf_cstr(&text));
    t2_buf_release(&text);
}

#define REGIONS                                                                                    \
    " image/bboxes=10,20,30,60,0,0,100,50 image/feature=0.5,-2 image/spatial_feature="             \
    "0.1,0.1,0.3,0.3,0.2,0.2,0,0,1,0.25,1,0.25 image/height=200 image/width=100\n"

static void test_regions(void **state)
{
    const char *name = "image_vqav2_rcnn_feature_tokens10k_labels3k";

    (void) state;
    put_questions();
    put_rows("");
    p_check(name, DG_TRAIN,
            "image/question=3 image/answer=0 image/image_id=4 image/question_id=40" REGIONS
            "image/question=2,3,4 image/answer=1,0 image/image_id=5 image/question_id=50" REGIONS
            "image/question=2 image/answer=0 image/image_id=5 image/question_id=51" REGIONS);
    p_check_contains(name, DG_DEV, "1 questions of '");
    put_rows("6\t1\t1\t1\tAAAA\t\n");
    p_check_contains(name, DG_DEV, "not image_id, image_w, image_h");
    put_rows("6\t1\t1\t1\tAAAAAA==\tAAAAAA==\n");
    p_check_contains(name, DG_DEV, "1 numbers are not 1 boxes of four or more");
    put_rows("x\n");
    p_check_contains(name, DG_DEV, "line 4: it does not begin with the number of an image");
}

T_MAIN(cmocka_unit_test(test_images), cmocka_unit_test(test_regions))
