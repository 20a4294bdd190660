/* Tests of train/ckpt/checkpoint.c: what saving leaves in the folder, whatever happens. */
#include "train/ckpt/checkpoint.h"

#include <sys/stat.h>

#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "tests/support/t.h"
#include "tests/unit/train/ckpt_run.h"
#include "train/ckpt/safetensors.h"

static void test_files(void **state)
{
    const char *dir = t_tmp_path("files/deeper");
    struct t2_err err = T2_ERR_INIT;
    struct t2_strs names = {0};
    struct ckpt_file *f = NULL;
    struct run r;
    char *path;

    (void) state;
    run_new(&r, "adam", 4);
    run_fill(&r, 1);
    run_step(&r, 0);
    run_save(&r, dir, 1, 5);
    assert_int_equal(t2_list_dir(dir, &names, &err), T2_OK);
    assert_int_equal(names.n, 3);
    assert_string_equal(names.items[0], "model-1.safetensors");
    assert_string_equal(names.items[1], "optimizer-1.safetensors");
    assert_string_equal(names.items[2], "state-1.json");
    t2_strs_release(&names);

    path = t2_path_join(dir, "model-1.safetensors");
    assert_int_equal(ckpt_open(path, &f, &err), T2_OK);
    assert_int_equal(ckpt_count(f), 5);
    assert_int_equal(ckpt_find(f, "model/table_1")->dims[0], 2);
    assert_string_equal(ckpt_metadata(f, "format"), "t2t.c");
    assert_string_equal(ckpt_metadata(f, "step"), "1");
    assert_string_equal(ckpt_metadata(f, "problem"), "translate_\"x\"");
    assert_int_equal(strlen(ckpt_metadata(f, "manifest_sha256")), 64);
    t_assert_contains(ckpt_metadata(f, "hparams"), "\"hidden_size\"");
    ckpt_close(f);
    t2_free(path);

    path = t2_path_join(dir, "optimizer-1.safetensors");
    assert_int_equal(ckpt_open(path, &f, &err), T2_OK);
    assert_int_equal(ckpt_count(f), 8);
    assert_non_null(ckpt_find(f, "training/model/kernel/Adam_1"));
    assert_string_equal(ckpt_metadata(f, "optimizer"), "adam");
    assert_string_equal(ckpt_metadata(f, "optimizer_updates"), "1");
    ckpt_close(f);
    t2_free(path);
    run_release(&r);
}

static void test_keeps_the_newest(void **state)
{
    const char *dir = t_tmp_path("keep");
    struct t2_err err = T2_ERR_INIT;
    struct t2_strs names = {0};
    struct run r;

    (void) state;
    run_new(&r, "adam", 4);
    for (int64_t step = 8; step <= 12; step++)
        run_save(&r, dir, step, 3);
    assert_steps(dir, "10 11 12"); /* by number, not by name */
    assert_int_equal(t2_list_dir(dir, &names, &err), T2_OK);
    assert_int_equal(names.n, 9);
    t2_strs_release(&names);
    run_save(&r, dir, 11, 1); /* a newer one is not this call's business */
    assert_steps(dir, "11 12");
    run_save(&r, dir, 13, 0);
    assert_steps(dir, "11 12 13");
    run_release(&r);
}

static void test_without_optimizer(void **state)
{
    const char *dir = t_tmp_path("averaged");
    struct ckpt_state s = run_state(7);
    struct t2_err err = T2_ERR_INIT;
    struct run r;

    (void) state;
    run_new(&r, "sgd", 4);
    assert_int_equal(ckpt_save(dir, &s, r.hp, &r.params, NULL, 5, &err), T2_OK);
    assert_int_equal(ckpt_restore(dir, 7, &r.params, NULL, &err), T2_OK);
    assert_int_equal(ckpt_restore(dir, 7, &r.params, r.o, &err), T2_EFORMAT);
    t_assert_contains(err.message, "holds no optimizer state (averaged?): it cannot be trained on");
    run_release(&r);
}

