/*
 * base/match_files.c - the files that a pattern means.  glob(3) would read the folder's name as a
 * pattern too, and orders by locale.
 */
#include "base/match_files.h"

#include <fnmatch.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"

bool t2_is_pattern(const char *s)
{
    return strpbrk(s, "*?[") != NULL;
}

enum t2_status t2_match_files(const char *pattern, struct t2_strs *paths, struct t2_err *err)
{
    struct t2_strs names = {NULL, 0, 0};
    enum t2_status st;
    char *dir;

    dir = t2_path_dir(pattern);
    st = t2_list_dir(dir, &names, err);
    for (size_t i = 0; st == T2_OK && i < names.n; i++) {
        if (t2_ends_with(names.items[i], ".incomplete") ||
            fnmatch(t2_path_base(pattern), names.items[i], FNM_PERIOD) != 0)
            continue;
        char *path =
            strchr(pattern, '/') ? t2_path_join(dir, names.items[i]) : t2_strdup(names.items[i]);
        if (t2_is_dir(path))
            t2_free(path);
        else
            t2_strs_take(paths, path);
    }
    t2_strs_release(&names);
    t2_free(dir);
    return st;
}
