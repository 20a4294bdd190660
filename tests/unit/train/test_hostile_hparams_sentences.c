/*
 * tests/unit/train/test_hostile_hparams_sentences.c - hostile values of hparams: models of pairs of
 * sentences.
 */
#include "tests/unit/train/hostile_values.h"

static void test_hostile_values(void **state)
{
    (void) state;
    check_hostile_values(SENTENCES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hostile_values)};

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
