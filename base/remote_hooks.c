/*
 * base/remote_hooks.c - the table of what remote paths are done with.
 */
#include "base/remote_hooks.h"

#include "base/alloc.h"
#include "base/remote_path.h"

const struct t2_remote_hooks *t2_remote;
_Atomic int t2_remote_arriving;

enum t2_status t2_remote_check(const char *path, bool *is_remote, struct t2_err *err)
{
    T2_TRY(t2_check_scheme(path, err));
    *is_remote = t2_is_remote(path);
    return *is_remote && !t2_remote ? t2_refuse_remote(path, err) : T2_OK;
}

char *t2_scratch_path(const char *path)
{
    return t2_remote && t2_is_remote(path) ? t2_remote->scratch(path, T2_SCRATCH_NAME)
                                           : t2_strdup(path);
}

char *t2_scratch_dir(const char *dir)
{
    char *file = t2_path_join(dir, "scratch"), *local = t2_scratch_path(file);
    char *folder = t2_path_dir(local);

    t2_free(local);
    t2_free(file);
    return folder;
}

void t2_remote_unordered(bool is_on)
{
    if (t2_remote)
        t2_remote->unordered(is_on);
}
