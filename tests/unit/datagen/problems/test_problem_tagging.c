/*
 * test_problem_tagging.c - trees, tabs and columns become pairs of texts.
 */
#include "tests/support/problem_check.h"

static void put_wsj(void)
{
    pc_put_text("wsj", "wsjTrain.trees",
                "(TOP (S (NP (DT The) (NN cat)) (VP (VBD sat)) (. .)))\n"
                "(TOP (X no)\n"
                "word\n"
                "(TOP (NN cats)) )\n"
                " (TOP  (NN cats))\r\n");
    pc_put_text("wsj", "wsjEval.trees", "(TOP (NP (NN it)))\n");
    pc_put_text("wsj", "wsj.train.text.txt", "The cat sat .\ncats\n");
    pc_put_text("wsj", "wsj.train.tags.txt", "S NP DT NN /NP VP VBD /VP . /S\nNN\n");
}

/* As words_and_tags_from_wsj_tree of T2T 1.15.7; what is no tree is left out where that stops. */
static void test_trees(void **state)
{
    struct dg_options options = pc_options("wsj");
    const struct dg_problem *p = dg_find("wsj_parsing");
    struct dg_stream *s = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};
    int n_dropped = 0, n = 0;

    (void) state;
    put_wsj();
    pc_check("wsj_parsing", "wsj", DG_DEV, "it|NP NN /NP\n");
    assert_int_equal(p->open(p, &options, DG_TRAIN, &s, &err), T2_OK);
    for (;; n++) {
        struct dg_sample sample = {0};
        if (s->next(s, &sample, &err) != T2_OK)
            break;
        n_dropped += sample.drop != NULL;
        if (!sample.drop)
            pc_print(&sample, &text);
    }
    assert_int_equal(n, 5);
    assert_int_equal(n_dropped, 2);
    assert_string_equal(t2_buf_cstr(&text), "The cat sat .|S NP DT NN /NP VP VBD /VP . /S\n"
                                            "no|\ncats|NN\n");
    t2_buf_release(&text);
    dg_stream_free(s);
}

static void test_wsj_set(void **state)
{
    (void) state;
    put_wsj();
    assert_int_equal(pc_generate("wsj_parsing", "wsj", DG_TRAIN), 3);
}

static void test_icelandic(void **state)
{
    (void) state;
    pc_put_text("ice", "parsing_train.pairs", " a b \t S N \tx\nnothing\n\tlost\nc\td\n");
    pc_put_text("ice", "parsing_dev.pairs", "e\tf\n");
    pc_check("parsing_icelandic16k", "ice", DG_DEV, "e|f\n");
    assert_int_equal(pc_generate("parsing_icelandic16k", "ice", DG_TRAIN), 2);
    assert_true(t2_exists(t_tmp_path("data/ice_source.tokens.vocab.16384")));
    assert_true(t2_exists(t_tmp_path("data/ice_target.tokens.vocab.256")));
}

static void test_names(void **state)
{
    (void) state;
    pc_put_text("conll", "conll2002/esp.train",
                "Wolff NP B-PER\n, Fc O\n\n\nen SP O\nArgentina NC B-LOC");
    pc_put_text("conll", "conll2002/esp.testa", "a b c");
    pc_put_text("conll", "conll2002/esp.testb", "d e f\n");
    pc_check("conll2002_es_ner", "conll", DG_TRAIN, "Wolff ,|B-PER O\n\nen Argentina|O B-LOC\n");
    /* a sentence does not go on in the next file */
    pc_check("conll2002_es_ner", "conll", DG_DEV, "a|c\nd|f\n");
    assert_int_equal(pc_generate("conll2002_es_ner", "conll", DG_TRAIN), 3);
}

static void test_refused(void **state)
{
    struct t2_pool *pool = t2_pool_new(1);
    struct dg_generate g = ds_settings("data", pool);
    struct dg_report report = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(dg_generate(dg_find("conll2002_ner"), &g, &report, &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "conll2002_es_ner or conll2002_nl_ner");
    dg_report_release(&report);
    t2_pool_free(pool);
    pc_check_fails("parsing_icelandic16k", "none", DG_TRAIN, "sentence, tab, tree");
}

T_MAIN(cmocka_unit_test(test_trees), cmocka_unit_test(test_wsj_set),
       cmocka_unit_test(test_icelandic), cmocka_unit_test(test_names),
       cmocka_unit_test(test_refused))
