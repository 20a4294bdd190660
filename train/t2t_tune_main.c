/*
 * train/t2t_tune_main.c - t2t-tune: look at a study that t2t-trainer began, work on it, stop and
 * continue its trials.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/flags.h"
#include "base/log.h"
#include "base/run_tool.h"
#include "base/shown.h"
#include "base/subcommands.h"
#include "train/tune/study_report.h"
#include "train/tune/study_worker.h"

static bool as_json;
static const char *html, *trainer;
static int64_t n_shown = 20, parallel = 1;
static uint64_t max_memory;

/* ---- opening ---- */

/* Flags, and the folder of the study with what stands behind it. */
static enum t2_status parse(const struct t2_tool *tool, int argc, char **argv, size_t most,
                            struct t2_strs *rest, struct t2_err *err)
{
    T2_TRY(t2_flags_parse(tool, argc, argv, rest, err));
    if (rest->n == 0)
        return t2_fail(err, T2_EUSAGE, "which study? %s", tool->usage);
    if (rest->n > most)
        return t2_fail(err, T2_EUSAGE, "unexpected argument '%s'", rest->items[most]);
    return T2_OK;
}

static enum t2_status check_study(const struct tune_log *log, const struct tune_trials *t,
                                  struct t2_err *err)
{
    if (t->has_study)
        return T2_OK;
    return t2_fail(err, T2_EFORMAT, "'%s' has no study yet: it was cut short; begin it again",
                   log->path);
}

/* A study as it is at this moment. */
static enum t2_status look(const char *dir, struct tune_log *log, struct tune_trials *t,
                           struct t2_err *err)
{
    char *path = t2_path_expand(dir);
    enum t2_status st = tune_log_open_to_read(path, log, err);

    *t = (struct tune_trials){0};
    t2_free(path);
    T2_TRY(st);
    T2_TRY(tune_trials_read(t, log, err));
    return check_study(log, t, err);
}

static enum t2_status print(const struct t2_buf *text, struct t2_err *err)
{
    t2_show_stdout(t2_buf_slice(text));
    return t2_flush_stdout(err);
}

/* ---- report, status ---- */

static const struct t2_flag report_rows[] = {
    {"json", T2_FLAG_BOOL, &as_json, NULL, "One JSON object.", NULL},
    {"html", T2_FLAG_STRING, &html, "FILE",
     "Write a page that shows it, with all it needs in it, for a browser.", NULL},
    {"n", T2_FLAG_INT, &n_shown, "N", "How many trials the table has.", NULL},
};
static const struct t2_tool report_tool = {
    .name = "t2t-tune report",
    .usage = "[flags] DIR",
    .summary = "Says what a study has found: its trials from the best on, which hparams matter, "
               "and the best one's command line.  Also while it runs.",
    .examples = "t2t-tune report search\n"
                "t2t-tune report --html=search.html search",
    .flags = report_rows,
    .n_flags = sizeof report_rows / sizeof *report_rows,
};

static enum t2_status write_page(const struct tune_trials *t, const struct tune_log *log,
                                 struct t2_err *err)
{
    struct t2_buf page = {0};
    enum t2_status st = tune_report_page(t, log, &page, err);

    if (st == T2_OK)
        st = t2_write_file(html, page.data, page.len_bytes, err);
    t2_buf_release(&page);
    return st;
}

static enum t2_status print_report(const struct tune_trials *t, const struct tune_log *log,
                                   struct t2_err *err)
{
    struct t2_buf text = {0};
    enum t2_status st = T2_OK;

    if (as_json) {
        st = tune_report_json(t, log, &text, err);
        t2_buf_push(&text, '\n');
    } else {
        tune_report_text(t, log, n_shown, &text);
    }
    if (st == T2_OK)
        st = print(&text, err);
    t2_buf_release(&text);
    return st;
}

static enum t2_status run_report(int argc, char **argv, struct t2_err *err)
{
    struct t2_strs rest = {0};
    struct tune_trials t = {0};
    struct tune_log log = {.fd = -1, .lock_fd = -1};
    enum t2_status st;

    T2_GOTO(st, out, parse(&report_tool, argc, argv, 1, &rest, err));
    T2_GOTO(st, out, look(rest.items[0], &log, &t, err));
    if (html)
        T2_GOTO(st, out, write_page(&t, &log, err));
    if (!html || as_json)
        st = print_report(&t, &log, err);
out:
    tune_trials_release(&t);
    tune_log_close(&log);
    t2_strs_release(&rest);
    return st;
}

