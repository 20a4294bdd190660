/*
 * tests/unit/train/test_slice_net_parts.c - which convolutions the hparams of SliceNet's sets ask
 * for; values are compared in tests/oracle/test_recorded_slice_net.c.
 */
#include "train/models/slice_net_parts.h"

#include "tests/unit/train/tiny_model.h"

struct want {
    const char *hparams;
    int n[2];
    struct mdl_slice_unit units[2][MDL_SLICE_UNITS]; /* taps, dilation, separability */
};

/* multi_conv_res of models/slicenet.py, worked out by hand. */
static void test_units(void **state)
{
    static const struct want rows[] = {
        {"", {2, 2}, {{{3, 1, -3}, {7, 1, -2}}, {{15, 1, -3}, {31, 1, -2}}}},
        {"separability=0,dilation_scheme=1.2.4.8,kernel_scheme=3.7.7.7",
         {2, 2},
         {{{3, 1, 0}, {7, 2, 0}}, {{7, 4, 0}, {7, 8, 0}}}},
        {"separability=-1,dilation_scheme=1.1.1.1.1,kernel_scheme=3.7.15.31.63",
         {2, 3},
         {{{3, 1, -2}, {7, 1, -1}}, {{15, 1, -3}, {31, 1, -2}, {63, 1, -1}}}},
        {"dilation_scheme=1.1.1.2,kernel_scheme=3.7.15.31.63", /* as many as the shorter has */
         {2, 2},
         {{{3, 1, -3}, {7, 1, -2}}, {{15, 1, -3}, {31, 2, -2}}}},
        {"kernel_scheme=of my own,kernel_height=5,large_kernel_size=9,separability=4",
         {2, 2},
         {{{5, 1, 4}, {5, 1, 4}}, {{9, 1, 4}, {9, 4, 4}}}},
    };

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mdl_hparams *hp = tiny_hparams_of("slicenet_1", rows[i].hparams);
        struct mdl_slice_block blocks[2];

        mdl_slice_units(hp, blocks);
        for (int k = 0; k < 2; k++) {
            assert_int_equal(blocks[k].n_units, rows[i].n[k]);
            for (int u = 0; u < blocks[k].n_units; u++) {
                const struct mdl_slice_unit *ours = &blocks[k].units[u];
                const struct mdl_slice_unit *want = &rows[i].units[k][u];

                assert_int_equal(ours->taps, want->taps);
                assert_int_equal(ours->dilation, want->dilation);
                assert_int_equal(ours->separability, want->separability);
            }
        }
        mdl_hparams_free(hp);
    }
}

T_MAIN(cmocka_unit_test(test_units))
