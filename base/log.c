/*
 * base/log.c - messages to stderr.
 */
#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/shown.h"

static const char *const level_names[] = {"error", "warning", "info", "debug"};

enum { LEVEL_UNSET = -1, N_LEVELS = 4, LINE_BYTES = 2048 };

static const char *_Atomic tool_name;
static _Atomic int current_level = LEVEL_UNSET;
static _Atomic int this_rank = -1; /* -1: there is only one process */
static _Atomic bool status_shown;  /* the cursor stands behind a status line */

/* One line, one write(2): lines of several threads and processes do not mix. */
static void write_all(const char *s, size_t n)
{
    while (n > 0) {
        ssize_t k = write(STDERR_FILENO, s, n);

        if (k < 0) {
            if (errno == EINTR)
                continue;
            return; /* stderr itself is gone */
        }
        s += k;
        n -= (size_t) k;
    }
}

static void write_line(const char *label, const char *format, va_list args) T2_PRINTF(2, 0);
static void write_line(const char *label, const char *format, va_list args)
{
    char line[LINE_BYTES], text[LINE_BYTES];
    const char *tool = t2_log_tool();
    int rank = atomic_load(&this_rank);
    size_t n = 0;
    int k;

    /* "\r\033[K": to the start of the line and clear it, when a progress line is there */
    if (atomic_exchange(&status_shown, false))
        n += (size_t) snprintf(line, sizeof line, "\r\033[K");
    if (rank >= 0)
        n += (size_t) snprintf(line + n, sizeof line - n, "[rank %d] ", rank);
    n += (size_t) snprintf(line + n, sizeof line - n, "%.64s: %s", tool, label);
    k = vsnprintf(text, sizeof text, format, args);
    if (k > 0)
        n += t2_show(line + n, sizeof line - n - 1, text,
                     (size_t) k < sizeof text ? (size_t) k : sizeof text - 1);
    line[n++] = '\n';
    write_all(line, n);
}

bool t2_log_parse_level(const char *name, enum t2_log_level *level)
{
    for (int i = 0; i < N_LEVELS; i++) {
        if (strcmp(name, level_names[i]) == 0) {
            *level = (enum t2_log_level) i;
            return true;
        }
    }
    return false;
}

/*
 * The level is taken from T2_LOG at the first call; the exchange lets only one thread warn about
 * it.
 */
static int level_now(void)
{
    int level = atomic_load_explicit(&current_level, memory_order_relaxed);
    int unset = LEVEL_UNSET;
    enum t2_log_level from_env = T2_LOG_INFO;
    const char *env;
    bool known;

    if (level != LEVEL_UNSET)
        return level;
    env = getenv("T2_LOG");
    known = !env || *env == '\0' || t2_log_parse_level(env, &from_env);
    if (atomic_compare_exchange_strong(&current_level, &unset, (int) from_env) && !known)
        t2_warn("T2_LOG='%s' is not error, warning, info or debug; using info", env);
    return atomic_load(&current_level);
}

void t2_log_init(const char *tool)
{
    atomic_store(&tool_name, tool);
    (void) level_now();
}

const char *t2_log_tool(void)
{
    const char *tool = atomic_load(&tool_name);

    return tool ? tool : "t2t";
}

void t2_log_set_level(enum t2_log_level level)
{
    atomic_store(&current_level, (int) level);
}

void t2_log_set_rank(int rank, int n_ranks)
{
    atomic_store(&this_rank, n_ranks > 1 ? rank : -1);
}

bool t2_log_enabled(enum t2_log_level level)
{
    return (int) level <= level_now();
}

void t2_log(enum t2_log_level level, const char *format, ...)
{
    static const char *const labels[] = {"error: ", "warning: ", "", "debug: "};
    va_list args;

    if (!t2_log_enabled(level))
        return;
    va_start(args, format);
    write_line(labels[level], format, args);
    va_end(args);
}

void t2_log_status_line(const char *text)
{
    char line[LINE_BYTES];
    size_t n;

    if (*text == '\0' && !atomic_load(&status_shown))
        return;
    n = (size_t) snprintf(line, sizeof line, "\r\033[K");
    n += t2_show(line + n, sizeof line - n, text, strlen(text));
    atomic_store(&status_shown, *text != '\0');
    write_all(line, n);
}

static void print_error(const char *format, ...) T2_PRINTF(1, 2);
static void print_error(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    write_line("error: ", format, args);
    va_end(args);
}

int t2_report(const struct t2_err *err)
{
    print_error("%s", err->message[0] ? err->message : t2_status_name(err->status));
    if (err->status == T2_EUSAGE)
        return 2;
    return err->status == T2_EINTERRUPTED ? 130 : 1;
}