static const struct t2_tool status_tool = {
    .name = "t2t-tune status",
    .usage = "DIR",
    .summary = "Says how many trials have ended, who works on which, and what failed.",
    .examples = "t2t-tune status search\n"
                "watch t2t-tune status search",
};

static enum t2_status run_status(int argc, char **argv, struct t2_err *err)
{
    struct t2_strs rest = {0};
    struct t2_buf text = {0};
    struct tune_trials t = {0};
    struct tune_log log = {.fd = -1, .lock_fd = -1};
    enum t2_status st;

    T2_GOTO(st, out, parse(&status_tool, argc, argv, 1, &rest, err));
    T2_GOTO(st, out, look(rest.items[0], &log, &t, err));
    tune_report_status(&t, &log, &text);
    st = print(&text, err);
out:
    t2_buf_release(&text);
    tune_trials_release(&t);
    tune_log_close(&log);
    t2_strs_release(&rest);
    return st;
}

/* ---- worker ---- */

static const struct t2_flag worker_rows[] = {
    {"parallel", T2_FLAG_INT, &parallel, "N", "Trials at once.", NULL},
    {"max_memory", T2_FLAG_SIZE, &max_memory, "SIZE",
     "Of each trial; its share of what is available when not given.", NULL},
    {"trainer", T2_FLAG_STRING, &trainer, "FILE",
     "Program that trains a trial; the t2t-trainer beside this program when not given.", NULL},
};
static const struct t2_tool worker_tool = {
    .name = "t2t-tune worker",
    .usage = "[flags] DIR",
    .summary = "Works on a study until nothing is left to do.  Any number of workers, on machines "
               "that share the folder, share its trials; --num_threads is of each trial.",
    .examples = "srun t2t-tune worker /shared/search\n"
                "mpirun -n 8 t2t-tune worker /shared/search",
    .flags = worker_rows,
    .n_flags = sizeof worker_rows / sizeof *worker_rows,
};

/* t2t-trainer in the folder of this program, else the one in PATH.  Owned by the caller. */
static char *find_trainer(void)
{
    char *self = realpath(trainer && strchr(trainer, '/') ? trainer : "/proc/self/exe", NULL);
    char *path, *dir;

    if (trainer) {
        path = t2_strdup(self && strchr(trainer, '/') ? self : trainer);
        free(self);
        return path;
    }
    dir = t2_path_dir(self ? self : "");
    path = t2_path_join(dir, "t2t-trainer");
    t2_free(dir);
    free(self);
    if (access(path, X_OK) == 0)
        return path;
    t2_free(path);
    return t2_strdup("t2t-trainer");
}

static enum t2_status open_to_work(const char *dir, struct tune_log *log, struct tune_trials *t,
                                   struct t2_err *err)
{
    char *path = t2_path_expand(dir);
    enum t2_status st = tune_log_open(path, false, log, err);

    t2_free(path);
    T2_TRY(st);
    T2_TRY(tune_log_lock(log, err));
    st = tune_trials_read(t, log, err);
    tune_log_unlock(log);
    return st == T2_OK ? check_study(log, t, err) : st;
}

static enum t2_status run_worker(int argc, char **argv, struct t2_err *err)
{
    enum { MOST_PARALLEL = 4096 };
    struct tune_work_options options = {0};
    struct t2_strs rest = {0};
    struct tune_trials t = {0};
    struct tune_log log = {.fd = -1, .lock_fd = -1};
    char *program = NULL;
    enum t2_status st;

    T2_GOTO(st, out, parse(&worker_tool, argc, argv, 1, &rest, err));
    if (parallel < 1 || parallel > MOST_PARALLEL) {
        st = t2_fail(err, T2_EUSAGE, "--parallel must be between 1 and %d", MOST_PARALLEL);
        goto out;
    }
    T2_GOTO(st, out, open_to_work(rest.items[0], &log, &t, err));
    program = find_trainer();
    options = (struct tune_work_options){.trainer = program,
                                         .parallel = (int) parallel,
                                         .num_threads = t2_flags_num_threads(),
                                         .max_memory = max_memory};
    st = tune_work(&log, &t, &options, err);
out:
    t2_free(program);
    tune_trials_release(&t);
    tune_log_close(&log);
    t2_strs_release(&rest);
    return st;
}

