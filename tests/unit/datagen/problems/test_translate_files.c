/*
 * tests/unit/datagen/problems/test_translate_files.c - the shared files have T2T's names.
 */
#include "datagen/problems/translate_files.h"

#include <stdlib.h>

#include "tests/support/t.h"

static void test_names(void **state)
{
    static const struct {
        const struct dg_source_file *file;
        const char *name;
    } cases[] = {
        {&dg_file_nc_v9, "training-parallel-nc-v9.tgz"},
        {&dg_file_nc_v13, "training-parallel-nc-v13.tgz"},
        {&dg_file_commoncrawl, "training-parallel-commoncrawl.tgz"},
        {&dg_file_europarl_v7, "training-parallel-europarl-v7.tgz"},
        {&dg_file_un, "training-parallel-un.tgz"},
        {&dg_file_rapid2016, "rapid2016.tgz"},
        {&dg_file_wmt17_dev, "dev.tgz"},
    };
    struct t2_err err = T2_ERR_INIT;
    char *name = NULL;

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(dg_source_name(cases[i].file, &name, &err), T2_OK);
        assert_string_equal(name, cases[i].name);
        free(name);
    }
}

T_MAIN(cmocka_unit_test(test_names))
