/*
 * Tests of train/models/chunk_memory.c: for how many rows there is memory.  What is remembered is
 * compared with the original's in test_recorded_memory.c.
 */
#include "tests/support/t.h"
#include "train/models/model.h"

static struct t2_err err;

static struct mdl_hparams *hparams(const char *more)
{
    struct mdl_hparams *hp;

    assert_int_equal(mdl_hparams_new("transformer_wikitext103_l4k_memory_v0", &hp, &err), T2_OK);
    if (mdl_hparams_override(hp, more, &err) != T2_OK)
        fail_msg("%s", err.message);
    return hp;
}

static void test_rows(void **state)
{
    static const struct {
        const char *hparams;
        int32_t rows;
    } cases[] = {{"max_length=16,batch_size=48", 3},
                 {"max_length=16,batch_size=63", 3},
                 {"max_length=0", 0},
                 {"recurrent_memory_batch_size=5", 5}};

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mdl_hparams *hp = hparams(cases[i].hparams);

        assert_int_equal(mdl_memory_rows(hp), cases[i].rows);
        mdl_hparams_free(hp);
    }
}

T_MAIN(cmocka_unit_test(test_rows))
