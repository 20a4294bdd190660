/* Tests of datagen/problems/problem_librispeech.c: which utterances, in which order. */
#include "tests/support/speech_sources.h"

static void put_sets(const char *tmp)
{
    static const char *const sets[] = {"train-clean-100", "train-clean-360", "dev-clean",
                                       "test-clean"};

    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        char *dir = t2_asprintf("LibriSpeech/%s", sets[i]), *name;

        name = t2_asprintf("%s/20/1/20-1.trans.txt", dir);
        pc_put_text(tmp, name, "20-1-0001 LATER\n20-1-0000 FIRST\n");
        t2_free(name);
        name = t2_asprintf("%s/3/9/3-9.trans.txt", dir);
        pc_put_text(tmp, name, "3-9-0000 OTHER SPEAKER\n");
        t2_free(name);
        for (int k = 0; k < 3; k++) {
            name = t2_asprintf("%s/%s", dir,
                               k == 0   ? "20/1/20-1-0000.flac"
                               : k == 1 ? "20/1/20-1-0001.flac"
                                        : "3/9/3-9-0000.flac");
            speech_put(tmp, name, 300 + 100 * k);
            t2_free(name);
        }
        t2_free(dir);
    }
}

static void test_order(void **state)
{
    static const char one_set[] = "20-1-0000\t20\t0\t0|FIRST\n20-1-0001\t20\t0\t0|LATER\n"
                                  "3-9-0000\t3\t0\t0|OTHER SPEAKER\n";
    char *two_sets = t2_asprintf("%s%s", one_set, one_set);

    (void) state;
    put_sets("libri");
    speech_check("librispeech_clean_small", "libri", DG_TRAIN, one_set);
    speech_check("librispeech_clean_small", "libri", DG_TEST, one_set);
    speech_check("librispeech_clean", "libri", DG_TRAIN, two_sets);
    t2_free(two_sets);
}

static void test_missing(void **state)
{
    struct t2_buf text = {NULL, 0, 0};

    (void) state;
    put_sets("lost");
    pc_put_text("lost", "LibriSpeech/dev-clean/3/9/3-9.trans.txt", "3-9-0007 NOT THERE\n");
    speech_samples("librispeech_clean_small", "lost", DG_DEV, &text);
    t_assert_contains(t2_buf_cstr(&text), "3-9-0007.flac', which is not there");
    t2_buf_release(&text);
    assert_non_null(dg_find("librispeech_train_full_test_clean")->refusal);
}

T_MAIN(cmocka_unit_test(test_order), cmocka_unit_test(test_missing))
