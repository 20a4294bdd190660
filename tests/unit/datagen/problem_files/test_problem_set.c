/*
 * tests/unit/datagen/problem_files/test_problem_set.c - several problems in one text: names, like,
 * what holds for all, families.
 */
#include "datagen/problem_files/problem_set.h"

#include "base/buf.h"
#include "tests/unit/datagen/problem_files/problem_text.h"

static void test_one(void **state)
{
    struct dg_problem_set *set = t_set("refusal: not today\nvocab_size: 8\n");

    (void) state;
    assert_int_equal(dg_problem_set_count(set), 1);
    assert_string_equal(dg_problem_set_at(set, 0)->name, "x");
    assert_string_equal(dg_problem_set_at(set, 0)->refusal, "not today");
    assert_null(dg_problem_set_at(set, 1));
    assert_null(dg_problem_set_family(set, 0));
    dg_problem_set_free(set);
    dg_problem_set_free(NULL);
}

/* What is said later and nearer counts; names are not taken over. */
static void test_like(void **state)
{
    struct dg_problem_set *set = t_set("refusal: for all\n"
                                       "vocab_size: 1\n"
                                       "problems:\n"
                                       "- {name: a, summary: A}\n"
                                       "- {name: b, like: a, vocab_size: 2, refusal: b's}\n"
                                       "- {names: ['c{1,2}', d], like: b, summary: C}\n");
    static const struct {
        const char *name, *summary, *refusal;
        int size;
    } expected[] = {{"a", "A", "for all", 1},
                    {"b", "A", "b's", 2},
                    {"c1", "C", "b's", 2},
                    {"c2", "C", "b's", 2},
                    {"d", "C", "b's", 2}};

    (void) state;
    assert_int_equal(dg_problem_set_count(set), 5);
    for (size_t i = 0; i < 5; i++) {
        const struct dg_problem *p = dg_problem_set_at(set, i);
        assert_string_equal(p->name, expected[i].name);
        assert_string_equal(p->summary, expected[i].summary);
        assert_string_equal(p->refusal, expected[i].refusal);
        assert_int_equal(p->targets_vocab.approx_size, expected[i].size);
    }
    dg_problem_set_free(set);
}

static void test_families(void **state)
{
    struct dg_problem_set *set = t_set("family: F\nproblems:\n"
                                       "- {name: a, members: [x, y]}\n"
                                       "- {name: b, members: [x, y]}\n"
                                       "- {name: c, family: G, members: [x, y]}\n"
                                       "- {name: d, members: [x, y]}\n");

    (void) state;
    assert_string_equal(dg_problem_set_family(set, 0)->title, "F");
    assert_int_equal(dg_problem_set_family(set, 0)->n, 2);
    assert_ptr_equal(dg_problem_set_family(set, 0)->problems, dg_problem_set_at(set, 0));
    assert_string_equal(dg_problem_set_family(set, 1)->title, "G");
    assert_string_equal(dg_problem_set_family(set, 2)->problems->name, "d");
    assert_null(dg_problem_set_family(set, 3));
    dg_problem_set_free(set);
}

static void test_refused(void **state)
{
    static const struct t_refused cases[] = {
        {"", "a problem is a mapping"},
        {"[a]", "a problem is a mapping"},
        {"problems: 1\n", "problems must be a list of mappings"},
        {"problems: [1]\n", "a problem is a mapping"},
        {"problems: [{refusal: r}]\n", "name must be given for each of its problems"},
        {"problems: [{name: a, names: b}]\n", "name must be left out with names"},
        {"name: n\nproblems: [{name: a}]\n", "name must be inside one of the problems"},
        {"problems: [{names: 'a{', refusal: r}]\n", "names must be texts, with braces in pairs"},
        {"problems: [{names: '{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}'}]\n",
         "names must be texts"},
        {"problems: [{names: [a, a]}]\n", "problem 'a' is there twice"},
        {"problems: [{name: a, like: b}, {name: b}]\n", "like: no problem 'b' is before it"},
        {"problems: [{name: a, like: a}]\n", "like: no problem 'a' is before it"},
        {"problems: [{name: bad, members: []}]\n", "problem 'bad': 'dir/x.yaml': members must be"},
        {"files: []\nmembers: [a, b]\n", "files must be a mapping"},
    };

    (void) state;
    T_CHECK_REFUSED(cases);
}

static void test_long_chain(void **state)
{
    struct t2_buf text = {0};
    struct t2_err err = T2_ERR_INIT;
    struct dg_problem_set *set = NULL;

    (void) state;
    t2_buf_puts(&text, "problems:\n- {name: p0, members: [a, b]}\n");
    for (int i = 1; i <= 16; i++)
        t2_buf_printf(&text, "- {name: p%d, like: p%d}\n", i, i - 1);
    set = t_set(t2_buf_cstr(&text));
    assert_string_equal(dg_problem_set_at(set, 16)->members[1], "b");
    dg_problem_set_free(set);
    t2_buf_puts(&text, "- {name: p17, like: p16}\n");
    assert_int_equal(dg_problem_set_parse(t2_buf_cstr(&text), text.len_bytes, "x", &set, &err),
                     T2_EFORMAT);
    t_assert_contains(err.message, "at most 16");
    t2_buf_release(&text);
}

/* A short text that asks for a thousand times a long list. */
static void test_much_work(void **state)
{
    struct t2_buf text = {0};
    struct t2_err err = T2_ERR_INIT;
    struct dg_problem_set *set = NULL;

    (void) state;
    t2_buf_puts(&text,
                "names: ['a{0,1}{0,1}{0,1}{0,1}{0,1}{0,1}{0,1}{0,1}{0,1}{0,1}']\nmembers: [");
    for (int i = 0; i < 1000; i++)
        t2_buf_puts(&text, "x,");
    t2_buf_puts(&text, "x]\n");
    assert_int_equal(dg_problem_set_parse(t2_buf_cstr(&text), text.len_bytes, "x", &set, &err),
                     T2_EFORMAT);
    t_assert_contains(err.message, "values of work");
    t2_buf_release(&text);
}

T_MAIN(cmocka_unit_test(test_one), cmocka_unit_test(test_like), cmocka_unit_test(test_families),
       cmocka_unit_test(test_refused), cmocka_unit_test(test_long_chain),
       cmocka_unit_test(test_much_work))
