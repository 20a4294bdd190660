/*
 * datagen/problem_files/builtin_files.c - the problem files that are part of the program.
 */
#include "datagen/problem_files/builtin_files.h"

#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/str.h"
#include "datagen/problem_files/builtin_texts.h"
#include "datagen/problem_files/problem_set.h"

#define FILE_OF(name)                                                                              \
    {                                                                                              \
        "datagen/problems/" #name ".yaml", dg_text_##name, &dg_text_##name##_bytes                 \
    }
static const struct {
    const char *path;
    const char *text;
    const size_t *len_bytes;
} files[DG_N_BUILTIN_FILES] = {
    [DG_FILE_MIXTURES] = FILE_OF(mixtures),           [DG_FILE_PAIRS] = FILE_OF(pairs),
    [DG_FILE_TRANSLATE] = FILE_OF(translate),         [DG_FILE_UNMADE_TEXT] = FILE_OF(unmade_text),
    [DG_FILE_UNMADE_OTHERS] = FILE_OF(unmade_others),
};

/* Kept until the process ends. */
static struct dg_problem_set *sets[DG_N_BUILTIN_FILES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* They are as the tests saw them: what is wrong in one is wrong in the program. */
static const struct dg_problem_set *read_file(enum dg_builtin_file file)
{
    struct t2_err err = T2_ERR_INIT;
    struct dg_problem_set *set;

    pthread_mutex_lock(&lock);
    if (!sets[file] && dg_problem_set_parse(files[file].text, *files[file].len_bytes,
                                            files[file].path, &sets[file], &err) != T2_OK)
        t2_log(T2_LOG_ERROR, "%s", err.message);
    set = sets[file];
    pthread_mutex_unlock(&lock);
    T2_ASSERT(set);
    return set;
}

const struct dg_family *dg_builtin_family(enum dg_builtin_file file, size_t i)
{
    return dg_problem_set_family(read_file(file), i);
}

static bool has(const char *text, size_t len_bytes, const char *part)
{
    return memmem(text, len_bytes, part, strlen(part)) != NULL;
}

/*
 * Can the text describe such a problem?  It says "- name: x" in a line, or, in a file with
 * `names`, the begin of the name up to its first '_' at least, behind which braces may be.  Reading
 * a file costs a thousand times this look.
 */
static bool may_have(const char *text, size_t len_bytes, const char *name)
{
    char *line = t2_asprintf("\n- name: %s\n", name);
    char *begin = t2_strndup(name, strcspn(name, "_"));
    bool may = has(text, len_bytes, line) ||
               (*begin && has(text, len_bytes, "\n- names:") && has(text, len_bytes, begin));

    t2_free(begin);
    t2_free(line);
    return may;
}

const struct dg_problem *dg_builtin_find(const char *name)
{
    for (int file = 0; file < DG_N_BUILTIN_FILES; file++) {
        const struct dg_problem_set *set;

        if (!may_have(files[file].text, *files[file].len_bytes, name))
            continue;
        set = read_file((enum dg_builtin_file) file);
        for (size_t i = 0; i < dg_problem_set_count(set); i++) {
            if (strcmp(dg_problem_set_at(set, i)->name, name) == 0)
                return dg_problem_set_at(set, i);
        }
    }
    return NULL;
}

const struct dg_family *dg_builtin_family_of(const struct dg_problem *p)
{
    const struct dg_family *f = NULL, *found = NULL;

    pthread_mutex_lock(&lock);
    for (int file = 0; file < DG_N_BUILTIN_FILES; file++) {
        for (size_t i = 0; sets[file] && (f = dg_problem_set_family(sets[file], i)) != NULL; i++) {
            if (p >= f->problems && p < f->problems + f->n)
                found = f;
        }
    }
    pthread_mutex_unlock(&lock);
    return found;
}

size_t dg_builtin_files_read(void)
{
    size_t n = 0;

    pthread_mutex_lock(&lock);
    for (int file = 0; file < DG_N_BUILTIN_FILES; file++)
        n += sets[file] != NULL;
    pthread_mutex_unlock(&lock);
    return n;
}
