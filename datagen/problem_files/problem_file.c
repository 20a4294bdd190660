/*
 * datagen/problem_files/problem_file.c - problems that a user's YAML files describe.
 */
#include "datagen/problem_files/problem_file.h"

#include "base/alloc.h"
#include "base/file.h"
#include "datagen/plugin.h"
#include "datagen/problem_files/problem_set.h"

enum { MAX_FILE_BYTES = 16 << 20, MAX_FILES = 1024 };

/* They live until the process ends, as registered problems do. */
static struct dg_problem_set *all[MAX_FILES];
static size_t n_all;

static enum t2_status register_set(const struct dg_problem_set *set, const char *path,
                                   struct t2_err *err)
{
    if (dg_problem_set_family(set, 0))
        return t2_fail(err, T2_EFORMAT,
                       "'%s': family groups the program's own problems; leave it out", path);
    for (size_t i = 0; i < dg_problem_set_count(set); i++) {
        if (dg_register(dg_problem_set_at(set, i), err) != T2_OK)
            return t2_wrap(err, "'%s'", path);
    }
    return T2_OK;
}

enum t2_status dg_problem_file_register(const char *path, struct t2_err *err)
{
    struct dg_problem_set *set = NULL;
    struct t2_buf text = {0};
    enum t2_status st;

    if (n_all == MAX_FILES)
        return t2_fail(err, T2_EUSAGE, "'%s': too many problem files", path);
    st = t2_read_file(path, MAX_FILE_BYTES, &text, err);
    if (st == T2_OK)
        st = dg_problem_set_parse(t2_buf_cstr(&text), text.len_bytes, path, &set, err);
    t2_buf_release(&text);
    T2_TRY(st);
    all[n_all++] = set; /* even when not all can be registered: those before are */
    return register_set(set, path, err);
}

enum t2_status dg_usr_dir_register(const char *dir, struct t2_err *err)
{
    struct t2_strs names = {0};
    enum t2_status st = t2_list_dir(dir, &names, err);
    size_t n_found = 0;

    if (st != T2_OK)
        return t2_wrap(err, "--t2t_usr_dir");
    t2_strs_sort(&names);
    for (size_t i = 0; i < names.n && st == T2_OK; i++) {
        char *path = t2_path_join(dir, names.items[i]);
        bool is_set = t2_ends_with(path, ".hparams.yaml"); /* t2t-trainer's, not a problem */
        bool is_yaml = !is_set && (t2_ends_with(path, ".yaml") || t2_ends_with(path, ".yml"));
        bool is_object = t2_ends_with(path, ".so");
        if (is_yaml)
            st = dg_problem_file_register(path, err);
        else if (is_object)
            st = dg_plugin_load(path, err);
        n_found += is_yaml || is_object;
        t2_free(path);
    }
    t2_strs_release(&names);
    if (st == T2_OK && n_found == 0)
        st = t2_fail(err, T2_ENOTFOUND,
                     "--t2t_usr_dir='%s' has no problems: no .yaml and no .so files (T2T's Python "
                     "modules cannot be loaded; docs/problem-files.md)",
                     dir);
    return st;
}
