/*
 * datagen/source/vocab_lines.c - sampling lines within a budget.
 *
 * The original's generate_lines_for_vocab: after each line taken, skip = bytes / budget / 2 lines
 * are passed over, until `budget` characters are taken; the original's division is in floating
 * point, and characters are code points after cleaning.
 */
#include "datagen/source/vocab_lines.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/text.h"
#include "datagen/source/parallel_line.h"

struct vocab_lines {
    struct dg_stream base;
    struct t2_strs paths;
    size_t next_path;
    uint64_t budget;
    uint64_t max_memory;

    struct t2_in *in; /* NULL: no file is open */
    const char *path;
    uint64_t skip, skipped; /* lines */
    int64_t left;           /* code points */
    uint64_t next_offset;
};

static enum t2_status open_next(struct vocab_lines *s, struct t2_err *err)
{
    uint64_t bytes;

    if (s->next_path == s->paths.n)
        return T2_EOF;
    s->path = s->paths.items[s->next_path++];
    t2_info("Reading file: %s", s->path);
    T2_TRY(t2_text_bytes(s->path, &bytes, err));
    s->skip = (uint64_t) ((double) bytes / (double) s->budget / 2);
    s->skipped = 0;
    s->left = (int64_t) s->budget;
    s->next_offset = 0;
    T2_TRY(t2_in_new(s->path, &s->in, err));
    t2_in_fast(s->in);
    t2_in_limit_line(s->in, s->max_memory);
    return T2_OK;
}

/* Code points of the line as it will be after cleaning: without CR and the blanks at its ends. */
static int64_t length_of(struct t2_slice line)
{
    struct t2_slice s = dg_stripped(line);
    int64_t n = 0;

    for (size_t i = 0; i < s.len_bytes; i++)
        n += (s.data[i] & 0xc0) != 0x80 && s.data[i] != '\r';
    return n;
}

static enum t2_status next_line(struct dg_stream *base, struct dg_sample *sample,
                                struct t2_err *err)
{
    struct vocab_lines *s = (struct vocab_lines *) base;
    struct t2_slice line;
    enum t2_status st;

    for (;;) {
        if (!s->in)
            T2_TRY(open_next(s, err));
        st = t2_in_line(s->in, &line, err);
        if (st != T2_OK && st != T2_EOF)
            return st;
        if (st == T2_EOF || (s->skipped == s->skip && s->left <= 0)) {
            t2_in_free(s->in);
            s->in = NULL;
            continue;
        }
        sample->targets_origin =
            (struct dg_origin){s->path, t2_in_line_number(s->in), s->next_offset};
        s->next_offset += line.len_bytes + 1;
        if (s->skipped < s->skip) {
            s->skipped++;
            continue;
        }
        s->skipped = 0;
        s->left -= length_of(line);
        sample->targets = line;
        sample->inputs_origin = sample->targets_origin;
        return T2_OK;
    }
}

static enum t2_status describe(struct dg_stream *base, struct dg_input_sizes *sizes,
                               struct t2_err *err)
{
    const struct vocab_lines *s = (const struct vocab_lines *) base;

    (void) err;
    for (size_t i = 0; i < s->paths.n; i++)
        t2_buf_printf(&sizes->text, "    vocabulary: '%s' (%" PRIu64 " characters of it)\n",
                      s->paths.items[i], s->budget);
    return T2_OK;
}

static void free_lines(struct dg_stream *base)
{
    struct vocab_lines *s = (struct vocab_lines *) base;

    t2_in_free(s->in);
    t2_strs_release(&s->paths);
    t2_free(s);
}

enum t2_status dg_vocab_lines_new(const struct t2_strs *paths, uint64_t budget, uint64_t max_memory,
                                  struct dg_stream **stream, struct t2_err *err)
{
    struct vocab_lines *s = t2_alloc(1, sizeof *s);

    (void) err;
    T2_ASSERT(budget > 0);
    s->base.next = next_line;
    s->base.free = free_lines;
    s->base.describe = describe;
    s->budget = budget;
    s->max_memory = max_memory;
    for (size_t i = 0; i < paths->n; i++)
        t2_strs_push(&s->paths, paths->items[i]);
    *stream = &s->base;
    return T2_OK;
}
