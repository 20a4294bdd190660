/*
 * tests/unit/datagen/problems/test_problem_summarize.c - stories by the lists of addresses; a drawn
 * part.
 */
#include "base/hash.h"
#include "base/mt19937.h"
#include "tests/unit/datagen/problems/samples.h"

static void put_story(const char *paper, const char *url, const char *text)
{
    char sha1[T2_SHA1_HEX], name[200];

    t2_sha1_of(url, strlen(url), sha1);
    snprintf(name, sizeof name, "%s/stories/%s.story", paper, sha1);
    s_put(name, text);
}

static void test_lists(void **state)
{
    (void) state;
    put_story("cnn", "u1", "One.\n@highlight\none");
    put_story("dailymail", "u2", "Two.\n@highlight\ntwo");
    put_story("dailymail", "u3", "no summary");
    s_put("all_train.txt", " u2 \nu4\nu3\nu1\n");
    s_put("all_val.txt", "u1\n");
    s_put("all_test.txt", "u2\n");
    s_check("summarize_cnn_dailymail32k", DG_TRAIN, "Two.>two.\nOne.>one.\n");
    s_check("summarize_cnn_dailymail32k", DG_TEST, "Two.>two.\n");
}

static void test_vocabulary_joins_both(void **state)
{
    const struct dg_problem *p = dg_find("summarize_cnn_dailymail32k");
    struct dg_options o = s_options();
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf out = {0};
    struct dg_stream *stream;

    (void) state;
    assert_int_equal(p->vocab.open_text(p, &o, DG_TARGETS, &stream, &err), T2_OK);
    assert_int_equal(s_read(stream, &out, &err), T2_EOF);
    assert_string_equal(t2_buf_cstr(&out), ">Two. two.\n>One. one.\n");
    dg_stream_free(stream);
    t2_buf_release(&out);
}

/* The kept files are read; their order is that of random.shuffle. */
static void test_parts(void **state)
{
    struct t2_buf text = {0}, expected = {0};
    const struct dg_problem *p = dg_find("summarize_frac10_cnn_dailymail_wiki_lm_shared_vocab64k");
    struct dg_options o = s_options();
    struct t2_err err = T2_ERR_INIT;
    struct t2_mt mine, theirs;
    uint32_t order[25];

    (void) state;
    for (int i = 0; i < 25; i++)
        t2_buf_printf(&text, "s%d\n", i);
    s_put("cnndm.train.source", t2_buf_cstr(&text));
    s_put("cnndm.train.target", t2_buf_cstr(&text));
    t2_mt_seed_python(&mine, 429459);
    for (uint32_t i = 0; i < 25; i++)
        order[i] = i;
    t2_mt_shuffle_u32(&mine, order, 25);
    for (int i = 0; i < 2; i++)
        t2_buf_printf(&expected, "s%d>s%d\n", (int) order[i], (int) order[i]);
    s_check(p->name, DG_TRAIN, t2_buf_cstr(&expected));
    s_check(p->name, DG_DEV, "One.>one.\n");
    t2_mt_seed_python(&theirs, 429459);
    assert_int_equal(p->sharding.before_shuffle(p, &o, &theirs, &err), T2_OK);
    assert_int_equal(t2_mt_u32(&mine), t2_mt_u32(&theirs));
    t2_buf_release(&text);
    t2_buf_release(&expected);
}

T_MAIN(cmocka_unit_test(test_lists), cmocka_unit_test(test_vocabulary_joins_both),
       cmocka_unit_test(test_parts))
