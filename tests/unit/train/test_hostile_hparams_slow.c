/*
 * tests/unit/train/test_hostile_hparams_slow.c - hostile values of hparams: every value of every
 * hparam of every model.
 */
#define ONE_CASE_OF 1
#include "tests/unit/train/hostile_values.h"

static void test_hostile_values(void **state)
{
    static const enum family families[] = {IMAGES, TRANSFORMERS, SENTENCES, RECURRENT, OTHER_TEXTS};

    (void) state;
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
        check_hostile_values(families[f]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hostile_values)};

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
