/* Values of expressions: arithmetic at its limits, what is missing, lists, and the same from an
 * index. */
#include <math.h>

#include "base/alloc.h"
#include "tests/support/t.h"
#include "tfrec/where.h"

static struct t2_buf record;
static struct tfr_example example;
static struct rec_where_scratch scratch;

static int begin(void **state)
{
    static const int64_t ids[] = {3, 1, 4, 1, 5};
    static const int64_t big[] = {INT64_MAX, 1};
    static const float scores[] = {0.5F, -2.0F, NAN};
    static const struct t2_slice names[] = {{(const uint8_t *) "b\0c", 3},
                                            {(const uint8_t *) "abc", 3}};
    const struct tfr_feature features[] = {
        {.name = "big", .kind = TFR_INT64, .n = 2, .ints = big},
        {.name = "empty", .kind = TFR_INT64},
        {.name = "ids", .kind = TFR_INT64, .n = 5, .ints = ids},
        {.name = "name", .kind = TFR_BYTES, .n = 2, .bytes = names},
        {.name = "none", .kind = TFR_NONE},
        {.name = "score", .kind = TFR_FLOAT, .n = 3, .floats = scores},
    };
    struct t2_err err = T2_ERR_INIT;
    (void) state;

    tfr_example_build(&record, features, 6);
    return tfr_example_parse(&example, t2_buf_slice(&record), &err) == T2_OK ? 0 : 1;
}

static int end(void **state)
{
    (void) state;
    tfr_example_release(&example);
    rec_where_scratch_release(&scratch);
    t2_buf_release(&record);
    return 0;
}

static struct rec_value value_of(const char *text)
{
    struct t2_err err = T2_ERR_INIT;
    struct rec_where *w = NULL;
    struct rec_value v;

    if (rec_where_parse(text, &w, &err) != T2_OK)
        fail_msg("%s: %s", text, err.message);
    v = rec_where_value(w, &scratch, &example, t2_buf_slice(&record), 41);
    rec_where_free(w);
    return v;
}

static void is_int(const char *text, int64_t want)
{
    struct rec_value v = value_of(text);

    if (v.kind != REC_INT || v.i != want)
        fail_msg("%s: kind %d, %lld instead of %lld", text, v.kind, (long long) v.i,
                 (long long) want);
}

static void is_double(const char *text, double want)
{
    struct rec_value v = value_of(text);

    if (v.kind != REC_DOUBLE || (v.d < want) || (v.d > want))
        fail_msg("%s: kind %d, %g instead of %g", text, v.kind, v.d, want);
}

static void is_missing(const char *text)
{
    if (value_of(text).kind != REC_MISSING)
        fail_msg("%s is not missing", text);
}

static void test_arithmetic(void **state)
{
    (void) state;
    is_int("1 + 2 * 3 - 4", 3);
    is_int("-7 / 2", -3);
    is_int("-7 % 3", -1);
    is_int("9223372036854775807 - 1", INT64_MAX - 1);
    is_double("9223372036854775807 + 1", 9223372036854775808.0);
    is_double("-9223372036854775808 - 1", -9223372036854775808.0);
    is_double("-9223372036854775808 / -1", 9223372036854775808.0);
    is_int("-9223372036854775808 % -1", 0);
    is_double("-(-9223372036854775808)", 9223372036854775808.0);
    is_double("4611686018427387904 * 4", 18446744073709551616.0);
    is_missing("1 / 0");
    is_missing("1 % 0");
    is_missing("1.5 / 0");
    is_missing("name + 1");
    is_double("7.5 % 2", 1.5);
    is_int("big == 9223372036854775807", 1);
    is_int("big == 9223372036854775806", 0);
    is_int("9007199254740993 == 9007199254740992.0", 1); /* as in C */
}