/* Same run, same bytes. */
static void test_same_bytes(void **state)
{
    char a[65], b[65];
    struct t2_err err = T2_ERR_INIT;
    struct run r;
    uint64_t n;

    (void) state;
    run_new(&r, "adam", 4);
    run_fill(&r, 2);
    run_save(&r, t_tmp_path("same1"), 3, 5);
    run_save(&r, t_tmp_path("same2"), 3, 5);
    assert_int_equal(t2_sha256_file(t_tmp_path("same1/model-3.safetensors"), a, &n, &err), T2_OK);
    assert_int_equal(t2_sha256_file(t_tmp_path("same2/model-3.safetensors"), b, &n, &err), T2_OK);
    assert_string_equal(a, b);
    assert_int_equal(t2_sha256_file(t_tmp_path("same1/state-3.json"), a, &n, &err), T2_OK);
    assert_int_equal(t2_sha256_file(t_tmp_path("same2/state-3.json"), b, &n, &err), T2_OK);
    assert_string_equal(a, b);
    run_release(&r);
}

/* Whatever stands in the way of one of the three files: the older checkpoints stay, the new one
 * does not exist. */
static void test_failures(void **state)
{
    static const char *const blocked[] = {"model-2.safetensors", "optimizer-2.safetensors",
                                          "state-2.json.incomplete"};

    (void) state;
    for (size_t i = 0; i < 3; i++) {
        struct ckpt_state s = run_state(2);
        struct t2_err err = T2_ERR_INIT;
        struct run r;
        char name[64], *path, *inside;

        snprintf(name, sizeof name, "fail%zu", i);
        run_new(&r, "adam", 4);
        run_save(&r, t_tmp_path(name), 1, 1);
        path = t2_path_join(t_tmp_path(name), blocked[i]);
        inside = t2_path_join(path, "x"); /* a folder that is not empty */
        assert_int_equal(mkdir(path, 0777), 0);
        assert_int_equal(mkdir(inside, 0777), 0);
        assert_int_not_equal(ckpt_save(t_tmp_path(name), &s, r.hp, &r.params, r.o, 1, &err), T2_OK);
        t_assert_contains(err.message, "checkpoint of step 2: ");
        assert_steps(t_tmp_path(name), "1");
        assert_int_equal(ckpt_restore(t_tmp_path(name), -1, &r.params, r.o, &err), T2_OK);
        /* and once the way is free, the same call works */
        assert_int_equal(rmdir(inside), 0);
        assert_int_equal(rmdir(path), 0);
        run_save(&r, t_tmp_path(name), 2, 1);
        assert_steps(t_tmp_path(name), "2");
        t2_free(path);
        t2_free(inside);
        run_release(&r);
    }
}

/* What kill -9 leaves: parts without a state, temporary files.  Checkpoints and files of others
 * stay. */
static void test_removes_what_is_unfinished(void **state)
{
    static const char *const left[] = {"model-7.safetensors", "optimizer-7.safetensors",
                                       "model-9.safetensors.incomplete", "state-7.json.incomplete"};
    static const char *const others[] = {"model-07.safetensors", "model-x.safetensors",
                                         "model-7.txt", "notes.incomplete",
                                         "averaged-7.safetensors"};
    struct t2_err err = T2_ERR_INIT;
    const char *dir;
    char *copy;
    struct run r;
    int64_t n;

    (void) state;
    dir = copy = t2_strdup(t_tmp_path("left"));
    run_new(&r, "adam", 4);
    run_save(&r, dir, 3, 5);
    for (size_t i = 0; i < 9; i++) {
        char *path = t2_path_join(dir, i < 4 ? left[i] : others[i - 4]);
        t_write_file(path, "half", 4);
        t2_free(path);
    }
    assert_int_equal(ckpt_remove_unfinished(dir, &n, &err), T2_OK);
    assert_int_equal(n, 4);
    for (size_t i = 0; i < 9; i++) {
        char *path = t2_path_join(dir, i < 4 ? left[i] : others[i - 4]);
        assert_int_equal(t2_exists(path), i >= 4);
        t2_free(path);
    }
    assert_steps(dir, "3");
    assert_int_equal(ckpt_restore(dir, -1, &r.params, r.o, &err), T2_OK);
    run_release(&r);
    t2_free(copy);
}

T_MAIN(cmocka_unit_test(test_removes_what_is_unfinished), cmocka_unit_test(test_files),
       cmocka_unit_test(test_keeps_the_newest), cmocka_unit_test(test_without_optimizer),
       cmocka_unit_test(test_same_bytes), cmocka_unit_test(test_failures))
