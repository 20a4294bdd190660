/*
 * test_edit_choose.c - records by number, by condition, and because others have them.
 */
#include "tfrec/edit_choose.h"

#include "tests/unit/tfrec/edit_set.h"

/* Which of the numbers 0 ... 19 are chosen, as "0 3 4 ". */
static const char *numbers(const struct rec_choice *c)
{
    static struct t2_buf text;
    struct rec_where_scratch scratch = {0};

    t2_buf_clear(&text);
    for (uint64_t i = 0; i < 20; i++) {
        if (rec_choice_has(c, &scratch, NULL, t2_slice_of("x"), i))
            t2_buf_printf(&text, "%d ", (int) i);
    }
    rec_where_scratch_release(&scratch);
    return t2_buf_cstr(&text);
}

static void check(const char *text, const char *wanted)
{
    struct rec_choice c = {0};

    ES_OK(rec_choice_parse_records(&c, text, 20, &es_err));
    assert_string_equal(numbers(&c), wanted);
    assert_false(rec_choice_needs_example(&c));
    rec_choice_release(&c);
}

static void refused(const char *text, const char *message)
{
    struct rec_choice c = {0};
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(rec_choice_parse_records(&c, text, 20, &err), T2_EUSAGE);
    t_assert_contains(err.message, message);
    rec_choice_release(&c);
}

static void test_records(void **state)
{
    (void) state;
    check("3", "3 ");
    check("19,0", "0 19 ");
    check("7-9,3,5", "3 5 7 8 9 ");
    check("5-8,6-7,8-10,5,1-1", "1 5 6 7 8 9 10 ");
    refused("20", "there is no record 20: the data set has 20, counted from 0");
    refused("5-20", "there is no record 20");
    refused("9-8", "'9-8' in '9-8' is no record");
    refused("1,,2", "'' in '1,,2' is no record");
    refused("-3", "is no record");
    refused("x", "is no record");
}

static void test_where(void **state)
{
    struct rec_choice c = {0};

    (void) state;
    ES_OK(rec_where_parse("record() == 4 || record() == 6", &c.where, &es_err));
    assert_false(rec_choice_needs_example(&c));
    assert_string_equal(numbers(&c), "4 6 ");
    ES_OK(rec_choice_parse_records(&c, "1", 20, &es_err)); /* any of them */
    assert_string_equal(numbers(&c), "1 4 6 ");
    rec_choice_release(&c);
    ES_OK(rec_where_parse("label == 4", &c.where, &es_err));
    assert_true(rec_choice_needs_example(&c));
    rec_choice_release(&c);
}

static void test_others(void **state)
{
    struct rec_choice c = {0};
    struct t2_pool *pool = t2_pool_new(2);
    struct tfr_inputs in;
    struct t2_buf record = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    es_write(t_tmp_path("others"), 3, 200);
    es_find(t_tmp_path("others"), &in);
    ES_OK(rec_choice_add_others(&c, &in, 1 << 20, pool, &es_err));
    for (int i = 0; i < 5; i++) {
        es_example(&record, i, i % 3);
        assert_int_equal(rec_choice_has(&c, NULL, NULL, t2_buf_slice(&record), 0), i >= 3);
    }
    es_example(&record, 3, 1); /* not the same label */
    assert_false(rec_choice_has(&c, NULL, NULL, t2_buf_slice(&record), 0));
    assert_int_equal(rec_choice_add_others(&c, &in, 1000, pool, &err), T2_ENOMEM);
    t_assert_contains(err.message, "--max_memory");
    rec_choice_release(&c);
    tfr_inputs_release(&in);
    t2_buf_release(&record);
    t2_pool_free(pool);
}

T_MAIN(cmocka_unit_test(test_records), cmocka_unit_test(test_where), cmocka_unit_test(test_others))
