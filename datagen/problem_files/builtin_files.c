/*
 * datagen/problem_files/builtin_files.c - the problem files that are part of the program.
 */
#include "datagen/problem_files/builtin_files.h"

#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
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

static bool is_of_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/*
 * Can the text name such a problem?  Names are written out up to their first '_' at least, behind
 * which braces may be; reading a file costs a thousand times this look.
 */
static bool may_have(const char *text, size_t len_bytes, const char *name)
{
    size_t len = strcspn(name, "_");
    const char *end = text + len_bytes, *at = text;

    len += name[len] == '_';
    while (len && (at = memmem(at, (size_t) (end - at), name, len)) != NULL) {
        if (at == text || !is_of_word(at[-1]))
            return true;
        at++;
    }
    return false;
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

size_t dg_builtin_files_read(void)
{
    size_t n = 0;

    pthread_mutex_lock(&lock);
    for (int file = 0; file < DG_N_BUILTIN_FILES; file++)
        n += sets[file] != NULL;
    pthread_mutex_unlock(&lock);
    return n;
}
