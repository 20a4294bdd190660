/*
 * tests/unit/train/test_slots.c - names, shapes and first values of slots.
 */
#include "tests/support/op_check.h"
#include "tests/support/t.h"
#include "tests/unit/train/optim_steps.h"
#include "train/optim/method.h"

static void test_slots(void **state)
{
    static const char *const names[] = {"training/a/bias/Adam",     "training/a/kernel/Adam",
                                        "training/b/kernel/Adam",   "training/table_0/Adam",
                                        "training/table_1/Adam",    "training/norm_scale/Adam",
                                        "training/a/bias/Adam_1",   "training/a/kernel/Adam_1",
                                        "training/b/kernel/Adam_1", "training/table_0/Adam_1",
                                        "training/table_1/Adam_1",  "training/norm_scale/Adam_1"};
    struct steps s;

    (void) state;
    steps_new(&s, "optimizer=adam");
    assert_int_equal(opt_slot_count(s.o), 12);
    for (size_t i = 0; i < 12; i++) {
        struct opt_slot slot = opt_slot_at(s.o, i);

        assert_string_equal(slot.name, names[i]);
        assert_int_equal(slot.n, s.params.variables[i % 6].n);
        assert_int_equal(slot.rank, s.params.variables[i % 6].rank);
    }
    assert_int_equal(opt_slot_at(s.o, 3).dims[0], 3);
    assert_int_equal(opt_slot_at(s.o, 4).dims[0], 2);
    steps_release(&s);
}

/* The first values are those asked for, and what no variable owns stands behind the others. */
static void test_added(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    float values[6];
    struct opt_slot last;
    struct steps s;

    (void) state;
    steps_new(&s, "optimizer=sgd");
    assert_int_equal(opt_add_slots(s.o, 0, OPT_SIGNED, 0.25F, &err), T2_OK);
    for (size_t i = 0; i < opt_slot_count(s.o); i++) {
        struct opt_slot slot = opt_slot_at(s.o, i);
        float *x = device_floats(s.dev, slot.values, slot.n);

        for (int64_t k = 0; k < slot.n; k++)
            assert_true(x[k] == 0.25F);
        free(x);
    }
    opt_add_shaped_slot(s.o, "mine", &s.params.variables[0], values);
    last = opt_slot_at(s.o, opt_slot_count(s.o) - 1);
    assert_string_equal(last.name, "mine");
    assert_int_equal(last.rank, s.params.variables[0].rank);
    assert_int_equal(last.n, s.params.variables[0].n);
    assert_ptr_equal(last.values, values + s.params.variables[0].offset);
    opt_add_named_slot(s.o, "flat", 6, 2, values);
    assert_int_equal(opt_slot_at(s.o, opt_slot_count(s.o) - 1).dims[0], 6);
    assert_int_equal(opt_slot_at(s.o, opt_slot_count(s.o) - 1).n_unsigned, 2);
    steps_release(&s);
}

T_MAIN(cmocka_unit_test(test_slots), cmocka_unit_test(test_added))
