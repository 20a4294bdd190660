/*
 * tests/unit/datagen/problems/test_problem_style.c - both directions, the shorter file ends it, the
 * vocabulary's lines.
 */
#include "tests/unit/datagen/problems/samples.h"

static void test_directions(void **state)
{
    static const struct t_member plays[] = {{"dev.original", "thou\nthy\nthee\n", NULL, NULL},
                                            {"dev.modern", " you\r\nyour\n", NULL, NULL}};

    (void) state;
    s_put("train.original", "a\n");
    s_put("train.modern", "b\n");
    t_write_archive(t_tmp_path("tmp/shakespeare.dev.tgz"), "ustar", "gzip", NULL, plays, 2);
    s_check("style_transfer_shakespeare_to_modern", DG_TRAIN, "a>b\n");
    s_check("style_transfer_modern_to_shakespeare", DG_TRAIN, "b>a\n");
    s_check("style_transfer_modern_to_shakespeare_characters", DG_DEV, "you>thou\nyour>thy\n");
}

static void test_vocabulary_takes_both_files(void **state)
{
    const struct dg_problem *p = dg_find("style_transfer_modern_to_shakespeare");
    struct dg_options o = s_options();
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf out = {0};
    struct dg_stream *stream;

    (void) state;
    assert_true(p->targets_vocab.any_length);
    assert_int_equal(p->vocab.open_text(p, &o, DG_TARGETS, &stream, &err), T2_OK);
    assert_int_equal(s_read(stream, &out, &err), T2_EOF);
    assert_string_equal(t2_buf_cstr(&out), ">a\n>b\n");
    dg_stream_free(stream);
    t2_buf_release(&out);
}

T_MAIN(cmocka_unit_test(test_directions), cmocka_unit_test(test_vocabulary_takes_both_files))
