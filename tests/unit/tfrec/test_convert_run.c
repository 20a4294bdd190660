/*
 * tests/unit/tfrec/test_convert_run.c - any number of threads gives the same; the first mistake
 * ends it.
 */
#include "tests/unit/tfrec/converting.h"

static void test_threads(void **state)
{
    static const char *const ends[] = {"tfrecord", "jsonl", "csv", "tar", "bagz"};
    struct t2_buf text = {NULL, 0, 0};
    const char *in;

    (void) state;
    for (int i = 0; i < 5000; i++)
        t2_buf_printf(&text, "{\"id\":%d,\"txt\":\"%0*d\"}\n", i, 1 + i % 90, i);
    in = cv_put("many.jsonl", t2_buf_cstr(&text));
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char name[2][20];
        const char *out[2];
        char *bytes[2];
        size_t n[2];
        for (int k = 0; k < 2; k++) {
            snprintf(name[k], sizeof name[k], "on%d.%s", k, ends[i]);
            out[k] = t_tmp_path(name[k]);
            if (cv_run(cv_defaults(), in, out[k], 1 + 2 * k) != T2_OK)
                fail_msg("%s", cv_err.message);
            bytes[k] = t_read_file(out[k], &n[k]);
        }
        assert_int_equal(n[0], n[1]);
        assert_memory_equal(bytes[0], bytes[1], n[0]);
        free(bytes[0]);
        free(bytes[1]);
    }
    t2_buf_release(&text);
}

/* Of many mistakes the first in the input is told, on any number of threads; nothing appears. */
static void test_first_mistake(void **state)
{
    struct t2_buf text = {NULL, 0, 0};
    const char *in, *out = t_tmp_path("no.tfrecord");

    (void) state;
    for (int i = 1; i <= 5000; i++)
        t2_buf_printf(&text, i % 1700 == 0 ? "{\"id\":}\n" : "{\"id\":%d}\n", i);
    in = cv_put("bad.jsonl", t2_buf_cstr(&text));
    for (int n = 1; n <= 3; n++) {
        assert_int_equal(cv_run(cv_defaults(), in, out, n), T2_EFORMAT);
        t_assert_contains(cv_err.message, "bad.jsonl:1700:");
        assert_false(t2_exists(out));
    }
    t2_buf_release(&text);
}

T_MAIN(cmocka_unit_test(test_threads), cmocka_unit_test(test_first_mistake))