static void test_features(void **state)
{
    (void) state;
    is_int("ids", 3);
    is_int("ids[4]", 5);
    is_int("ids[-1]", 5);
    is_int("ids[-5]", 3);
    is_missing("ids[5]");
    is_missing("ids[-6]");
    is_missing("ids[-9223372036854775808]");
    is_missing("empty");
    is_missing("none");
    is_missing("other");
    is_int("len(ids)", 5);
    is_int("len(other)", 0);
    is_int("has(empty)", 1);
    is_int("has(none)", 0);
    is_int("has(other)", 0);
    is_int("min(ids)", 1);
    is_int("max(ids)", 5);
    is_int("sum(ids)", 14);
    is_int("sum(empty)", 0);
    is_missing("min(empty)");
    is_double("sum(big)", 9223372036854775808.0);
    is_double("min(score)", -2.0);
    is_double("max(score)", 0.5); /* NaN is passed over */
    is_missing("sum(name)");
    is_int("min(name) == 'abc'", 1);
    is_int("record()", 41);
    is_int("bytes()", (int64_t) record.len_bytes);
}

static void test_logic(void **state)
{
    (void) state;
    is_int("other == 3", 0);
    is_int("other != 3", 0);
    is_int("!(other == 3)", 1);
    is_int("name == 'b\\0c'", 1);
    is_int("name != 3", 1);
    is_int("name == 3", 0);
    is_int("name < 3", 0);
    is_int("name > 'b'", 1);
    is_int("score[2] == score[2]", 0); /* NaN */
    is_int("score[2] != score[2]", 1);
    is_int("ids in (1, 2, 3)", 1);
    is_int("ids in (1, 2)", 0);
    is_int("other in (1, 2)", 0);
    is_int("name in ('x', \"b\\x00c\")", 1);
    is_int("name[1] =~ '^a.c$'", 1);
    is_int("name =~ '^b.c$'", 0); /* . is any byte but NUL */
    is_int("name =~ 'c$'", 1);
    is_int("name =~ '^b$'", 0);
    is_int("ids =~ '3'", 0);
    is_int("1 && 2", 1);
    is_int("0 || ''", 0);
    is_int("0 && 1 / 0 || 5 > 4", 1);
    is_int("1 || other && 0", 1);
    is_int("(1 || 0) && 0", 0);
    is_int("!0 && !''", 1);
    is_int("1 < 2 && 2 < 3 && 3 < 4 || 0", 1);
}

static void test_long_chain(void **state)
{
    struct t2_buf text = {NULL, 0, 0};
    (void) state;

    t2_buf_puts(&text, "1");
    for (int i = 1; i < 20000; i++)
        t2_buf_puts(&text, "+1");
    is_int(t2_buf_cstr(&text), 20000);
    t2_buf_release(&text);
}

static void test_index(void **state)
{
    static const uint32_t counts[] = {2, UINT32_MAX, 0};
    static const int64_t ints[] = {7, 0, 0};
    static const uint64_t offsets[] = {0, 116, 132, 148};
    static char a[] = "a", t[] = "t";
    struct tfr_index_column columns[] = {{a, TFR_INT64, counts, ints, NULL},
                                         {t, TFR_BYTES, counts, NULL, NULL}};
    struct tfr_index ix = {3, offsets, columns, 2, NULL};
    static const struct {
        const char *text;
        bool fits;
        const char *matches; /* of the three records */
    } cases[] = {
        {"a == 7", true, "100"},         {"len(a) == 0", true, "011"},
        {"has(a)", true, "101"},         {"len(t) > 1", true, "100"},
        {"t == 'x'", false, NULL},       {"a[1] == 7", false, NULL},
        {"min(a) == 7", false, NULL},    {"other == 1", false, NULL},
        {"bytes() == 100", true, "100"}, {"record() > 10", true, "011"},
    };
    struct t2_err err = T2_ERR_INIT;
    (void) state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rec_where *w = NULL;
        assert_int_equal(rec_where_parse(cases[i].text, &w, &err), T2_OK);
        assert_int_equal(rec_where_fits_index(w, &ix), cases[i].fits);
        for (uint64_t r = 0; cases[i].fits && r < 3; r++)
            assert_int_equal(rec_where_match_index(w, &scratch, &ix, r, r + 10),
                             cases[i].matches[r] == '1');
        rec_where_free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_arithmetic),
                                       cmocka_unit_test(test_features),
                                       cmocka_unit_test(test_logic),
                                       cmocka_unit_test(test_long_chain),
                                       cmocka_unit_test(test_index)};
    return cmocka_run_group_tests(tests, begin, end);
}
