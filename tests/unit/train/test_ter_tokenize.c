/*
 * tests/unit/train/test_ter_tokenize.c - tokens that sacreBLEU 2.6's TercomTokenizer gives.
 */
#include "tests/support/t.h"
#include "train/eval/ter_tokenize.h"

static const char western[] = "He's IN the U.S., it's 3.5-4 &amp;lt; (x)";
static const char asian[] =
    "\u4ed6\u8bf4\uff1a\u300c\u65e5\u672c\u300d\u3002\u3072\u3089 \uff13\uff0e";

static void check(struct ev_ter_options o, const char *line, const char *want)
{
    struct ev_ter_scratch scratch = {.in = {NULL, 0, 0}};
    struct t2_buf got = {NULL, 0, 0};

    ev_tokenize_ter(&o, &scratch, t2_slice_of(line), &got);
    assert_string_equal(t2_buf_cstr(&got), want);
    ev_ter_scratch_release(&scratch);
    t2_buf_release(&got);
}

static void test_options(void **state)
{
    const struct ev_ter_options plain = {.normalized = false}, normalized = {.normalized = true},
                                no_punct = {.no_punct = true}, cased = {.case_sensitive = true},
                                both = {.normalized = true, .asian_support = true},
                                all = {.normalized = true, .no_punct = true, .asian_support = true};

    (void) state;
    check(plain, western, "he's in the u.s., it's 3.5-4 &amp;lt; (x)");
    check(plain, asian, asian);
    check(cased, western, western);
    check(normalized, western, "he 's in the u . s . , it 's 3.5 - 4 < ( x )");
    check(normalized, asian, asian);
    check(no_punct, western, "he's in the us it's 35-4 &amplt x");
    check(no_punct, asian, asian);
    check(both, western, "he 's in the u . s . , it 's 3.5 - 4 < ( x )");
    check(both, asian,
          "\u4ed6 \u8bf4 \uff1a \u300c \u65e5 \u672c \u300d \u3002 \u3072\u3089 \uff13 \uff0e");
    check(all, western, "he 's in the u s it 's 35 - 4 < x");
    check(all, asian, "\u4ed6 \u8bf4 \u65e5 \u672c \u3072\u3089 \uff13");
    check(plain, "  ", "");
    check(all, "", "");
}

T_MAIN(cmocka_unit_test(test_options))
