/*
 * Tests of train/ckpt/pieces.c: the parts of several writers are all of a file, each byte once; a
 * draft of any number of writers is the file of one, and a part that is missing or damaged is
 * noticed before anything has its name.
 */
#include "train/ckpt/pieces.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/io.h"
#include "tests/support/t.h"
#include "tests/unit/train/ckpt_run.h"

enum { MOST_WRITERS = 4 };

static struct t2_err err;

/* ---- parts ---- */

static void test_parts_cover_the_file(void **state)
{
    const int64_t columns[] = {0, 4, 5000, 100000};

    (void) state;
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
        struct run r;

        run_new(&r, "adam", columns[c]);
        for (int n = 1; n <= MOST_WRITERS; n++) {
            struct ckpt_pieces p[MOST_WRITERS];
            uint64_t sum = 0, all;

            for (int k = 0; k < n; k++) {
                ckpt_pieces_of_slots(&p[k], &r.params, r.o, (struct opt_share){k, n});
                sum += ckpt_pieces_own_bytes(&p[k]);
            }
            all = ckpt_pieces_file_bytes(&p[0]);
            assert_int_equal(sum, all);
            for (int k = 0; k < n; k++) /* about as much each, cut at pages */
                assert_true(ckpt_pieces_own_bytes(&p[k]) <= all / (uint64_t) n + 2 * 4096);
            for (size_t i = 0; i < p[0].n; i++) {
                int64_t at = 0;

                for (int k = 0; k < n; k++) {
                    if (p[k].own[i].n > 0)
                        assert_int_equal(p[k].own[i].first, at);
                    at += p[k].own[i].n;
                }
                assert_int_equal((uint64_t) at * sizeof(float), p[0].tensors[i].n_bytes);
            }
            for (int k = 0; k < n; k++)
                ckpt_pieces_release(&p[k]);
        }
        run_release(&r);
    }
}

static void test_runs(void **state)
{
    struct ckpt_runs runs = {0};

    (void) state;
    ckpt_runs_add(&runs, 0, 10, "abc", 3);
    ckpt_runs_add(&runs, 0, 13, "def", 3);
    ckpt_runs_add(&runs, 0, 20, "x", 1);
    ckpt_runs_add(&runs, 1, 21, "y", 1);
    assert_int_equal(runs.n, 3);
    assert_int_equal(runs.items[0].n_bytes, 6);
    assert_int_equal(runs.items[0].crc, t2_crc32c(0, "abcdef", 6));
    assert_int_equal(runs.items[1].at, 20);
    assert_int_equal(runs.items[2].file, 1);
    t2_free(runs.items);
}

/* ---- drafts ---- */

struct drafts {
    struct ckpt_draft *of[MOST_WRITERS];
    int n;
    struct ckpt_runs all;
};

static void drafts_begin(struct drafts *d, const char *dir, struct run *r, int n, bool aside)
{
    struct ckpt_place places[CKPT_FILES];
    struct ckpt_state saved = run_state(7);

    *d = (struct drafts){.n = n};
    for (int k = 0; k < n; k++)
        assert_int_equal(ckpt_draft_new(&r->params, r->o, (struct opt_share){k, n}, aside,
                                        &d->of[k], &err),
                         T2_OK);
    if (ckpt_draft_create(d->of[0], dir, &saved, r->hp, &err) != T2_OK)
        fail_msg("%s", err.message);
    ckpt_draft_places(d->of[0], places);
    for (int k = 1; k < n; k++)
        assert_true(ckpt_draft_open(d->of[k], 7, places));
    for (int k = 0; k < n; k++)
        ckpt_draft_copy(d->of[k]);
}

/* The last writer first. */
static void drafts_write(struct drafts *d)
{
    for (int k = d->n - 1; k >= 0; k--) {
        const struct ckpt_runs *runs;

        assert_int_equal(ckpt_draft_write(d->of[k], &err), T2_OK);
        runs = ckpt_draft_runs(d->of[k]);
        d->all.items = t2_realloc(d->all.items, d->all.n + runs->n + 1, sizeof *runs->items);
        if (runs->n > 0)
            memcpy(d->all.items + d->all.n, runs->items, runs->n * sizeof *runs->items);
        d->all.n += runs->n;
    }
}

