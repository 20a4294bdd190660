/*
 * train/t2t_avg_all_main.c - t2t-avg-all: means of consecutive checkpoints of a training run.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/run_tool.h"
#include "base/shown.h"
#include "train/ckpt/average_all.h"
#include "train/ckpt/checkpoint.h"

static struct {
    const char *model_dir, *output_dir;
    int64_t n, min_steps, wait_minutes;
} flags = {.model_dir = "", .output_dir = "avg/", .n = CKPT_KEEP_DEFAULT};

/* clang-format off */
static const struct t2_flag table[] = {
    {"model_dir", T2_FLAG_STRING, &flags.model_dir, "DIR",
     "Folder of a training run (its --output_dir).", NULL},
    {"output_dir", T2_FLAG_STRING, &flags.output_dir, "DIR", "Where the means go.", NULL},
    {"n", T2_FLAG_INT, &flags.n, "N", "Checkpoints in one mean; as many as t2t-trainer keeps when not told otherwise.", NULL},
    {"min_steps", T2_FLAG_INT, &flags.min_steps, "N", "Leave out checkpoints of earlier steps.", NULL},
    {"wait_minutes", T2_FLAG_INT, &flags.wait_minutes, "N",
     "Go on until no new checkpoint has appeared for so long.", NULL},
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "t2t-avg-all",
    .usage = "--model_dir=DIR [flags]",
    .summary =
        "Writes, for every checkpoint from the n-th on, the mean of the last n. The means can "
        "be decoded, not trained on.",
    .examples = "  t2t-avg-all --model_dir=run --output_dir=run/avg --n=5\n"
                "  t2t-avg-all --model_dir=run --output_dir=avg --wait_minutes=60\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

static void written(void *context, int64_t first, int64_t last)
{
    const char *output_dir = context;

    struct t2_buf text = {0};

    t2_buf_printf(&text,
                  "%s/model-%" PRId64 ".safetensors: mean of steps %" PRId64 " to %" PRId64 "\n",
                  output_dir, last, first, last);
    t2_show_stdout(t2_buf_slice(&text));
    t2_buf_release(&text);
    (void) fflush(stdout);
}

static bool same_folder(const char *a, const char *b)
{
    char *x = realpath(a, NULL), *y = realpath(b, NULL);
    bool same = x && y && strcmp(x, y) == 0;

    free(x); /* realpath's own memory */
    free(y);
    return same;
}

static enum t2_status check_flags(const char *model_dir, const char *output_dir, struct t2_err *err)
{
    struct t2_file_info at;

    if (flags.model_dir[0] == '\0')
        return t2_fail(err, T2_EUSAGE, "--model_dir is needed");
    if (flags.n < 1 || flags.n > INT_MAX)
        return t2_fail(err, T2_EUSAGE, "--n=%" PRId64 ": at least 1", flags.n);
    if (flags.min_steps < 0 || flags.wait_minutes < 0)
        return t2_fail(err, T2_EUSAGE, "--min_steps and --wait_minutes must not be negative");
    T2_TRY(t2_look_at(model_dir, &at, err));
    if (at.kind != T2_FILE_DIR)
        return t2_fail(err, T2_ENOTFOUND, "'%s' is no folder", model_dir);
    if (same_folder(model_dir, output_dir))
        return t2_fail(err, T2_EUSAGE,
                       "--output_dir is --model_dir: the means would replace the checkpoints");
    return T2_OK;
}

static enum t2_status run(struct t2_err *err)
{
    struct ckpt_average_all a = {.written = written};
    char *model_dir, *output_dir;
    enum t2_status st;

    model_dir = t2_path_expand(flags.model_dir);
    output_dir = t2_path_expand(flags.output_dir);
    for (size_t n = strlen(output_dir); n > 1 && output_dir[n - 1] == '/'; n--)
        output_dir[n - 1] = '\0';
    st = check_flags(model_dir, output_dir, err);
    if (st == T2_OK) {
        a.model_dir = model_dir;
        a.output_dir = output_dir;
        a.n = (int) flags.n;
        a.min_steps = flags.min_steps;
        a.wait_seconds = 60.0 * (double) flags.wait_minutes;
        a.context = output_dir;
        st = ckpt_average_all(&a, err);
    }
    t2_free(model_dir);
    t2_free(output_dir);
    return st;
}

int main(int argc, char **argv)
{
    return t2_run_tool(&tool, argc, argv, run);
}
