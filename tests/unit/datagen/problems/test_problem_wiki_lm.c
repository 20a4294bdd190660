/*
 * test_problem_wiki_lm.c - lines joined, languages in turn, texts with gaps.  A made corpus of
 * twelve files gave the same samples as T2T 1.15.7's generators (checked by CRC when this was
 * written).
 */
#include "base/mt19937.h"
#include "tests/support/problem_check.h"

/* n lines of `length` letters. */
static void put_lines(const char *name, char letter, int n, int length)
{
    struct t2_buf text = {0};

    for (int i = 0; i < n; i++) {
        t2_buf_puts(&text, " ");
        for (int k = 0; k < length; k++)
            t2_buf_push(&text, (uint8_t) letter);
        t2_buf_puts(&text, " \n");
    }
    pc_put("tmp", name, text.data, text.len_bytes);
    t2_buf_release(&text);
}

static size_t count_samples(const char *problem, enum dg_split split, struct t2_buf *text)
{
    struct dg_options options = pc_options("tmp");
    size_t n = 0;

    t2_buf_clear(text);
    pc_samples(problem, &options, split, text);
    for (size_t i = 0; i < text->len_bytes; i++)
        n += text->data[i] == '\n';
    return n;
}

/* 4 x 1000 letters fit below 4096 characters with their blanks, the fifth begins the next. */
static void test_joined(void **state)
{
    struct t2_buf text = {0};

    (void) state;
    put_lines("enwiki_train.txt", 'e', 12, 1000);
    put_lines("enwiki_eval.txt", 'e', 3, 5000);
    put_lines("enwiki_test.txt", 'e', 2, 9);
    assert_int_equal(count_samples("languagemodel_en_wiki32k", DG_TRAIN, &text), 2);
    assert_int_equal(text.len_bytes, 2 * 4004); /* 4 lines, 3 blanks, LF */
    assert_int_equal(count_samples("languagemodel_en_wiki64k_shorter", DG_TRAIN, &text), 3);
    assert_int_equal(text.len_bytes, 3 * 3003);
    /* too long by themselves, or too short, or the last: nothing */
    assert_int_equal(count_samples("languagemodel_en_wiki32k", DG_DEV, &text), 0);
    assert_int_equal(count_samples("languagemodel_en_wiki32k", DG_TEST, &text), 0);
    t2_buf_release(&text);
}

/* Files of every split, as a problem wants them before it starts. */
static void put_all_splits(void)
{
    static const char *const languages[] = {"de", "fr", "en", "ro"};
    static const char *const splits[] = {"train", "eval", "test"};

    for (size_t i = 0; i < 4; i++) {
        for (size_t k = 0; k < 3; k++) {
            char *name = t2_asprintf("%swiki_%s.txt", languages[i], splits[k]);
            put_lines(name, (char) ('a' + i), 40, 200);
            t2_free(name);
        }
    }
}

/* de, fr, en, ro in turn; those at their end are passed over. */
static void test_turns(void **state)
{
    static const char *const names[] = {"dewiki_train.txt", "frwiki_train.txt", "enwiki_train.txt",
                                        "rowiki_train.txt"};
    static const int n_lines[] = {3, 2, 4, 1}; /* the last one is not given */
    struct t2_buf text = {0}, firsts = {0};

    (void) state;
    put_all_splits();
    for (size_t i = 0; i < 4; i++)
        put_lines(names[i], "dfer"[i], n_lines[i], 3000);
    assert_int_equal(count_samples("languagemodel_de_en_fr_ro_wiki64k", DG_TRAIN, &text), 6);
    for (size_t i = 0; i < text.len_bytes; i += 3001)
        t2_buf_push(&firsts, text.data[i]);
    assert_string_equal(t2_buf_cstr(&firsts), "dfedee");
    t2_buf_release(&text);
    t2_buf_release(&firsts);
}

/* The draws of train come before those of dev, and all before the shuffle. */
static void test_gaps(void **state)
{
    const struct dg_problem *p = dg_find("languagemodel_de_en_fr_ro_wiki64k_fitb_packed1k");
    struct dg_options options = pc_options("tmp");
    struct t2_buf dev = {0}, again = {0};
    struct t2_err err = T2_ERR_INIT;
    struct t2_mt mt, fresh;

    (void) state;
    put_all_splits();
    pc_samples(p->name, &options, DG_DEV, &dev);
    pc_samples(p->name, &options, DG_DEV, &again);
    assert_string_equal(t2_buf_cstr(&dev), t2_buf_cstr(&again));
    t_assert_contains(t2_buf_cstr(&dev), "X");
    t2_mt_seed_python(&mt, 429459);
    fresh = mt;
    assert_int_equal(p->sharding.before_shuffle(p, &options, &mt, &err), T2_OK);
    assert_int_not_equal(t2_mt_u32(&mt), t2_mt_u32(&fresh));
    t2_buf_release(&dev);
    t2_buf_release(&again);
}

T_MAIN(cmocka_unit_test(test_joined), cmocka_unit_test(test_turns), cmocka_unit_test(test_gaps))