static void drafts_free(struct drafts *d)
{
    for (int k = 0; k < d->n; k++)
        ckpt_draft_free(d->of[k]);
    t2_free(d->all.items);
}

static void assert_same_file(const char *a, const char *b, const char *name)
{
    char *path[2] = {t2_path_join(a, name), t2_path_join(b, name)}, sha[2][65];
    uint64_t n;

    for (int i = 0; i < 2; i++) {
        if (t2_sha256_file(path[i], sha[i], &n, &err) != T2_OK)
            fail_msg("%s", err.message);
        t2_free(path[i]);
    }
    assert_string_equal(sha[0], sha[1]);
}

static void test_same_files(void **state)
{
    const char *one = t_tmp_path("one");
    struct run r;

    (void) state;
    run_new(&r, "adam", 20000);
    run_fill(&r, 1);
    run_step(&r, 0);
    run_save(&r, one, 7, 2);
    for (int n = 1; n <= MOST_WRITERS; n++) {
        for (int aside = 0; aside < 2; aside++) {
            char name[32];
            const char *dir;
            struct drafts d;

            snprintf(name, sizeof name, "of_%d_%d", n, aside);
            dir = t_tmp_path(name);
            drafts_begin(&d, dir, &r, n, aside != 0);
            assert_steps(dir, "");
            drafts_write(&d);
            assert_steps(dir, "");
            if (ckpt_draft_commit(d.of[0], &d.all, 2, &err) != T2_OK)
                fail_msg("%s", err.message);
            assert_steps(dir, "7");
            assert_same_file(one, dir, "model-7.safetensors");
            assert_same_file(one, dir, "optimizer-7.safetensors");
            assert_same_file(one, dir, "state-7.json");
            drafts_free(&d);
        }
    }
    run_release(&r);
}

static void assert_nothing_there(const char *dir)
{
    struct t2_strs names = {0};

    assert_int_equal(t2_list_dir(dir, &names, &err), T2_OK);
    assert_int_equal(names.n, 0);
    t2_strs_release(&names);
}

/* A byte that another has written over, a file that was cut. */
static void test_damage_is_noticed(void **state)
{
    struct run r;

    (void) state;
    run_new(&r, "adam", 5000);
    run_fill(&r, 1);
    for (int cut = 0; cut < 2; cut++) {
        const char *dir = t_tmp_path(cut ? "cut" : "byte");
        struct ckpt_place places[CKPT_FILES];
        struct drafts d;
        int fd;

        drafts_begin(&d, dir, &r, 3, true);
        drafts_write(&d);
        ckpt_draft_places(d.of[0], places);
        assert_int_equal(t2_io_open(places[1].path, O_WRONLY, 0, &fd), 0);
        if (cut)
            assert_int_equal(ftruncate(fd, (off_t) places[1].data_at + 40000), 0);
        else
            assert_int_equal(t2_io_pwrite(fd, "?", 1, places[1].data_at + 40001, NULL), 0);
        (void) t2_io_close(fd);
        assert_int_equal(ckpt_draft_commit(d.of[0], &d.all, 2, &err), T2_EIO);
        t_assert_contains(err.message, "does not read back as it was written");
        assert_nothing_there(dir);
        drafts_free(&d);
    }
    run_release(&r);
}

/* Another file under the name is not the first writer's. */
static void test_other_disk(void **state)
{
    const char *dir = t_tmp_path("other_disk");
    struct ckpt_place places[CKPT_FILES];
    struct drafts d;
    struct run r;

    (void) state;
    run_new(&r, "adam", 4);
    drafts_begin(&d, dir, &r, 2, false);
    ckpt_draft_places(d.of[0], places);
    places[1].inode++;
    assert_false(ckpt_draft_open(d.of[1], 7, places));
    places[1].inode--;
    assert_true(ckpt_draft_open(d.of[1], 7, places));
    places[0].path[strlen(places[0].path) - 1] = 'x';
    assert_false(ckpt_draft_open(d.of[1], 7, places));
    /* what is given up leaves nothing */
    ckpt_draft_drop(d.of[0]);
    assert_nothing_there(dir);
    drafts_free(&d);
    run_release(&r);
}

T_MAIN(cmocka_unit_test(test_parts_cover_the_file), cmocka_unit_test(test_runs),
       cmocka_unit_test(test_same_files), cmocka_unit_test(test_damage_is_noticed),
       cmocka_unit_test(test_other_disk))
