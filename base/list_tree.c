/*
 * base/list_tree.c - the files below a folder.
 */
#include "base/list_tree.h"
#include "base/io.h"

#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"

enum { MAX_DEPTH = 64 };

/* The folders from the top down to the present one, by device and inode: a link back to one of them
 * is a cycle. */
struct way {
    dev_t dev;
    ino_t ino;
};

static enum t2_status walk(const char *dir, const char *below, struct way *way, int depth,
                           struct t2_strs *paths, struct t2_err *err)
{
    char *folder = *below ? t2_path_join(dir, below) : t2_strdup(dir);
    struct t2_strs names = {NULL, 0, 0};
    struct stat s;
    enum t2_status st = t2_list_dir(folder, &names, err);

    if (st == T2_OK && (depth == MAX_DEPTH || t2_stat(folder, &s) != 0))
        st = t2_fail(err, T2_EIO, "'%s': folders within folders without end", folder);
    for (int i = 0; st == T2_OK && i < depth; i++)
        if (way[i].dev == s.st_dev && way[i].ino == s.st_ino)
            st = t2_fail(err, T2_EIO, "'%s': a link leads back up; remove it", folder);
    if (st == T2_OK)
        way[depth] = (struct way){s.st_dev, s.st_ino};
    for (size_t i = 0; st == T2_OK && i < names.n; i++) {
        char *path, *full;
        if (names.items[i][0] == '.')
            continue;
        path = *below ? t2_asprintf("%s/%s", below, names.items[i]) : t2_strdup(names.items[i]);
        full = t2_asprintf("%s/%s", folder, names.items[i]);
        if (t2_is_dir(full))
            st = walk(dir, path, way, depth + 1, paths, err);
        else
            t2_strs_push(paths, path);
        t2_free(full);
        t2_free(path);
    }
    t2_strs_release(&names);
    t2_free(folder);
    return st;
}

enum t2_status t2_list_tree(const char *dir, struct t2_strs *paths, struct t2_err *err)
{
    struct way way[MAX_DEPTH + 1];

    return walk(dir, "", way, 0, paths, err);
}
