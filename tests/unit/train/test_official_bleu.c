/*
 * tests/unit/train/test_official_bleu.c - how compute_bleu reads two files.
 */
#include "train/eval/official_bleu.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/t.h"

static const char *const names[] = {"hyp", "ref"};

static double score(const char *hypotheses, const char *references, bool lower_case)
{
    struct t2_err err = T2_ERR_INIT;
    double s = -1;

    if (ev_official_bleu((struct t2_slice){(const uint8_t *) hypotheses, strlen(hypotheses)},
                         (struct t2_slice){(const uint8_t *) references, strlen(references)}, names,
                         lower_case, &s, &err) != T2_OK)
        fail_msg("%s", err.message);
    return s;
}

static const char text[] = "the cat is on the mat .\nthis is a test\n";

static void test_line_ends(void **state)
{
    static const char *const ends[] = {"\n",   "\r",   "\r\n",     "\v",           "\f",
                                       "\x1c", "\x1e", "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9"};

    (void) state;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char other[128];

        snprintf(other, sizeof other, "the cat is on the mat .%sthis is a test", ends[i]);
        assert_true(score(other, text, false) == 100.0);
    }
    /* the whole text is stripped */
    assert_true(score("\n \n\xc2\xa0the cat is on the mat .\nthis is a test\n\n\n", text, false) ==
                100.0);
    assert_true(score("THE CAT IS ON THE MAT .\nThis is a test", text, false) < 100.0);
    assert_true(score("THE CAT IS ON THE MAT .\nThis is a test", text, true) == 100.0);
    assert_true(score("the cat the cat on the mat .", "the cat is on the mat .", false) ==
                (double) 100 * (double) 0.41113361690051975F);
}

static void test_lines_without_partners(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    double s;

    (void) state;
    /* blank at the end: as many line feeds */
    assert_true(score("the cat is on the mat .\n\n", text, false) < 100.0);
    assert_true(score("\n\n", text, false) == 0.0);
    assert_int_equal(ev_official_bleu((struct t2_slice){(const uint8_t *) "a\nb\nc", 5},
                                      (struct t2_slice){(const uint8_t *) "a\nb", 3}, names, false,
                                      &s, &err),
                     T2_EFORMAT);
    t_assert_contains(err.message, "'hyp' has 3 lines, 'ref' has 2");
    assert_int_equal(ev_official_bleu((struct t2_slice){(const uint8_t *) "a\xff", 2},
                                      (struct t2_slice){(const uint8_t *) "a", 1}, names, false, &s,
                                      &err),
                     T2_EFORMAT);
    t_assert_contains(err.message, "'hyp': not UTF-8 at byte 2");
}

T_MAIN(cmocka_unit_test(test_line_ends), cmocka_unit_test(test_lines_without_partners))
