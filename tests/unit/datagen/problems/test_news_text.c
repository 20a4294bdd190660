/*
 * tests/unit/datagen/problems/test_news_text.c - stories taken apart; the files of a split.
 */
#include "datagen/problems/news_text.h"

#include "base/buf.h"
#include "tests/support/t.h"

static void check(const char *file, bool is_good, const char *story, const char *summary)
{
    struct t2_buf got[2] = {{0}, {0}};

    assert_int_equal(dg_news_story(t2_slice_of(file), &got[0], &got[1]), is_good);
    assert_string_equal(t2_buf_cstr(&got[0]), story);
    assert_string_equal(t2_buf_cstr(&got[1]), summary);
    t2_buf_release(&got[0]);
    t2_buf_release(&got[1]);
}

static void test_stories(void **state)
{
    (void) state;
    check(" One line \r\n\nTwo.\n\n@highlight\n\nshort\n\n@highlight\nmore!", true,
          "One line. Two.", "short. more!");
    check("ends \xe2\x80\x99\nor \"\nor )\nor `\nor \xe2\x80\x94\n@highlight\nx", true,
          "ends \xe2\x80\x99 or \" or ) or ` or \xe2\x80\x94.", "x.");
    check("see @highlight here\n@highlight\nx?", true, "see @highlight here", "x?");
    check("@highlight\nx\nstory", false, "", "");
    check("only a story", false, "only a story.", "");
    check("", false, "", "");
}

T_MAIN(cmocka_unit_test(test_stories))
