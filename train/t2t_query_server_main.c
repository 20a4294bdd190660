/*
 * train/t2t_query_server_main.c - t2t-query-server: asks a server for translations.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/io.h"
#include "base/log.h"
#include "base/run_tool.h"
#include "base/shown.h"
#include "base/text.h"
#include "train/decode/line_editor.h"
#include "train/serve/query.h"

static struct {
    const char *server, *servable_name, *problem, *data_dir, *inputs_once;
    int64_t timeout_secs;
} flags = {.timeout_secs = 10};

/* clang-format off */
static const struct t2_flag table[] = {
    {"server", T2_FLAG_STRING, &flags.server, "HOST:PORT",
     "Where it is: t2t-decoder --serve, or the REST port of TensorFlow Serving; https://HOST:PORT for one behind TLS.", NULL},
    {"servable_name", T2_FLAG_STRING, &flags.servable_name, "NAME", "What it calls the model.", NULL},
    {"problem", T2_FLAG_STRING, &flags.problem, "NAME", "The problem that the model was trained on.", NULL},
    {"data_dir", T2_FLAG_STRING, &flags.data_dir, "DIR", "Folder of its manifest and vocabulary.", NULL},
    {"inputs_once", T2_FLAG_STRING, &flags.inputs_once, "TEXT", "Ask for this text, and stop; else for every line of stdin.", NULL},
    {"timeout_secs", T2_FLAG_INT, &flags.timeout_secs, "N", "The longest wait for an answer.", NULL},
};

static const struct t2_foreign foreign[] = {
    {"t2t_usr_dir", false, NULL, "--data_dir tells what the data are"},
    {"cloud_mlengine_model_name", false, "", "--server is a machine of yours"},
    {"cloud_mlengine_model_version", false, "", "--server is a machine of yours"},
    {NULL, false, NULL, NULL},
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "t2t-query-server",
    .usage = "--server=HOST:PORT --servable_name=NAME --problem=NAME --data_dir=DIR [flags]",
    .summary = "Asks a server for translations of lines, and prints them with their scores.",
    .examples = "  t2t-query-server --server=localhost:8501 --servable_name=transformer \\\n"
                "      --problem=translate_ende_wmt32k --data_dir=data\n"
                "  t2t-query-server --server=localhost:8501 --servable_name=transformer \\\n"
                "      --problem=my_problem --data_dir=data --inputs_once='Good morning.'\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
    .foreign = {foreign},
};

/* In the original's words. */
static enum t2_status ask(struct srv_query *q, const char *text, struct t2_err *err)
{
    struct srv_answer a;
    struct t2_buf out = {0};

    T2_TRY(srv_query_ask(q, text, &a, err));
    t2_buf_printf(&out, "\nInput:\n%s\n\nOutput (%s", text, a.is_list ? "Scores [" : "Score ");
    for (size_t i = 0; i < a.texts.n; i++)
        t2_buf_printf(&out, "%s%.3f", i > 0 ? "," : "", a.scores[i]);
    t2_buf_puts(&out, a.is_list ? "]):\n" : "):\n");
    for (size_t i = 0; i < a.texts.n; i++)
        t2_buf_printf(&out, "%s\n", a.texts.items[i]);
    t2_show_stdout(t2_buf_slice(&out));
    t2_buf_release(&out);
    srv_answer_release(&a);
    return t2_flush_stdout(err);
}

enum { MOST_LINE_BYTES = 1 << 20 };

static enum t2_status next_line(struct t2_in *in, struct dec_line_editor *editor,
                                struct t2_slice *line, struct t2_err *err)
{
    if (editor)
        return dec_line_editor_next(editor, line, err);
    if (isatty(STDIN_FILENO)) {
        fputs(">> ", stderr);
        fflush(stderr);
    }
    return t2_in_line(in, line, err);
}

static enum t2_status ask_lines(struct srv_query *q, struct t2_err *err)
{
    struct dec_line_editor *editor;
    struct t2_in *in = NULL;
    struct t2_slice line;
    enum t2_status st;
    uint64_t n = 0;

    T2_TRY(t2_in_new("-", &in, err));
    t2_in_limit_line(in, MOST_LINE_BYTES);
    editor = dec_line_editor_new(">> ");
    while ((st = next_line(in, editor, &line, err)) == T2_OK) {
        size_t bad = t2_utf8_invalid_at(line.data, line.len_bytes);
        char *text;

        n++;
        if (bad < line.len_bytes) {
            t2_warn("line %" PRIu64 ", byte %zu: not UTF-8; skipped", n, bad + 1);
            continue;
        }
        text = t2_strndup((const char *) line.data, line.len_bytes);
        st = ask(q, text, err);
        t2_free(text);
        if (st != T2_OK)
            break;
    }
    dec_line_editor_free(editor);
    t2_in_free(in);
    return st == T2_EOF ? T2_OK : st;
}

static enum t2_status run(struct t2_err *err)
{
    struct srv_query *q = NULL;
    char *data_dir;
    enum t2_status st;

    if (!flags.server || !flags.servable_name || !flags.problem || !flags.data_dir)
        return t2_fail(err, T2_EUSAGE,
                       "--server, --servable_name, --problem and --data_dir are needed");
    if (flags.timeout_secs < 1 || flags.timeout_secs > INT_MAX)
        return t2_fail(err, T2_EUSAGE, "--timeout_secs=%" PRId64 ": at least 1",
                       flags.timeout_secs);
    data_dir = t2_path_expand(flags.data_dir);
    st = srv_query_new(&(struct srv_query_options){.server = flags.server,
                                                   .servable_name = flags.servable_name,
                                                   .problem = flags.problem,
                                                   .data_dir = data_dir,
                                                   .timeout_s = (int) flags.timeout_secs},
                       &q, err);
    if (st == T2_OK)
        st = flags.inputs_once ? ask(q, flags.inputs_once, err) : ask_lines(q, err);
    srv_query_free(q);
    t2_free(data_dir);
    return st;
}

int main(int argc, char **argv)
{
    return t2_run_tool(&tool, argc, argv, run);
}
