/*
 * test_problem_describe.c - what is told of problems; the command line's text is in
 * tests/cli/t2t-datagen/describe.sh.
 */
#include "datagen/runs/problem_describe.h"

#include "tests/support/problem_check.h"

static void check_text(const struct dg_problem *p, const char *const *parts)
{
    struct dg_generate g = ds_settings("data", NULL);
    struct t2_buf text = {0};

    g.options = pc_options("tmp");
    dg_problem_describe(p, &g, &text);
    for (; *parts; parts++)
        t_assert_contains(t2_buf_cstr(&text), *parts);
    t2_buf_release(&text);
}

static void test_kinds(void **state)
{
    static const char *const packed[] = {"packed: several texts in a record of 1024 ids",
                                         "the bytes of UTF-8, no file",
                                         "fields: inputs int64, targets int64, "
                                         "targets_segmentation int64, targets_position int64\n",
                                         NULL};
    static const char *const cut[] = {"cut: all text into records of 1024 ids", NULL};
    static const char *const own[] = {"inputs_extend int64, targets_extend int64", NULL};
    static const char *const refused[] = {"not made here: games are played", NULL};
    static const char *const mixture[] = {"members: languagemodel_lm1b32k multi_nli_shared_vocab\n",
                                          NULL};

    (void) state;
    check_text(dg_find("languagemodel_lm1b_characters_packed"), packed);
    check_text(dg_find("languagemodel_wiki_xml_v8k_l1k"), cut);
    check_text(dg_find("text2text_copyable_tokens"), own);
    check_text(dg_find("gym_pong-v4_random"), refused);
    check_text(dg_find("languagemodel_lm1b_multi_nli_subwords"), mixture);
}

/* A source that is there is shown with its place; shards follow the flags. */
static void test_there(void **state)
{
    const struct dg_problem *p = dg_find("parsing_icelandic16k");
    struct dg_generate g = ds_settings("data", NULL);
    struct t2_buf text = {0};

    (void) state;
    pc_put_text("there", "parsing_train.pairs", "a\tb\n");
    pc_put_text("data", "ice_target.tokens.vocab.256", "x\n");
    g.options = pc_options("there");
    g.n_shards[DG_TRAIN] = 3;
    dg_problem_describe(p, &g, &text);
    t_assert_contains(t2_buf_cstr(&text), "parsing_train.pairs, 4 B: there, '");
    t_assert_contains(t2_buf_cstr(&text), "parsing_dev.pairs: not there; it is not public");
    t_assert_contains(t2_buf_cstr(&text),
                      "ice_target.tokens.vocab.256, about 256 subwords, exists\n");
    t_assert_contains(t2_buf_cstr(&text), "-train-NNNNN-of-00003\n");
    t2_buf_release(&text);
}

static void test_json(void **state)
{
    struct dg_generate g = ds_settings("data", NULL);
    struct t2_buf text = {0};
    struct t2_json json;

    (void) state;
    g.options = pc_options("tmp");
    t2_json_init(&json, &text, 0);
    dg_problem_describe_json(dg_find("languagemodel_wikitext103"), &g, &json);
    t_assert_contains(t2_buf_cstr(&text), "\"bytes\": 190229076, \"sha256\": \"242ba0f2");
    t_assert_contains(t2_buf_cstr(&text), "\"there\": false");
    t_assert_contains(t2_buf_cstr(&text), "\"shards\": {\"train\": 10, \"dev\": 1, \"test\": 1}}");
    t2_buf_release(&text);
}

static void test_list(void **state)
{
    struct t2_strs names = {0};
    struct t2_buf text = {0};

    (void) state;
    t2_strs_push(&names, "gym_pong-v0_random");
    t2_strs_push(&names, "tiny_algo");
    dg_list_families(&names, &text);
    assert_string_equal(
        t2_buf_cstr(&text),
        "Algorithms:\n"
        "  * tiny_algo                                            copy 2 symbols, 100 cases\n"
        "Atari games:\n"
        "  * gym_pong-v0_random                                   Atari game (not made here)\n");
    t2_buf_release(&text);
    t2_strs_release(&names);
}

T_MAIN(cmocka_unit_test(test_kinds), cmocka_unit_test(test_there), cmocka_unit_test(test_json),
       cmocka_unit_test(test_list))
