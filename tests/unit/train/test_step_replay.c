/*
 * Tests of train/runs/step_replay.c: a step is the step that the run made, from whichever
 * checkpoint before it.
 */
#include "train/runs/step_replay.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/train/small_run.h"
#include "train/runs/loop.h"

static struct t2_err err;

static void replay(const char *data, const char *dir, int64_t step, struct t2_buf *text)
{
    struct tr_run *r = small_run(data, dir, "", 8, 1);

    r->options.replay_step = step;
    t2_buf_clear(text);
    if (tr_replay(r, text, &err) != T2_OK)
        fail_msg("%s", err.message);
    tr_run_free(r);
}

static void test_same_step(void **state)
{
    const char *data = t_tmp_path("data"), *dir = t_tmp_path("run"), *other = t_tmp_path("other");
    struct t2_buf near = {0}, far = {0};
    struct tr_run *r;

    (void) state;
    small_data(data);
    r = small_run(data, dir, "", 4, 1);
    r->options.train_steps = 8;
    r->options.pause_at_step = 4;
    assert_int_equal(tr_train(r, &err), T2_OK);
    tr_run_free(r);
    replay(data, dir, 7, &near);  /* from the checkpoint of step 4 */
    replay(data, other, 7, &far); /* from step 0 */
    assert_string_equal(t2_buf_cstr(&near), t2_buf_cstr(&far));
    t_assert_contains(t2_buf_cstr(&near), "operator 'attention', forward");
    t_assert_contains(t2_buf_cstr(&near), "all is finite");
    replay(data, other, 6, &far);
    assert_string_not_equal(t2_buf_cstr(&near), t2_buf_cstr(&far));
    setenv("T2_PLANT_NAN", "7:1", 1);
    replay(data, dir, 7, &near);
    unsetenv("T2_PLANT_NAN");
    t_assert_contains(t2_buf_cstr(&near), "the first that is not finite: operator 'layer_norm'");
    t2_buf_release(&near);
    t2_buf_release(&far);
}

T_MAIN(cmocka_unit_test(test_same_step))
