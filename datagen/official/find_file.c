/*
 * datagen/official/find_file.c - the walk of find_file.
 */
#include "datagen/official/find_file.h"

#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"

/* Folders can contain each other through bind mounts: a bound on the depth. */
enum { DEEPEST = 32 };

static bool is_file(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && !S_ISDIR(info.st_mode);
}

static bool is_own_folder(const char *path)
{
    struct stat info;

    return lstat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* level: 0 for the folder where the search began, 1 for those in it. */
static char *walk(const char *dir, const char *name, int level, int max_depth)
{
    struct t2_strs names = {0};
    struct t2_err ignored = T2_ERR_INIT;
    char *found = t2_path_join(dir, name);

    if (is_file(found))
        return found;
    t2_free(found);
    found = NULL;
    /* a folder of level n has n - 1 separators */
    if (level - 1 > max_depth || level > DEEPEST || t2_list_dir(dir, &names, &ignored) != T2_OK) {
        t2_strs_release(&names);
        return NULL;
    }
    for (size_t i = 0; i < names.n && !found; i++) {
        char *below = t2_path_join(dir, names.items[i]);
        if (is_own_folder(below))
            found = walk(below, name, level + 1, max_depth);
        t2_free(below);
    }
    t2_strs_release(&names);
    return found;
}

enum t2_status dg_find_file(const char *dir, const char *name, int max_depth, char **path,
                            struct t2_err *err)
{
    *path = NULL;
    if (t2_exists(dir) && !t2_is_dir(dir))
        return t2_fail(err, T2_EIO, "'%s' is not a folder", dir);
    *path = walk(dir, name, 0, max_depth);
    return T2_OK;
}
