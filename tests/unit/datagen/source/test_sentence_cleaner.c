/*
 * tests/unit/datagen/source/test_sentence_cleaner.c - each pattern, by sentences on both sides of
 * it; splitting. bench/check_cleaner.py compares with the original on many texts.
 */
#include "datagen/source/sentence_cleaner.h"

#include "tests/support/t.h"

static const struct {
    const char *text, *fault; /* NULL: a good sentence */
} cases[] = {
    {"A good sentence.", NULL},
    {"\"A\" b.", NULL},
    {"\xe2\x80\x9c"
     "A\xe2\x80\x9d b.",
     NULL},
    {"a small letter.", "does not begin"},
    {"\xc3\x84lter.", "does not begin"},
    {"", "does not begin"},
    {"No stop", "does not end"},
    {"Blank .", "does not end"},
    {"Sch\xc3\xb6n\xc3\xa9.", NULL},
    {"He said \"no.\"", NULL},
    {"Note: this.", "a label"},
    {"Dr. Who: this.", "a label"},
    {"Note this now: this.", NULL},
    {"Note this: this.", "a label"},
    {"Note : this.", "a mark between"},
    {"Has 1 2 digits.", "digits with"},
    {"Has \xd9\xa3 \xd9\xa3 digits.", "digits with"},
    {"Has 1, 2 digits.", NULL},
    {"A \" quote.", "one double"},
    {"\"A whole quote.\"", "quoted as a whole"},
    {"A \"b\" c\" d.", "three double"},
    {"A 'b' 'c d.", "three single"},
    {"A 's 't 's 't b.", NULL},
    {"It''' is.", "two quotes"},
    {"A \"b\" 'c' d.", "two quotes"},
    {"A , b.", "a mark between"},
    {"A\xc2\xa0;\xc2\xa0"
     "b.",
     "a mark between"},
    {"A \xc2\xa9 b.", "a copyright"},
    {"Copyright b.", "a copyright"},
    {"(C) b.", "does not begin"},
    {"A (b.", "an open"},
    {"A b) c (d) e.", "a parenthesis that"},
    {"A (b) c.", NULL},
    {"LONDON - a b.", "begins with a place"},
    {"NEW YORK - a b.", "begins with a place"},
    {"L - a b.", NULL},
    {"LONDON - a (b.", "an open"},
    {"LONDON is - a b.", NULL},
    {"FOObar_x b.", "begins with a name"},
};

static void test_faults(void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *fault = dg_sentence_fault(t2_slice_of(cases[i].text));
        if (!cases[i].fault && fault)
            fail_msg("'%s': %s", cases[i].text, fault);
        if (cases[i].fault && !fault)
            fail_msg("'%s' is taken for good", cases[i].text);
        if (cases[i].fault)
            t_assert_contains(fault, cases[i].fault);
    }
}

static void append(void *context, struct t2_slice english, struct t2_slice other)
{
    t2_buf_printf(context, "[%.*s|%.*s]", (int) english.len_bytes, (const char *) english.data,
                  (int) other.len_bytes, (const char *) other.data);
}

static void check_pair(const char *english, const char *other, const char *expected,
                       const char *fault)
{
    struct t2_buf out = {0};
    const char *why = dg_clean_pair(t2_slice_of(english), t2_slice_of(other), append, &out);

    assert_string_equal(t2_buf_cstr(&out), expected);
    if (fault)
        t_assert_contains(why ? why : "none", fault);
    else
        assert_null(why);
    t2_buf_release(&out);
}

static void test_pairs(void **state)
{
    (void) state;
    check_pair("One here.", "Eins hier", "[One here.|Eins hier]", NULL);
    check_pair("One here. Two there.", "Eins hier. Zwei dort.",
               "[One here.|Eins hier.][Two there.|Zwei dort.]", NULL);
    check_pair("One here. Two there.", "Eins hier, zwei dort.", "", "not as many");
    check_pair("One (here. Two) there.", "Eins hier. Zwei dort.", "", "an open");
    check_pair("One here. A : b.", "Eins hier. Zwei dort.", "", "a mark");
    check_pair("One A. B there.", "Eins. Zwei.", "", "not as many"); /* one capital: an initial */
    check_pair("One is AB. There it is.", "Eins 7. Da.", "", "not as many");
    check_pair("A b__|__B is.", "A__|__B ist.", "[B is.|B ist.]",
               NULL); /* the original's own mark */
}

T_MAIN(cmocka_unit_test(test_faults), cmocka_unit_test(test_pairs))
