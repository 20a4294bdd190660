/*
 * tests/unit/datagen/problems/test_coco_captions.c - captions meet their images, in whatever order
 * the document has them and however little memory there is.
 */
#include "datagen/problems/coco_captions.h"

#include "base/mt19937.h"
#include "tests/unit/datagen/problems/samples.h"

#define IMAGE(id, name, height)                                                                    \
    "{\"id\": " #id ", \"file_name\": \"" name "\", \"height\": " #height ", \"width\": 4}"
#define NOTE(id, text) "{\"image_id\": " #id ", \"caption\": \"" text "\"}"

static enum t2_status print(void *context, const struct dg_coco_caption *c, struct t2_err *err)
{
    (void) err;
    if (c->is_image)
        t2_buf_printf(context, "%s%dx%d:", c->name, (int) c->height, (int) c->width);
    else
        t2_buf_printf(context, "%s/%.*s,", c->name, (int) c->text.len_bytes,
                      (const char *) c->text.data);
    return T2_OK;
}

static char *captions(uint64_t max_memory)
{
    struct dg_options o = s_options();
    struct t2_buf out = {NULL, 0, 0};
    struct t2_err err = T2_ERR_INIT;
    struct t2_mt mt;

    o.max_memory = max_memory;
    t2_mt_seed_python(&mt, 29);
    if (dg_coco_each(DG_DEV, &o, NULL, &mt, print, &out, &err) != T2_OK)
        t2_buf_puts(&out, err.message);
    return t2_buf_detach(&out);
}

static void check(const char *json, const char *expected)
{
    char *got;

    s_put("annotations/captions_val2014.json", json);
    got = captions(0);
    t_assert_contains(got ? got : "", expected);
    t2_free(got);
}

static void check_count(uint64_t expected)
{
    struct dg_options o = s_options();
    struct t2_err err = T2_ERR_INIT;
    uint64_t n;

    assert_int_equal(dg_coco_count(DG_DEV, &o, &n, &err), T2_OK);
    assert_int_equal(n, expected);
}

/* random.seed(29); random.shuffle of two items changes their places, of three the first two. */
static void test_join(void **state)
{
    (void) state;
    check("{\"images\": [" IMAGE(7, "b", 3) ", " IMAGE(3, "a", 2) ", " IMAGE(
              7, "c", 1) "], \"annotations\": [" NOTE(3, "x") ", " NOTE(7, "y") ", " NOTE(3,
                                                                                          "") "]}",
          "a2x4:a/x,a/,c1x4:c/y,");
    check_count(2);
    check("{\"annotations\": [" NOTE(3, "x") "], \"info\": {\"images\": []}, \"images\": [" IMAGE(
              3, "a", 2) ", " IMAGE(0, "b", 2) ", " IMAGE(9, "c", 2) "]}",
          "b2x4:a2x4:a/x,c2x4:");
    check("{\"images\": [], \"annotations\": []}", "");
    check_count(0);
}

static void test_bad(void **state)
{
    (void) state;
    check("{\"images\": [" IMAGE(3, "a", 2) "], \"annotations\": [" NOTE(3, "") ", " NOTE(
              9, "x") ", " NOTE(8, "x") "]}",
          "annotation 2 has no 'caption', or no 'image_id' of an image");
    check("{\"images\": [" IMAGE(3, "a", -2) "], \"annotations\": []}",
          "image 1 has no 'id', 'file_name', 'height' or 'width'");
    check("{\"images\": []}", "captions_val2014.json' has no \"annotations\"");
    check("{\"images\": [], \"annotations\": [], \"images\": []}",
          "byte 34: \"images\" is there a second time");
    check("{\"images\": [", "byte 12: ends within the document");
}

static void test_memory(void **state)
{
    enum { N_IMAGES = 3000, N_CAPTIONS = 20000 };
    struct t2_buf text = {NULL, 0, 0};
    char *whole, *limited;

    (void) state;
    t2_buf_puts(&text, "{\"annotations\": [");
    for (int i = 0; i < N_CAPTIONS; i++)
        t2_buf_printf(&text, "%s{\"image_id\": %d, \"caption\": \"a caption with number %d\"}",
                      i ? "," : "", i * 31 % N_IMAGES, i);
    t2_buf_puts(&text, "], \"images\": [");
    for (int i = N_IMAGES; i-- > 0;)
        t2_buf_printf(&text,
                      "{\"id\": %d, \"file_name\": \"%d.jpg\", \"height\": 1, \"width\": "
                      "2}%s",
                      i, i, i ? "," : "]}");
    s_put("annotations/captions_val2014.json", t2_buf_cstr(&text));
    whole = captions(0);
    limited = captions(2 << 20);
    assert_true(strlen(whole) > N_CAPTIONS * strlen("/a caption with number 1,"));
    assert_string_equal(whole, limited);
    t2_free(whole);
    t2_free(limited);
    t2_buf_release(&text);
}

T_MAIN(cmocka_unit_test(test_join), cmocka_unit_test(test_bad), cmocka_unit_test(test_memory))