/* ---- stop, continue ---- */

static const struct t2_tool stop_tool = {
    .name = "t2t-tune stop",
    .usage = "DIR TRIAL...",
    .summary = "Stops trials: their processes save and end, and no worker takes them again until "
               "`t2t-tune continue`.  The others go on.",
    .examples = "t2t-tune stop search 3\n"
                "t2t-tune stop search 3 4 5",
};
static const struct t2_tool continue_tool = {
    .name = "t2t-tune continue",
    .usage = "DIR TRIAL...",
    .summary = "Lets workers go on with trials that were stopped, and try again those that failed, "
               "from their last checkpoint.  A study that has ended needs a worker again.",
    .examples = "t2t-tune continue search 3\n"
                "t2t-tune continue search 3 && t2t-tune worker search",
};

/* Adds a line for each trial in words[1..]. */
static enum t2_status say_trials(struct tune_log *log, const struct tune_trials *t,
                                 const struct t2_strs *words,
                                 void (*say)(struct tune_log *log, int64_t trial),
                                 struct t2_err *err)
{
    for (size_t i = 1; i < words->n; i++) {
        int64_t trial;

        if (!t2_parse_i64(words->items[i], &trial) || trial < 0 || trial >= t->n)
            return t2_fail(err, T2_EUSAGE,
                           "'%s' is no trial that was begun; there are %" PRId64 ", from 0",
                           words->items[i], t->n);
        say(log, trial);
    }
    return T2_OK;
}

static enum t2_status change(const struct t2_tool *tool, int argc, char **argv,
                             void (*say)(struct tune_log *log, int64_t trial), struct t2_err *err)
{
    struct t2_strs rest = {0};
    struct tune_trials t = {0};
    struct tune_log log = {.fd = -1, .lock_fd = -1};
    enum t2_status st;

    T2_GOTO(st, out, parse(tool, argc, argv, SIZE_MAX, &rest, err));
    if (rest.n < 2) {
        st = t2_fail(err, T2_EUSAGE, "which trials? %s", tool->usage);
        goto out;
    }
    T2_GOTO(st, out, open_to_work(rest.items[0], &log, &t, err));
    T2_GOTO(st, out, tune_log_lock(&log, err));
    st = tune_trials_read(&t, &log, err);
    if (st == T2_OK)
        st = say_trials(&log, &t, &rest, say, err);
    if (st == T2_OK)
        st = tune_log_flush(&log, true, err);
    tune_log_unlock(&log);
out:
    tune_trials_release(&t);
    tune_log_close(&log);
    t2_strs_release(&rest);
    return st;
}

static enum t2_status run_stop(int argc, char **argv, struct t2_err *err)
{
    return change(&stop_tool, argc, argv, tune_say_stop, err);
}

static enum t2_status run_continue(int argc, char **argv, struct t2_err *err)
{
    return change(&continue_tool, argc, argv, tune_say_continue, err);
}

/* ---- main ---- */

static const struct t2_command report = {"report", "What was found: a table, JSON, a page.",
                                         run_report};
static const struct t2_command status = {"status", "Which trials have ended, run, failed.",
                                         run_status};
static const struct t2_command worker = {"worker", "Works on a study, beside other workers.",
                                         run_worker};
static const struct t2_command stop = {"stop", "Stops trials, which save.", run_stop};
static const struct t2_command go_on = {"continue", "Goes on with stopped and failed trials.",
                                        run_continue};

static const struct t2_listed_command commands[] = {
    {"look at a study", NULL}, {NULL, &report}, {NULL, &status}, {"work on it", NULL},
    {NULL, &worker},           {NULL, &stop},   {NULL, &go_on},  {NULL, NULL},
};

static const struct t2_command_tool tool = {
    .name = "t2t-tune",
    .summary = "Searches for hyperparameters that t2t-trainer --hparams_range began.",
    .usage = "[flags] DIR",
    .notes = "DIR is the --output_dir of the search: study.jsonl says what it is and what\n"
             "happened, and each folder in trials/ is an ordinary run.\n",
    .examples = "  t2t-tune report search\n"
                "  mpirun -n 8 t2t-tune worker search\n",
    .commands = commands,
};

int main(int argc, char **argv)
{
    return t2_commands_main(&tool, argc, argv);
}
