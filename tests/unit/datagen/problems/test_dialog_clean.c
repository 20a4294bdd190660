/*
 * tests/unit/datagen/problems/test_dialog_clean.c - utterances after the original's regular
 * expressions; the expected ones were made by Python's re with its patterns.
 */
#include "datagen/problems/dialog_text.h"
#include "tests/support/t.h"

static void check(void (*clean)(struct t2_slice, struct t2_buf *), const char *line,
                  const char *expected)
{
    struct t2_buf text = {0};

    clean(t2_slice_of(line), &text);
    assert_string_equal(t2_buf_cstr(&text), expected);
    t2_buf_release(&text);
}

static void test_utterances(void **state)
{
    (void) state;
    check(dg_clean_utterance, "Well, I'll be... damned!", "well i 'll be .  .  .  damned ! ");
    check(dg_clean_utterance, "Don't you 'ever' SAY?", "do n't you ever' say ? ");
    check(dg_clean_utterance, "It's 5 o'clock ' x", "it 's 5 o 'clock x");
    check(dg_clean_utterance, "a'''b n'x", "a ' ''b n'x");
    check(dg_clean_utterance, "\xc4\xb0 K\xc3\xb6ln \xe2\x84\xaa\xff.", "i kln k . ");
    check(dg_clean_utterance, "", "");
}

static void test_subtitles(void **state)
{
    (void) state;
    check(dg_clean_subtitle, " It\\'s 25 o'clock.", " it 's  o'clock . ");
    check(dg_clean_subtitle, "say\\' so don't!", "say 'so do n't ! ");
    check(dg_clean_subtitle, "a\tb \\ c", "a\tb   c");
}

T_MAIN(cmocka_unit_test(test_utterances), cmocka_unit_test(test_subtitles))
