/*
 * test_input_sizes.c - sizes on disk, guessed ones, each file once.
 */
#include "datagen/input_sizes.h"

#include "datagen/fetch/fetch_files.h"
#include "datagen/fetch/part_file.h"
#include "tests/unit/datagen/small_set.h"

static void test_files(void **state)
{
    const char *path = t_tmp_path("lines.txt");
    struct dg_input_sizes t = {0};

    (void) state;
    ds_write_lines("lines.txt", "abcdefg", 10); /* ten bytes each */
    dg_sizes_add_file(&t, path, 2);
    dg_sizes_add_file(&t, path, 2);
    assert_int_equal(t.n, 1);
    assert_int_equal(t.files[0].text_bytes, 100);
    assert_int_equal(t.files[0].tmp_bytes, 200);
    assert_int_equal(t.files[0].n_lines, 10);
    dg_sizes_add_file(&t, t_tmp_path("absent"), 0);
    assert_true(t.files[1].is_unknown);
    t.for_vocab = true;
    ds_write_lines("other.txt", "abcdefg", 5);
    dg_sizes_add_file(&t, t_tmp_path("other.txt"), 0);
    assert_int_equal(t.files[2].text_bytes, 0);
    assert_int_equal(t.vocab_bytes, 50);
    dg_input_sizes_release(&t);
}

static void test_folder_and_cases(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct dg_input_sizes t = {0};

    (void) state;
    assert_int_equal(t2_make_dirs(t_tmp_path("f/g"), &err), T2_OK);
    ds_write_lines("f/a", "abcdefg", 10);
    ds_write_lines("f/g/b", "abcdefg", 10);
    dg_sizes_add_folder(&t, t_tmp_path("f"));
    assert_int_equal(t.files[0].text_bytes, 200);
    dg_sizes_add_cases(&t, 7, 30);
    assert_int_equal(t.files[1].text_bytes, 210);
    assert_int_equal(t.files[1].n_lines, 14);
    dg_input_sizes_release(&t);
}

static void test_packed(void **state)
{
    (void) state;
    assert_true(dg_unpack_factor("a.txt") == 1);
    assert_true(dg_unpack_factor("a.tgz") > 2);
    assert_true(dg_unpack_factor("a.bz2") > dg_unpack_factor("a.gz"));
}

/* Known, expected, announced, not known at all; there, and half there. */
static void test_sources(void **state)
{
    static const char *const urls[] = {"http://h/x.tgz", NULL};
    static const struct dg_source_file
        known = {.name = "a.tgz", .urls = urls, .size_bytes = 1000, .text_factor = .5},
        expected = {.name = "b.tgz", .urls = urls, .about_bytes = 100},
        announced = {.name = "c", .urls = urls}, unknown = {.name = "d", .urls = urls};
    static const struct dg_source_file *const planned[] = {&announced, NULL};
    const struct dg_fetch_plan plan[] = {{.size_bytes = 77}};
    struct dg_input_sizes t = {.planned = planned, .plan = plan, .n_planned = 1};
    const char *dir = t_tmp_path(".");

    (void) state;
    dg_sizes_add_source(&t, &known, NULL, dir, 2);
    assert_int_equal(t.files[0].left_bytes, 1000);
    assert_int_equal(t.files[0].text_bytes, 500);
    assert_int_equal(t.files[0].tmp_bytes, 1000);
    dg_sizes_add_source(&t, &expected, NULL, dir, 0);
    assert_int_equal(t.files[1].left_bytes, 100);
    assert_int_equal(t.files[1].text_bytes, 300);
    dg_sizes_add_source(&t, &announced, NULL, dir, 0);
    assert_int_equal(t.files[2].left_bytes, 77);
    dg_sizes_add_source(&t, &unknown, NULL, dir, 0);
    assert_true(t.files[3].is_unknown);
    ds_write_lines("here", "abcdefg", 10);
    dg_sizes_add_source(&t, &known, t_tmp_path("here"), NULL, 1);
    assert_int_equal(t.files[4].left_bytes, 0);
    assert_int_equal(t.files[4].text_bytes, 50);
    dg_input_sizes_release(&t);
}

/* What a run before has downloaded is not downloaded again. */
static void test_part(void **state)
{
    static const char *const urls[] = {"http://h/p.txt", NULL};
    static const struct dg_source_file file = {.urls = urls, .size_bytes = 100};
    struct dg_part_state from = {.url = (char[]){"http://h/p.txt"}, .total_bytes = 100};
    struct t2_err err = T2_ERR_INIT;
    struct dg_input_sizes t = {0};
    struct dg_part part;

    (void) state;
    dg_part_look(&part, t_tmp_path("."), "p.txt");
    assert_int_equal(dg_part_begin(&part, &from, &err), T2_OK);
    assert_int_equal(dg_part_append(&part, "0123456789", 10, &err), T2_OK);
    assert_int_equal(dg_part_close(&part, &err), T2_OK);
    dg_part_release(&part);
    dg_sizes_add_source(&t, &file, NULL, t_tmp_path("."), 0);
    assert_int_equal(t.files[0].left_bytes, 90);
    assert_int_equal(t.files[0].text_bytes, 100);
    dg_input_sizes_release(&t);
}

T_MAIN(cmocka_unit_test(test_part), cmocka_unit_test(test_files),
       cmocka_unit_test(test_folder_and_cases), cmocka_unit_test(test_packed),
       cmocka_unit_test(test_sources))
