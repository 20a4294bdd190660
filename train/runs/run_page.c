/*
 * train/runs/run_page.c - the page of runs: run_page.html with what their folders hold as JSON.
 */
#include "train/runs/run_page.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/flags.h"
#include "base/json.h"
#include "base/json_page.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "base/shown.h"
#include "train/ckpt/checkpoint.h"

extern const char tune_text_run_page[];
extern const size_t tune_text_run_page_bytes;

enum { MOST_TRAIN_LINES = 2000, MOST_FILE_BYTES = 1 << 30 };

/* ---- files of a run; what is missing or damaged is null on the page ---- */

static enum t2_status read_in(const char *dir, const char *name, struct t2_buf *text,
                              struct t2_err *err)
{
    char *path = t2_path_join(dir, name);
    enum t2_status st = t2_read_file(path, MOST_FILE_BYTES, text, err);

    t2_free(path);
    return st;
}

static bool is_json(struct t2_slice text)
{
    struct t2_err ignored = T2_ERR_INIT;
    struct t2_json_doc *doc = NULL;
    bool good =
        t2_json_parse((const char *) text.data, text.len_bytes, "", &doc, &ignored) == T2_OK;

    t2_json_free(doc);
    return good;
}

static void put_file(const char *dir, const char *key, const char *name, struct t2_buf *out)
{
    struct t2_err ignored = T2_ERR_INIT;
    struct t2_buf text = {0};

    t2_buf_printf(out, ",\"%s\":", key);
    if (read_in(dir, name, &text, &ignored) == T2_OK && is_json(t2_buf_slice(&text)))
        t2_buf_append(out, text.data, text.len_bytes);
    else
        t2_buf_puts(out, "null");
    t2_buf_release(&text);
}

static void put_string(const char *key, struct t2_slice text, struct t2_buf *out)
{
    struct t2_json j;

    t2_buf_printf(out, "\"%s\":", key);
    t2_json_init(&j, out, 0);
    t2_json_bytes(&j, text.data, text.len_bytes);
}

static void put_flags(const char *dir, struct t2_buf *out)
{
    struct t2_err ignored = T2_ERR_INIT;
    struct t2_buf text = {0};

    if (read_in(dir, "flags.txt", &text, &ignored) != T2_OK)
        t2_buf_clear(&text);
    t2_buf_push(out, ',');
    put_string("flags", t2_buf_slice(&text), out);
    t2_buf_release(&text);
}

/* The newest checkpoint's description. */
static void put_state(const char *dir, struct t2_buf *out)
{
    struct t2_err ignored = T2_ERR_INIT;
    int64_t *steps = NULL;
    size_t n = 0;
    char name[64] = "";

    if (ckpt_list(dir, &steps, &n, &ignored) == T2_OK && n > 0)
        snprintf(name, sizeof name, "state-%" PRId64 ".json", steps[n - 1]);
    put_file(dir, "state", name, out);
    t2_free(steps);
}

/* ---- metrics.jsonl ---- */

/* The next line without its end; false after the last that has one. */
static bool next_line(struct t2_slice *rest, struct t2_slice *line)
{
    const uint8_t *end = rest->len_bytes > 0 ? memchr(rest->data, '\n', rest->len_bytes) : NULL;

    if (!end)
        return false;
    *line = (struct t2_slice){rest->data, (size_t) (end - rest->data)};
    *rest = (struct t2_slice){end + 1, rest->len_bytes - line->len_bytes - 1};
    return true;
}

static bool is_train(struct t2_slice line)
{
    static const char mark[] = "\"kind\": \"train\"";

    return memmem(line.data, line.len_bytes, mark, sizeof mark - 1) != NULL;
}

/* Of very many report lines every k-th. */
static void put_lines(struct t2_slice text, struct t2_buf *out)
{
    struct t2_slice rest = text, line;
    size_t n_train = 0, every, k = 0;
    bool first = true;

    while (next_line(&rest, &line))
        n_train += is_train(line);
    every = n_train / MOST_TRAIN_LINES + 1;
    t2_buf_puts(out, ",\"lines\":[");
    for (rest = text; next_line(&rest, &line);) {
        if (is_train(line) && k++ % every != 0 && k < n_train)
            continue;
        if (!is_json(line))
            continue;
        if (!first)
            t2_buf_push(out, ',');
        first = false;
        t2_buf_append(out, line.data, line.len_bytes);
    }
    t2_buf_push(out, ']');
}

static enum t2_status put_run(const char *dir, struct t2_buf *out, struct t2_err *err)
{
    struct t2_buf text = {0};
    enum t2_status st = read_in(dir, "metrics.jsonl", &text, err);

    if (st == T2_OK) {
        t2_buf_push(out, '{');
        put_string("dir", t2_slice_of(dir), out);
        put_lines(t2_buf_slice(&text), out);
        put_file(dir, "run", "run.json", out);
        put_file(dir, "hparams", "hparams.json", out);
        put_state(dir, out);
        put_flags(dir, out);
        t2_buf_push(out, '}');
    }
    t2_buf_release(&text);
    return st == T2_ENOTFOUND ? t2_wrap(err, "'%s' is no folder of a run", dir) : st;
}

enum t2_status tr_run_page(const struct t2_strs *dirs, struct t2_buf *html, struct t2_err *err)
{
    struct t2_buf json = {0};
    enum t2_status st = T2_OK;

    t2_buf_push(&json, '[');
    for (size_t i = 0; i < dirs->n && st == T2_OK; i++) {
        char *dir = t2_path_expand(dirs->items[i]);

        if (i > 0)
            t2_buf_push(&json, ',');
        st = put_run(dir, &json, err);
        t2_free(dir);
    }
    t2_buf_push(&json, ']');
    if (st == T2_OK)
        t2_put_json_page((struct t2_slice){(const uint8_t *) tune_text_run_page,
                                           tune_text_run_page_bytes},
                         "@RUNS@", t2_buf_slice(&json), html);
    t2_buf_release(&json);
    return st;
}

/* ---- the command ---- */

static const char *output = "-";

static const struct t2_flag rows[] = {
    {"o", T2_FLAG_STRING, &output, "FILE", "The page to write (- for the standard output).", NULL},
};

static const struct t2_tool tool = {
    .name = "t2t-trainer report",
    .usage = "RUN... -o FILE",
    .summary = "Writes a page about one or several runs side by side, which needs nothing else "
               "to be shown: losses, rate, norms, scores, where time went, memory against the "
               "plan, samples, commands and the identity of the data.",
    .examples = "t2t-trainer report run -o run.html\n"
                "t2t-trainer report run_a run_b -o both.html",
    .flags = rows,
    .n_flags = sizeof rows / sizeof *rows,
};

enum t2_status tr_report_main(int argc, char **argv, struct t2_err *err)
{
    struct t2_strs dirs = {0};
    struct t2_buf html = {0};
    enum t2_status st;

    T2_GOTO(st, out, t2_flags_parse(&tool, argc, argv, &dirs, err));
    if (dirs.n == 0) {
        st = t2_fail(err, T2_EUSAGE, "which run? t2t-trainer report %s", tool.usage);
        goto out;
    }
    T2_GOTO(st, out, tr_run_page(&dirs, &html, err));
    if (strcmp(output, "-") == 0)
        t2_show_stdout(t2_buf_slice(&html));
    else
        st = t2_write_file(output, html.data, html.len_bytes, err);
out:
    t2_buf_release(&html);
    t2_strs_release(&dirs);
    return st;
}
