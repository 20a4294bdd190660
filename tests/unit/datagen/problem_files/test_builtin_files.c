/*
 * tests/unit/datagen/problem_files/test_builtin_files.c - files of the program are read when they
 * are needed, and each problem is found without the others.
 */
#include "datagen/problem_files/builtin_files.h"

#include <sys/wait.h>
#include <unistd.h>

#include "datagen/problem_registry.h"
#include "tests/support/t.h"

/* In a process of its own, where nothing was read before. */
static void check_read(const char *name, size_t n_read, bool is_there)
{
    int status;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        bool found = dg_find(name) != NULL;
        _exit(found == is_there && dg_builtin_files_read() == n_read ? 0 : 1);
    }
    assert_true(waitpid(child, &status, 0) == child);
    if (status != 0)
        fail_msg("'%s': not as expected", name);
}

static void test_read_when_needed(void **state)
{
    (void) state;
    check_read("algorithmic_identity_binary40", 0, true);
    check_read("translate_ende_wmt_bpe32k", 0, true);
    check_read("my_corpus", 0, false);
    check_read("", 0, false);
    check_read("rte", 1, true);
    check_read("translate_enzh_wmt8k", 1, true);
    check_read("gym_pong_deterministic-v4_random", 1, true);
}

/* Nothing but its name leads to a problem. */
static void test_each_is_found(void **state)
{
    const struct dg_family *f;
    size_t n = 0;

    (void) state;
    for (int file = 0; file < DG_N_BUILTIN_FILES; file++) {
        assert_non_null(dg_builtin_family((enum dg_builtin_file) file, 0));
        for (size_t i = 0; (f = dg_builtin_family((enum dg_builtin_file) file, i)) != NULL; i++) {
            for (size_t k = 0; k < f->n; k++, n++) {
                assert_ptr_equal(dg_builtin_find(f->problems[k].name), &f->problems[k]);
                assert_ptr_equal(dg_builtin_family_of(&f->problems[k]), f);
            }
        }
    }
    assert_int_equal(dg_builtin_files_read(), DG_N_BUILTIN_FILES);
    assert_true(n > 0);
    assert_null(dg_builtin_find("gym_pong"));
}

T_MAIN(cmocka_unit_test(test_read_when_needed), cmocka_unit_test(test_each_is_found))
