/*
 * train/decode/decode_typed.c - translations of what a person types, or a pipe brings, line by
 * line.
 */
#include "train/decode/decode_typed.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/log.h"
#include "base/text.h"
#include "train/decode/line_editor.h"

/* Prints "<translation>" TAB "<score>", one line per hypothesis. */
static enum t2_status translate_line(struct dec_translator *t, const struct dec_hparams *hp,
                                     struct t2_slice line, FILE *to, struct t2_err *err)
{
    int32_t n_best = dec_n_best(hp);
    struct dec_hypothesis *h = t2_alloc((size_t) n_best, sizeof *h);
    struct tok_ids ids = {NULL, 0, 0};
    size_t n_cut;
    enum t2_status st;

    T2_GOTO(st, out, dec_encode(t, line, &ids, &n_cut, err));
    if (n_cut > 0)
        t2_warn("the last %zu ids of the line are left out", n_cut);
    if (ids.n > 0)
        T2_GOTO(st, out, dec_translate(t, &ids, 1, h, err));
    for (int32_t k = 0; k < n_best; k++) {
        fwrite(t2_buf_cstr(&h[k].text), 1, h[k].text.len_bytes, to);
        fprintf(to, "\t%.4f\n", h[k].score);
    }
    fflush(to);
out:
    for (int32_t k = 0; k < n_best; k++)
        t2_buf_release(&h[k].text);
    t2_free(h);
    tok_ids_release(&ids);
    return st;
}

/* Lines of a person or of a pipe. */
struct typed {
    struct dec_line_editor *editor; /* NULL: plain lines */
    struct t2_in *in;
    uint64_t n;
};

static enum t2_status next_typed(struct typed *t, struct t2_slice *line, struct t2_err *err)
{
    t->n++;
    if (t->editor)
        return dec_line_editor_next(t->editor, line, err);
    if (isatty(STDIN_FILENO)) {
        fputs("> ", stderr);
        fflush(stderr);
    }
    return t2_in_line(t->in, line, err);
}

enum t2_status dec_decode_typed(struct dec_translator *t, const struct dec_hparams *hp,
                                uint64_t max_line_bytes, FILE *to, struct t2_err *err)
{
    struct typed typed = {.editor = NULL};
    struct t2_slice line;
    enum t2_status st;

    T2_TRY(t2_in_new("-", &typed.in, err));
    t2_in_limit_line(typed.in, max_line_bytes);
    typed.editor = dec_line_editor_new("> ");
    if (isatty(STDIN_FILENO))
        t2_info("type a sentence to translate it, q to end%s",
                typed.editor ? "; cursor keys edit it and bring earlier ones back" : "");
    while ((st = next_typed(&typed, &line, err)) == T2_OK) {
        size_t bad = t2_utf8_invalid_at(line.data, line.len_bytes);

        if (line.len_bytes == 1 && line.data[0] == 'q')
            break;
        if (bad < line.len_bytes)
            t2_warn("line %" PRIu64 ", byte %zu: not UTF-8; skipped", typed.n, bad + 1);
        else if ((st = translate_line(t, hp, line, to, err)) != T2_OK)
            break;
    }
    dec_line_editor_free(typed.editor);
    t2_in_free(typed.in);
    return st == T2_EOF ? T2_OK : st;
}
