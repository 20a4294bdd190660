/*
 * test_problem_wiki_dump.c - records of a fixed length out of the dump.
 *
 * When this was written, the vocabularies of languagemodel_wiki_noref_v8k_l1k and
 * languagemodel_wiki_xml_v8k_l1k on a made dump of ten files were those of T2T 1.15.7, and each
 * shard had the same records.
 */
#include "datagen/feature_list.h"
#include "tests/support/problem_check.h"

#define PART "enwiki-20171201-pages-articles.xml-part-0000"
#define FILL "some words of a text that is long enough to be an article of its own, "

static void put_parts(void)
{
    static const char page[] =
        "<page>\n<title>T%d</title><text>" FILL FILL FILL "%d\xff</text></page>\n";

    for (int i = 0; i < 4; i++) {
        char *name = t2_asprintf(PART "%d", i);
        char *text = t2_asprintf(page, i, i);
        pc_put_text("tmp", name, i == 3 ? "<siteinfo>\n" : text);
        t2_free(name);
        t2_free(text);
    }
}

static void test_samples(void **state)
{
    const struct dg_problem *p = dg_find("languagemodel_wiki_noref_v8k_l1k");
    struct dg_options options = pc_options("tmp");
    struct dg_stream *s = NULL;
    struct dg_sample sample = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    put_parts();
    pc_check("languagemodel_wiki_noref_v8k_l1k", "tmp", DG_DEV,
             "title: \"T0\" length: 211\n" FILL FILL FILL "0\n\n");
    pc_check("languagemodel_wiki_noref_v8k_l1k", "tmp", DG_TRAIN,
             "title: \"T1\" length: 211\n" FILL FILL FILL "1\n\n"
             "title: \"T2\" length: 211\n" FILL FILL FILL "2\n\n");
    assert_int_equal(p->open(p, &options, DG_TRAIN, &s, &err), T2_OK);
    assert_int_equal(s->next(s, &sample, &err), T2_OK);
    assert_int_equal(sample.shard, 1);
    assert_int_equal(s->next(s, &sample, &err), T2_OK);
    assert_int_equal(sample.shard, 2);
    assert_int_equal(s->next(s, &sample, &err), T2_EOF);
    dg_stream_free(s);
}

static void test_generate(void **state)
{
    (void) state;
    put_parts();
    assert_int_equal(pc_generate("languagemodel_wiki_noref_v8k_l1k", "tmp", DG_TRAIN), 2);
    assert_int_equal(pc_generate("languagemodel_wiki_xml_v8k_l1k", "tmp", DG_DEV), 1);
}

/* The same ids in another order, half of them in place; the same for the same ids. */
static void test_scramble(void **state)
{
    const struct dg_problem *p = dg_find("languagemodel_wiki_scramble_l128");
    const struct dg_texts texts = {.text = {{NULL, 0}}};
    struct dg_record r = {0};
    struct dg_feature *inputs;
    struct t2_err err = T2_ERR_INIT;
    bool seen[128] = {false};
    int64_t first[128];
    int n_same = 0;

    (void) state;
    for (int round = 0; round < 2; round++) {
        dg_record_clear(&r);
        (void) dg_record_add(&r, "targets", TFR_INT64);
        for (int i = 0; i < 128; i++)
            dg_feature_push(dg_record_find(&r, "targets"), i);
        assert_int_equal(p->record.finish(p, &texts, &r, &err), T2_OK);
        inputs = dg_record_find(&r, "inputs");
        assert_int_equal(inputs->n, 128);
        if (round == 1)
            assert_memory_equal(inputs->ints, first, sizeof first);
        memcpy(first, inputs->ints, sizeof first);
    }
    for (int i = 0; i < 128; i++) {
        assert_false(seen[first[i]]);
        seen[first[i]] = true;
        n_same += first[i] == i;
    }
    assert_in_range(n_same, 64, 80);
    dg_record_release(&r);
}

T_MAIN(cmocka_unit_test(test_samples), cmocka_unit_test(test_generate),
       cmocka_unit_test(test_scramble))
