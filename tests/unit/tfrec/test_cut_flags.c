/*
 * tests/unit/tfrec/test_cut_flags.c - the name taken from an input; flags are tested by
 * tests/cli/tfrec.
 */
#include "tfrec/cut_flags.h"

#include "tests/unit/tfrecord/index_files.h"

static void check_stem(const char *path, const char *stem)
{
    struct tfr_input_file f = {.path = t2_strdup(path)};
    struct tfr_inputs in = {&f, 1, 0};
    char *got = rec_stem_of_input(&in);

    assert_string_equal(got, stem);
    t2_free(got);
    t2_free(f.path);
}

static void test_stem(void **state)
{
    (void) state;
    check_stem("d/x-train-00003-of-00010", "x-train");
    check_stem("x.tfrecord", "x.tfrecord");
    check_stem("d-00000-of-00001/x", "x");
}

static void refuse(const char *output, const char *compress, bool must_cut, const char *says)
{
    char name[] = "nothing";
    struct tfr_input_file f = {.path = name};
    struct tfr_inputs in = {&f, 1, 0};

    rec_cut_given.output = output;
    rec_cut_given.compress = compress;
    assert_int_equal(rec_cut_run(&in, must_cut, "testing", &err), T2_EUSAGE);
    t_assert_contains(err.message, says);
}

static void test_refused(void **state)
{
    (void) state;
    refuse("", "none", false, "give -o FILE");
    refuse("", "none", true, "give -o BASE");
    refuse("x", "none", true, "give one of --shards");
    refuse("x@3", "none", false, "several files");
    refuse("x", "lz4", false, "'lz4' is not");
}

T_MAIN(cmocka_unit_test(test_stem), cmocka_unit_test(test_refused))
