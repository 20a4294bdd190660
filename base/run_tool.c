/*
 * base/run_tool.c - main() of a tool without commands.
 */
#include "base/run_tool.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mapping.h"
#include "base/remote/remote_file.h"
#include "base/signals.h"

static void say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return; /* no handler is set */
}

/* Called in a signal handler when an input was truncated while it was mapped.  _exit leaves the
 * temporary files of outputs behind, which the next run removes; under their final names they do
 * not exist yet. */
static void end_run(const char *path)
{
    static atomic_flag is_said = ATOMIC_FLAG_INIT;

    while (atomic_flag_test_and_set(&is_said))
        (void) pause(); /* another thread prints the message and ends the process */
    say(t2_log_tool());
    say(": error: '");
    say(path);
    say("' has become shorter while it was read, or its disk cannot be read\n");
    _exit(1);
}

void t2_begin_tool(const char *name)
{
    t2_log_init(name);
    t2_signals_install();
    t2_mapping_on_loss(end_run);
    t2_remote_begin(true);
}

/* What was written to remote paths is sent also where the run has failed: it is what a local disk
 * would have. */
static enum t2_status send_rest(enum t2_status st, struct t2_err *err)
{
    struct t2_err unsent = T2_ERR_INIT;

    if (t2_remote_end(&unsent) == T2_OK)
        return st;
    if (st == T2_OK || st == T2_EOF)
        *err = unsent;
    else
        t2_warn("%s", unsent.message);
    return err->status;
}

int t2_end_tool(enum t2_status st, struct t2_err *err)
{
    st = send_rest(st, err);
    if (st == T2_OK)
        return 0;
    return st == T2_EOF ? 1 : t2_report(err);
}

enum t2_status t2_flush_stdout(struct t2_err *err)
{
    if (fflush(stdout) != 0 || ferror(stdout))
        return t2_fail(err, T2_EIO, "cannot write to stdout");
    return T2_OK;
}

enum t2_status t2_try_tool(const struct t2_tool *tool, int argc, char **argv, t2_tool_work run,
                           struct t2_err *err)
{
    struct t2_strs rest = {NULL, 0, 0};
    enum t2_status st = t2_flags_parse(tool, argc, argv, &rest, err);

    if (st == T2_OK && rest.n > 0)
        st = t2_fail(err, T2_EUSAGE, "unexpected argument '%s'", rest.items[0]);
    t2_strs_release(&rest);
    T2_TRY(st);
    st = run(err);
    if (st == T2_OK || st == T2_EOF)
        T2_TRY(t2_flush_stdout(err));
    return st;
}

int t2_run_tool(const struct t2_tool *tool, int argc, char **argv, t2_tool_work run)
{
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st;

    t2_begin_tool(tool->name);
    st = t2_try_tool(tool, argc, argv, run, &err);
    return t2_end_tool(st, &err);
}
