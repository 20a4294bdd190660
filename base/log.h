/*
 * base/log.h - messages to stderr: error, warning, info, debug.
 *
 * One write(2) per line, so that lines of several threads and processes do not mix.  Level from
 * T2_LOG or t2_log_set_level.  The library reports failures through t2_err; it logs only
 * what is of interest while a program runs.
 */
#ifndef T2_BASE_LOG_H
#define T2_BASE_LOG_H

#include <stdbool.h>

#include "base/err.h"

enum t2_log_level { T2_LOG_ERROR, T2_LOG_WARNING, T2_LOG_INFO, T2_LOG_DEBUG };

/* tool is put in front of every line ("t2t-datagen: "); borrowed for the life of the process. */
void t2_log_init(const char *tool);
const char *t2_log_tool(void);
void t2_log_set_level(enum t2_log_level level);
/* Puts "[rank N] " in front of every line when n_ranks > 1. */
void t2_log_set_rank(int rank, int n_ranks);
bool t2_log_enabled(enum t2_log_level level);
/* "error", "warning", "info", "debug". */
bool t2_log_parse_level(const char *name, enum t2_log_level *level);

void t2_log(enum t2_log_level level, const char *format, ...) T2_PRINTF(2, 3);
#define t2_info(...) t2_log(T2_LOG_INFO, __VA_ARGS__)
#define t2_warn(...) t2_log(T2_LOG_WARNING, __VA_ARGS__)
#define t2_debug(...) t2_log(T2_LOG_DEBUG, __VA_ARGS__)

/* Draws text over the current line of a terminal, without a line break; "" clears it.  The next log
 * line clears it too.  For progress.c. */
void t2_log_status_line(const char *text);

/* Prints "<tool>: error: <message>" and returns the exit code: 2 for T2_EUSAGE, 130 for
 * T2_EINTERRUPTED, else 1: also for T2_EUNSUPPORTED, in every tool. */
int t2_report(const struct t2_err *err);

#endif
