/*
 * tests/unit/tfrec/test_csv_in.c - types that are found or given, rows that do not fit, damage.
 */
#include "tests/unit/tfrec/converting.h"

static const char *read_csv(struct rec_convert c, const char *text)
{
    const char *out = t_tmp_path("out.jsonl");

    cv_must(c, cv_put("in.csv", text), out);
    return cv_text(out);
}

static void test_types(void **state)
{
    struct rec_convert c = cv_defaults();

    (void) state;
    assert_string_equal(read_csv(c, "i,f,z,e\n1,1,007,\n-2,.5,x,\n"),
                        "{\"e\":[\"\"],\"f\":[1.0],\"i\":[1],\"z\":[\"007\"]}\n"
                        "{\"e\":[\"\"],\"f\":[0.5],\"i\":[-2],\"z\":[\"x\"]}\n");
    c.types = "i:bytes,f:float[]";
    c.list_separator = ";";
    assert_string_equal(read_csv(c, "i,f\n1,1;2.5\n"), "{\"f\":[1.0,2.5],\"i\":[\"1\"]}\n");
    c.types = "";
    c.columns = "a,b";
    assert_string_equal(read_csv(c, "\"x\r\ny\",1\n"), "{\"a\":[\"x\\r\\ny\"],\"b\":[1]}\n");
}

static void test_refused(void **state)
{
    static const struct {
        const char *types, *text, *says;
    } cases[] = {
        {"", "a,b\n1\n", "line 2"},          {"", "a,a\n1,2\n", "'a'"},
        {"b:int64", "a,b\n1,x\n", "line 2"}, {"c:int64", "a,b\n1,2\n", "'c'"},
        {"", "a\n\"open\n", "line 2"},
    };

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rec_convert c = cv_defaults();
        const char *out = t_tmp_path("none.jsonl");
        c.types = cases[i].types;
        assert_int_not_equal(cv_run(c, cv_put("in.csv", cases[i].text), out, 2), T2_OK);
        t_assert_contains(cv_err.message, cases[i].says);
        assert_false(t2_exists(out));
    }
}

static void test_damage(void **state)
{
    (void) state;
    (void) cv_damage(cv_defaults(), cv_put("d.csv", "a,b\n\"x\"\"y\",1\nz,2.5\n"));
}

T_MAIN(cmocka_unit_test(test_types), cmocka_unit_test(test_refused), cmocka_unit_test(test_damage))
