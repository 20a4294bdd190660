/*
 * tokenizer/counts_file.c - writing counts in order, and reading them back.
 *
 *   t2t.c word counts 1
 *   <count> <word>          sorted by the bytes of the words; \\ \n \r \t in words are escaped
 *   ...
 *
 * Sorted files of several machines can be joined by merging, without tables.
 */
#include "tokenizer/counts_file.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/signals.h"
#include "base/text.h"
#include "tokenizer/counts.h"

enum { LOOK_EVERY = 1 << 14 };

#define FIRST_LINE "t2t.c word counts 1"

static void put_escaped(struct t2_buf *line, struct t2_slice word)
{
    for (size_t i = 0; i < word.len_bytes; i++) {
        uint8_t b = word.data[i];
        const char *escape = b == '\\' ? "\\\\" : b == '\n' ? "\\n" : b == '\r' ? "\\r" : "\\t";

        if (b == '\\' || b == '\n' || b == '\r' || b == '\t')
            t2_buf_puts(line, escape);
        else
            t2_buf_push(line, b);
    }
}

enum t2_status tok_counts_save(struct tok_merge *m, const char *path, uint64_t *n_distinct,
                               struct t2_err *err)
{
    struct t2_buf line = {NULL, 0, 0};
    struct t2_out *out = NULL;
    struct t2_progress progress;
    struct t2_slice word;
    enum t2_status st;
    uint64_t n;

    *n_distinct = 0;
    T2_TRY(t2_out_new(path, &out, err));
    t2_progress_start(&progress, "writing counts", "words", 0);
    t2_out_puts(out, FIRST_LINE "\n");
    while ((st = tok_merge_next(m, &word, &n, err)) == T2_OK) {
        t2_buf_clear(&line);
        t2_buf_printf(&line, "%" PRIu64 " ", n);
        put_escaped(&line, word);
        t2_buf_push(&line, '\n');
        t2_out_write(out, line.data, line.len_bytes);
        if (++*n_distinct % LOOK_EVERY == 0)
            t2_progress_update(&progress, *n_distinct);
    }
    t2_progress_end(&progress);
    t2_buf_release(&line);
    if (st == T2_EOF)
        return t2_out_commit(out, err);
    t2_out_abort(out);
    return st;
}

/* false: no line of counts. */
static bool parse_line(struct t2_slice line, struct t2_buf *word, uint64_t *n)
{
    size_t i = 0;

    *n = 0;
    for (; i < line.len_bytes && line.data[i] >= '0' && line.data[i] <= '9'; i++) {
        if (*n > (UINT64_MAX - 9) / 10)
            return false;
        *n = *n * 10 + (uint64_t) (line.data[i] - '0');
    }
    if (i == 0 || i == line.len_bytes || line.data[i++] != ' ' || *n == 0)
        return false;
    t2_buf_clear(word);
    for (; i < line.len_bytes; i++) {
        uint8_t b = line.data[i];
        if (b == '\\') {
            if (++i == line.len_bytes)
                return false;
            b = line.data[i];
            if (b != '\\' && b != 'n' && b != 'r' && b != 't')
                return false;
            b = b == 'n' ? '\n' : b == 'r' ? '\r' : b == 't' ? '\t' : b;
        }
        t2_buf_push(word, b);
    }
    return word->len_bytes > 0;
}

enum t2_status tok_counts_load(const char *path, struct tok_counts *c,
                               enum t2_status (*check)(void *arg, const struct tok_counts *c,
                                                       struct t2_err *err),
                               void *check_arg, struct t2_err *err)
{
    struct t2_buf word = {NULL, 0, 0};
    struct t2_in *in = NULL;
    struct t2_slice line;
    enum t2_status st;
    uint64_t n;

    T2_TRY(t2_in_new(path, &in, err));
    st = t2_in_line(in, &line, err);
    if (st == T2_EOF || (st == T2_OK && !t2_slice_eq(line, t2_slice_of(FIRST_LINE))))
        st = t2_fail(err, T2_EFORMAT,
                     "'%s' holds no word counts: its first line is not '" FIRST_LINE "'", path);
    while (st == T2_OK && (st = t2_in_line(in, &line, err)) == T2_OK) {
        if (!parse_line(line, &word, &n)) {
            st = t2_fail(err, T2_EFORMAT, "'%s': line %" PRIu64 " is not '<count> <word>'", path,
                         t2_in_line_number(in));
            break;
        }
        tok_counts_add(c, word.data, word.len_bytes, n);
        if (t2_in_line_number(in) % LOOK_EVERY == 0) {
            st = t2_check_interrupt(err);
            if (st == T2_OK && check)
                st = check(check_arg, c, err);
        }
    }
    t2_buf_release(&word);
    t2_in_free(in);
    return st == T2_EOF ? T2_OK : st;
}
