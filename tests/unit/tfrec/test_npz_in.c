/*
 * tests/unit/tfrec/test_npz_in.c - arrays to records and back; damage at every byte.
 */
#include "tests/unit/tfrec/converting.h"

static const char *const rows = "{\"f\":[0.5],\"pair\":[1,7],\"r\":[1],\"t\":[\"n1\"]}\n"
                                "{\"f\":[1.5],\"pair\":[2,7],\"r\":[1,2],\"t\":[\"n2\"]}\n";

static void test_there_and_back(void **state)
{
    (void) state;
    cv_there_and_back(cv_defaults(), "a.npz", rows);
    cv_there_and_back(cv_defaults(), "b.npz", "{\"raw\":[{\"base64\":\"/wA=\"}]}\n");
}

static void test_npy(void **state)
{
    static const char npy[] =
        "\223NUMPY\1\0\75\0{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }   \n"
        "\1\0\0\0\377\377\377\377";
    const char *path = t_tmp_path("i4.npy"), *out = t_tmp_path("i4.jsonl");

    (void) state;
    t_write_file(path, npy, sizeof npy - 1);
    cv_must(cv_defaults(), path, out);
    t_assert_contains(cv_text(out), "[1]");
    t_assert_contains(cv_text(out), "[-1]");
    assert_true(cv_damage(cv_defaults(), path) > 60);
}

static void test_damage(void **state)
{
    const char *npz = t_tmp_path("d.npz");

    (void) state;
    cv_must(cv_defaults(), cv_put("d.jsonl", "{\"x\":1,\"t\":\"a\"}\n"), npz);
    assert_true(cv_damage(cv_defaults(), npz) > 100);
}

T_MAIN(cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_npy),
       cmocka_unit_test(test_damage))
