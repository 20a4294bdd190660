/*
 * datagen/official/find_file.c - the walk of find_file.
 */
#include "datagen/official/find_file.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"

/* Folders can contain each other through bind mounts: a bound on the depth. */
enum { DEEPEST = 32 };

struct search {
    const char *name;
    int max_depth;
    struct t2_err unknown; /* the first place that could not be looked at; T2_OK: none */
};

static void note_unknown(struct search *s, const struct t2_err *why)
{
    if (s->unknown.status == T2_OK)
        s->unknown = *why;
}

/* Whether path is of this kind; what cannot be known is noted, and counts as no. */
static bool is_of_kind(struct search *s, const char *path, bool is_folder)
{
    struct t2_err why = T2_ERR_INIT;
    struct t2_file_info at;
    enum t2_status st = is_folder ? t2_look_at_link(path, &at, &why) : t2_look_at(path, &at, &why);

    if (st != T2_OK)
        note_unknown(s, &why);
    return is_folder ? at.kind == T2_FILE_DIR
                     : at.kind == T2_FILE_REGULAR || at.kind == T2_FILE_OTHER;
}

/* level: 0 for the folder where the search began, 1 for those in it. */
static char *walk(struct search *s, const char *dir, int level)
{
    struct t2_strs names = {0};
    struct t2_err why = T2_ERR_INIT;
    char *found = t2_path_join(dir, s->name);

    if (is_of_kind(s, found, false))
        return found;
    t2_free(found);
    found = NULL;
    /* a folder of level n has n - 1 separators */
    if (level - 1 > s->max_depth || level > DEEPEST)
        return NULL;
    if (t2_list_dir(dir, &names, &why) != T2_OK && why.status != T2_ENOTFOUND)
        note_unknown(s, &why);
    for (size_t i = 0; i < names.n && !found; i++) {
        char *below = t2_path_join(dir, names.items[i]);
        if (is_of_kind(s, below, true))
            found = walk(s, below, level + 1);
        t2_free(below);
    }
    t2_strs_release(&names);
    return found;
}

enum t2_status dg_find_file(const char *dir, const char *name, int max_depth, char **path,
                            struct t2_err *err)
{
    struct search s = {name, max_depth, T2_ERR_INIT};
    struct t2_file_info at;

    *path = NULL;
    T2_TRY(t2_look_at(dir, &at, err));
    if (at.kind == T2_FILE_ABSENT)
        return T2_OK;
    if (at.kind != T2_FILE_DIR)
        return t2_fail(err, T2_EIO, "'%s' is not a folder", dir);
    *path = walk(&s, dir, 0);
    if (*path || s.unknown.status == T2_OK)
        return T2_OK;
    return t2_fail(err, T2_EIO,
                   "'%s' was not found below '%s', where it may be all the same: %s; make it "
                   "readable, or name another folder",
                   name, dir, s.unknown.message);
}
