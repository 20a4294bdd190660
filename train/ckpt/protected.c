/*
 * train/ckpt/protected.c - kept.txt: checkpoints that are not removed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"
#include "train/ckpt/checkpoint.h"

enum { MOST_BYTES = 1 << 20, WORD_BYTES = 32 };

static enum t2_status read_kept(const char *output_dir, char **path, struct t2_buf *text,
                                struct t2_err *err)
{
    *path = t2_path_join(output_dir, "kept.txt");
    return t2_exists(*path) ? t2_read_file(*path, MOST_BYTES, text, err) : T2_OK;
}

/* The next line "<why> <step>", taken off the front; what is none is passed over. */
static bool next_kept(const char **at, char why[WORD_BYTES], int64_t *step)
{
    while (**at != '\0') {
        const char *line = *at;
        size_t n = strcspn(line, "\n");
        bool good = sscanf(line, "%31s %" SCNd64, why, step) == 2;

        *at += n + (line[n] != '\0');
        if (good)
            return true;
    }
    return false;
}

enum t2_status ckpt_is_protected(const char *output_dir, int64_t step, bool *is, struct t2_err *err)
{
    struct t2_buf text = {0};
    char *path, why[WORD_BYTES];
    enum t2_status st = read_kept(output_dir, &path, &text, err);
    const char *at = t2_buf_cstr(&text);
    int64_t one;

    *is = false;
    while (st == T2_OK && next_kept(&at, why, &one))
        *is = *is || one == step;
    t2_buf_release(&text);
    t2_free(path);
    return st;
}

enum t2_status ckpt_protect(const char *output_dir, const char *why, const int64_t *steps, size_t n,
                            bool replace, struct t2_err *err)
{
    struct t2_buf old = {0}, text = {0};
    char *path, word[WORD_BYTES];
    enum t2_status st = read_kept(output_dir, &path, &old, err);
    const char *at = t2_buf_cstr(&old);
    int64_t step;

    while (st == T2_OK && next_kept(&at, word, &step))
        if (!replace || strcmp(word, why) != 0)
            t2_buf_printf(&text, "%s %" PRId64 "\n", word, step);
    for (size_t i = 0; i < n; i++)
        t2_buf_printf(&text, "%s %" PRId64 "\n", why, steps[i]);
    if (st == T2_OK)
        st = t2_write_file(path, text.data, text.len_bytes, err);
    t2_buf_release(&old);
    t2_buf_release(&text);
    t2_free(path);
    return st;
}
