/*
 * tests/unit/train/test_ter.c - statistics, scores and signatures that sacreBLEU 2.6's class TER
 * gives.
 */
#include "tests/support/metric_check.h"
#include "train/eval/ter.h"

static void test_statistics(void **state)
{
    static const char *const first[] = {"the cat sat on the mat",
                                        "a cat sat down there on the mat today", NULL};
    static const char *const second[] = {"he said that", "so he said", NULL};
    static const char *const third[] = {"x", "", NULL}, *const empty[] = {"", NULL};
    struct ev_ter_options o = {.normalized = false};
    struct ev_metric *m = ev_ter_new(&o);

    (void) state;
    t_check_stats(m, "the cat sat on a mat", first, (const double[]){1, 7.5});
    t_check_stats(m, "he said so", second, (const double[]){1, 3});
    t_check_stats(m, "", third, (const double[]){0, 0.5});
    t_check_stats(m, "a b", empty, (const double[]){2, 0});
    t_check_signature(m, "TER", "case:lc|tok:tercom|norm:no|punct:yes|asian:no|",
                      "c:lc|t:tercom|nr:no|pn:yes|as:no|");
    ev_metric_free(m);
}

static void test_scores(void **state)
{
    struct ev_ter_options o = {.case_sensitive = true,
                               .normalized = true,
                               .no_punct = true,
                               .asian_support = true};
    struct ev_metric *m = ev_ter_new(&o);
    struct ev_number n;

    (void) state;
    assert_true(m->kind->score(m, (const double[]){2, 11}, EV_SUMS_PYTHON).v == 18.181818181818183);
    assert_true(m->kind->score(m, (const double[]){3, 0}, EV_SUMS_PYTHON).v == 100);
    assert_true(m->kind->score(m, (const double[]){0, 0}, EV_SUMS_PYTHON).v == 0);
    n = m->kind->score(m, (const double[]){7, (double) 9.333f}, EV_SUMS_FLOAT32);
    assert_true(n.is_float32 && n.v == (double) 75.00268f);
    t_check_signature(m, "TER", "case:mixed|tok:tercom|norm:yes|punct:no|asian:yes|",
                      "c:mixed|t:tercom|nr:yes|pn:no|as:yes|");
    ev_metric_free(m);
}

/* References go through the tokenizer twice. */
static void test_twice(void **state)
{
    static const char *const reference[] = {"it's\u2028( &amp;", NULL};
    struct ev_ter_options o = {.normalized = true};
    struct ev_metric *m = ev_ter_new(&o);

    (void) state;
    /* "it's ( &" against "it 's ( &" */
    t_check_stats(m, "it's\u2028( &amp;", reference, (const double[]){2, 4});
    ev_metric_free(m);
}

static void test_too_long(void **state)
{
    struct ev_ter_options o = {.normalized = false};
    struct ev_metric *m = ev_ter_new(&o);
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {NULL, 0, 0};
    struct ev_segment s = {.n_references = 1};
    void *work = m->kind->work_new(m);
    struct t2_slice reference;
    double stats[2];

    (void) state;
    for (int i = 0; i < 70000; i++)
        t2_buf_puts(&text, "a ");
    reference = t2_buf_slice(&text);
    s.references = &reference;
    s.hypothesis = t2_slice_of("b");
    assert_int_equal(m->kind->segment(m, work, &s, stats, &err), T2_EFORMAT);
    t_assert_contains(err.message, "70000 words");
    m->kind->work_free(work);
    ev_metric_free(m);
    t2_buf_release(&text);
}

T_MAIN(cmocka_unit_test(test_statistics), cmocka_unit_test(test_scores),
       cmocka_unit_test(test_twice), cmocka_unit_test(test_too_long))
