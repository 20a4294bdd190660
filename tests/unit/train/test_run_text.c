/*
 * Tests of train/runs/run_text.c: what a run says of itself.
 */
#include "base/log.h"
#include "tests/unit/train/ids_problem.h"
#include "train/runs/run.h"

static struct t2_err err;

static void test_text_and_json(void **state)
{
    struct tr_options o = ids_options(t_tmp_path("data5"), t_tmp_path("run5"));
    struct tr_run *r = NULL;
    struct t2_buf text = {0};
    struct t2_json j;

    (void) state;
    o.host_threads = 3;
    if (tr_run_open(&o, &r, &err) != T2_OK)
        fail_msg("%s", err.message);
    tr_run_text(r, &text);
    t_assert_contains(t2_buf_cstr(&text), "1 thread, ");
    t_assert_contains(t2_buf_cstr(&text), "host: 3 threads beside the device\n");
    t_assert_contains(t2_buf_cstr(&text), "model: transformer, transformer_tiny, ");
    t_assert_contains(t2_buf_cstr(&text), "train: 200 records in 2 shards, ");
    t_assert_contains(t2_buf_cstr(&text), " longer than 32, 0 shorter than 0)");
    t_assert_contains(t2_buf_cstr(&text), "dev: 30 records in 1 shards, ");
    t_assert_contains(t2_buf_cstr(&text), "begins '");
    t2_buf_clear(&text);
    t2_json_init(&j, &text, 0);
    t2_json_object(&j);
    tr_run_json(r, &j);
    t2_json_end_object(&j);
    t_assert_contains(t2_buf_cstr(&text), "\"records\": 200");
    t2_buf_release(&text);
    tr_run_free(r);
}

T_MAIN(cmocka_unit_test(test_text_and_json))
