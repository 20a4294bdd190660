/*
 * base/progress.c - one progress line with rate and ETA on stderr.
 */
#include "base/progress.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/flags.h"
#include "base/log.h"
#include "base/str.h"

enum { SILENT = 1, REDRAW = 2, LINES = 3 }; /* struct t2_progress.active */

static const double REDRAW_EVERY_S = 0.2;
static const double LINE_EVERY_S = 5;

static _Atomic int muted; /* the thread; 0: none */

void t2_progress_mute(void)
{
    atomic_store(&muted, gettid());
}

double t2_now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

void t2_progress_start(struct t2_progress *p, const char *what, const char *unit, uint64_t total)
{
    *p = (struct t2_progress){.what = what, .unit = unit, .total = total};
    p->started_s = p->printed_s = t2_now_s();
    if (atomic_load(&muted) == gettid() || t2_flags_quiet() || !t2_log_enabled(T2_LOG_INFO))
        p->active = SILENT;
    else
        p->active = isatty(STDERR_FILENO) ? REDRAW : LINES;
}

void t2_progress_start_live(struct t2_progress *p)
{
    t2_progress_start(p, "", "", 0);
    if (p->active == LINES)
        p->active = SILENT;
    p->printed_s = 0; /* the first is due at once */
}

bool t2_progress_live_due(const struct t2_progress *p)
{
    return p->active == REDRAW && t2_now_s() - p->printed_s >= REDRAW_EVERY_S;
}

void t2_progress_live_draw(struct t2_progress *p, const char *text)
{
    if (p->active != REDRAW)
        return;
    t2_log_status_line(text);
    p->printed_s = t2_now_s();
}

static const char *amount(const struct t2_progress *p, uint64_t n, char *out, size_t out_bytes)
{
    if (strcmp(p->unit, "bytes") == 0)
        return t2_human_bytes(n, out, out_bytes);
    snprintf(out, out_bytes, "%" PRIu64, n);
    return out;
}

static void print(struct t2_progress *p, double now)
{
    char text[256], done[32], total[32], rate[32], eta[32];
    const char *unit = strcmp(p->unit, "bytes") == 0 ? "" : p->unit;
    const char *space = *unit ? " " : "";
    double elapsed = now - p->started_s;
    double per_s = elapsed > 0 ? (double) p->done / elapsed : 0;
    int n;

    n = snprintf(text, sizeof text, "%.60s: %s", p->what, amount(p, p->done, done, sizeof done));
    if (p->total > 0)
        n += snprintf(text + n, sizeof text - (size_t) n, " of %s",
                      amount(p, p->total, total, sizeof total));
    n += snprintf(text + n, sizeof text - (size_t) n, "%s%.30s, %s%s%.30s/s", space, unit,
                  amount(p, (uint64_t) (per_s + 0.5), rate, sizeof rate), space, unit);
    if (p->total > p->done && per_s > 0)
        snprintf(text + n, sizeof text - (size_t) n, ", ETA %s",
                 t2_human_seconds((double) (p->total - p->done) / per_s, eta, sizeof eta));
    if (p->active == REDRAW)
        t2_log_status_line(text);
    else
        t2_info("%s", text);
    p->printed_s = now;
}

void t2_progress_update(struct t2_progress *p, uint64_t done)
{
    double now;

    p->done = done;
    if (p->active < REDRAW)
        return;
    now = t2_now_s();
    if (now - p->printed_s >= (p->active == REDRAW ? REDRAW_EVERY_S : LINE_EVERY_S))
        print(p, now);
}

void t2_progress_end(struct t2_progress *p)
{
    /* A last line follows only when lines were printed before; short work stays silent. */
    if (p->active == REDRAW)
        t2_log_status_line("");
    else if (p->active == LINES && p->printed_s > p->started_s)
        print(p, t2_now_s());
    p->active = 0;
}
