/*
 * train/ckpt/removal.c - see the header.
 */
#include "train/ckpt/removal.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"
#include "train/ckpt/checkpoint.h"
#include "train/ckpt/checkpoint_state.h"

static enum t2_status remove_kind(const char *output_dir, const char *kind, int64_t step,
                                  struct t2_err *err)
{
    char *path = ckpt_path(output_dir, kind, step);
    enum t2_status st = t2_remove(path, err);

    t2_free(path);
    return st;
}

static enum t2_status remove_checkpoint(const char *output_dir, int64_t step, struct t2_err *err)
{
    T2_TRY(remove_kind(output_dir, "state", step, err));
    T2_TRY(remove_kind(output_dir, "optimizer", step, err));
    return remove_kind(output_dir, "model", step, err);
}

enum t2_status ckpt_remove_old(const char *output_dir, int64_t step, int keep, struct t2_err *err)
{
    int64_t *steps = NULL;
    size_t n = 0, n_old = 0;
    enum t2_status st;

    T2_TRY(ckpt_list_own(output_dir, &steps, &n, err));
    while (n_old < n && steps[n_old] <= step)
        n_old++;
    st = T2_OK;
    for (size_t i = 0; i + (size_t) keep < n_old && st == T2_OK; i++) {
        bool stays = false;

        st = ckpt_is_protected(output_dir, steps[i], &stays, err);
        if (st == T2_OK && !stays)
            st = remove_checkpoint(output_dir, steps[i], err);
    }
    t2_free(steps);
    return st;
}

/* A file of a checkpoint, by its name: temporary files go, and model and optimizer files whose step
 * has no state. */
static enum t2_status remove_if_unfinished(const char *output_dir, const char *name, int64_t *n,
                                           struct t2_err *err)
{
    static const char *const kinds[] = {"model", "optimizer", "state"};
    bool is_temporary = t2_ends_with(name, ".incomplete");
    char *final = t2_strndup(name, strlen(name) - (is_temporary ? strlen(".incomplete") : 0));
    enum t2_status st = T2_OK;

    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && st == T2_OK; k++) {
        int64_t step = ckpt_step_of_name(final, kinds[k]);
        char *path = step >= 0 ? ckpt_path(output_dir, kinds[k], step) : NULL;
        char *state = step >= 0 ? ckpt_path(output_dir, "state", step) : NULL;

        if (path && is_temporary) {
            *n += t2_out_remove_leftover(path);
        } else if (path && !t2_exists(state)) {
            st = t2_remove(path, err);
            *n += 1;
        }
        t2_free(path);
        t2_free(state);
    }
    t2_free(final);
    return st;
}

enum t2_status ckpt_remove_unfinished(const char *output_dir, int64_t *n, struct t2_err *err)
{
    struct t2_strs names = {0};
    enum t2_status st = T2_OK;

    *n = 0;
    T2_TRY(t2_list_dir(output_dir, &names, err));
    for (size_t i = 0; i < names.n && st == T2_OK; i++)
        st = remove_if_unfinished(output_dir, names.items[i], n, err);
    t2_strs_release(&names);
    return st;
}

enum t2_status ckpt_begin_files(const char *output_dir, int64_t step, struct t2_err *err)
{
    T2_TRY(t2_make_dirs(output_dir, err));
    return remove_kind(output_dir, "state", step, err);
}
