/*
 * tfrec/event_inputs.c - event files of run folders.
 */
#include "tfrec/event_inputs.h"

#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"

enum { MAX_DEPTH = 16 };

static void add(struct tfr_inputs *in, struct tfr_input_file file)
{
    in->files = t2_realloc(in->files, in->n + 1, sizeof *in->files);
    in->files[in->n++] = file;
    in->bytes += file.bytes;
}

/* Files of a folder by name, then its folders by name. */
static enum t2_status walk(const char *folder, int depth, struct tfr_inputs *in, struct t2_err *err)
{
    struct t2_strs names = {NULL, 0, 0};
    enum t2_status st = t2_list_dir(folder, &names, err);

    for (int folders = 0; st == T2_OK && folders <= 1; folders++) {
        for (size_t i = 0; st == T2_OK && i < names.n; i++) {
            char *path = t2_path_join(folder, names.items[i]);
            struct stat s;
            if (lstat(path, &s) != 0)
                s.st_mode = 0; /* gone since */
            if (!folders && S_ISLNK(s.st_mode) && stat(path, &s) != 0)
                s.st_mode = 0;
            if (!folders && S_ISREG(s.st_mode) && strstr(names.items[i], "tfevents"))
                add(in, (struct tfr_input_file){.path = t2_strdup(path),
                                                .split = t2_strdup(""),
                                                .n_records = TFR_UNKNOWN_COUNT,
                                                .bytes = (uint64_t) s.st_size});
            else if (folders && S_ISDIR(s.st_mode) && depth < MAX_DEPTH)
                st = walk(path, depth + 1, in, err);
            t2_free(path);
        }
    }
    t2_strs_release(&names);
    return st;
}

static enum t2_status find_one(const char *arg, struct tfr_inputs *in, struct t2_err *err)
{
    struct t2_strs one = {NULL, 0, 0};
    struct tfr_inputs found = {0};
    size_t before = in->n;
    enum t2_status st;

    if (t2_is_dir(arg)) {
        T2_TRY(walk(arg, 0, in, err));
        if (in->n == before)
            return t2_fail(err, T2_ENOTFOUND,
                           "'%s': no file in it or below has 'tfevents' in its name", arg);
        return T2_OK;
    }
    t2_strs_push(&one, arg);
    st = tfr_inputs_find(&one, &found, err);
    for (size_t i = 0; st == T2_OK && i < found.n; i++)
        add(in, found.files[i]);
    if (st == T2_OK) { /* the files have moved */
        t2_free(found.files);
        found = (struct tfr_inputs){0};
    }
    tfr_inputs_release(&found);
    t2_strs_release(&one);
    return st;
}

enum t2_status rec_event_inputs(const struct t2_strs *args, struct tfr_inputs *in,
                                struct t2_err *err)
{
    *in = (struct tfr_inputs){0};
    if (args->n == 0)
        return tfr_inputs_find(args, in, err); /* says what is missing */
    for (size_t i = 0; i < args->n; i++)
        T2_TRY(find_one(args->items[i], in, err));
    return T2_OK;
}
