/*
 * tests/unit/tfrec/test_formats.c - which format a name or a file's content means.
 */
#include "tests/unit/tfrec/converting.h"

static const char *guess_from(const char *name, const char *text)
{
    static struct rec_convert c;
    char *item = (char *) (uintptr_t) cv_put(name, text);
    struct t2_strs inputs = {&item, 1, 1};

    c = cv_defaults();
    c.inputs = &inputs;
    c.output = "out.tfrecord";
    return rec_formats_guess(&c, &cv_err) == T2_OK ? c.from : NULL;
}

static void test_guess(void **state)
{
    (void) state;
    assert_string_equal(guess_from("a.jsonl", ""), "jsonl");
    assert_string_equal(guess_from("a.CSV", ""), "csv");
    assert_string_equal(guess_from("a.tsv.gz", ""), "tsv");
    assert_string_equal(guess_from("a.tar.gz", ""), "webdataset");
    assert_string_equal(guess_from("a.bagz", ""), "bagz");
    assert_string_equal(guess_from("a.npy", ""), "npz");
    assert_string_equal(guess_from("rows", "{\"a\":1}\n"), "jsonl");
}

static void test_find(void **state)
{
    const struct rec_format *f;

    (void) state;
    assert_int_equal(rec_format_find("to", "CSV", &f, &cv_err), T2_OK);
    assert_string_equal(f->name, "csv");
    assert_int_equal(rec_format_find("to", "jsnl", &f, &cv_err), T2_EUSAGE);
    t_assert_contains(cv_err.message, "did you mean 'jsonl'?");
    assert_int_equal(rec_format_find("to", "parquet", &f, &cv_err), T2_EUSAGE);
    t_assert_contains(cv_err.message, "webdataset");
}

/* Formats that cannot be read from, or written, or guessed. */
static void test_refused(void **state)
{
    struct rec_convert c = cv_defaults();

    (void) state;
    c.to = "tfds";
    assert_int_equal(cv_run(c, cv_put("a.jsonl", "{}\n"), t_tmp_path("x"), 1), T2_EUSAGE);
    c.to = "";
    assert_int_equal(cv_run(c, cv_put("a.jsonl", "{}\n"), t_tmp_path("x"), 1), T2_EUSAGE);
}

T_MAIN(cmocka_unit_test(test_guess), cmocka_unit_test(test_find), cmocka_unit_test(test_refused))
