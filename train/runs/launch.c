/*
 * train/runs/launch.c - see the header.
 */
#include "train/runs/launch.h"

#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/crc32c.h"
#include "base/file.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/run_tool.h"
#include "base/str.h"
#include "train/dist/comm.h"
#include "train/graph/late_values.h"
#include "train/runs/run_flags.h"

enum t2_status tr_launch_open(double silence_s, struct dist **dist, struct t2_err *err)
{
    T2_TRY(dist_open(silence_s, dist, err));
    if (dist_size(*dist) == 1)
        return T2_OK;
    t2_log_set_rank(dist_rank(*dist), dist_size(*dist));
    if (dist_rank(*dist) > 0)
        t2_log_set_level(T2_LOG_ERROR);
    return T2_OK;
}

int tr_launch_end(struct dist *dist, enum t2_status st, struct t2_err *err)
{
    bool alone = !dist || dist_size(dist) == 1;

    if (alone || (st == T2_OK || dist->all_know)) {
        bool silent = !alone && st != T2_OK && dist_rank(dist) > 0;

        dist_close(dist);
        return t2_end_tool(silent ? T2_EOF : st, err);
    }
    /* launchers give a signal to all: rank 0 speaks, and ends the others before they do */
    if (st == T2_EINTERRUPTED && dist_rank(dist) > 0)
        sleep(1);
    (void) t2_wrap(err, "on '%s'", dist->hosts[dist_rank(dist)]);
    (void) t2_end_tool(st, err);
    dist_abort(dist);
    return 1;
}

int tr_launch_threads(const struct dist *d, int asked)
{
    int allowed = t2_cpu_count(), share = (int) sysconf(_SC_NPROCESSORS_ONLN) / d->n_here;

    if (asked > 0 || dist_size(d) == 1)
        return asked;
    if (share < 1)
        share = 1;
    return allowed < share ? allowed : share;
}

enum t2_status tr_launch_check_alone(const char *what, const char *instead, struct t2_err *err)
{
    int n = dist_mpi_launched();

    return n > 1 ? t2_fail(err, T2_EUNSUPPORTED, "%s is for one process, not for %d: %s", what, n,
                           instead)
                 : T2_OK;
}

/* ---- lines for dist_same_lines ---- */

/* Flags that may differ from rank to rank: what belongs to its machine. */
static bool is_of_rank(const char *name)
{
    static const char *const names[] = {"host_threads", "max_memory", "device"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

void tr_launch_put_flags(const struct t2_tool *tool, struct t2_buf *lines)
{
    struct t2_strs texts = {0};

    for (size_t i = 0; i < tool->n_flags; i++)
        if (tool->flags[i].type != T2_FLAG_GROUP && !is_of_rank(tool->flags[i].name))
            tr_flags_put(&tool->flags[i], &texts);
    for (size_t i = 0; i < texts.n; i++)
        t2_buf_printf(lines, "%s\n", texts.items[i]);
    t2_strs_release(&texts);
}

void tr_launch_put_device(struct dev *dev, struct t2_buf *lines)
{
    const char *text = dev->describe(dev), *comma = strchr(text, ',');
    const char *rest = comma ? strchr(comma + 1, ',') : NULL;

    if (strncmp(text, "cuda:", 5) == 0) /* each rank has another card */
        text += strcspn(text, " ") + (strchr(text, ' ') != NULL);
    t2_buf_printf(lines, "device %.*s%s\n", comma ? (int) (comma - text) : (int) strlen(text), text,
                  rest ? rest : "");
}

uint32_t tr_launch_checksum_more(struct dev *dev, const float *values, int64_t n, uint32_t crc)
{
    enum { PIECE = 1 << 18 };
    float *host = t2_alloc(PIECE, sizeof *host);

    for (int64_t at = 0; at < n; at += PIECE) {
        size_t bytes = (size_t) (n - at < PIECE ? n - at : PIECE) * sizeof *host;

        dev->download(dev, host, values + at, bytes);
        crc = t2_crc32c(crc, host, bytes);
    }
    t2_free(host);
    return crc;
}

uint32_t tr_launch_checksum(struct dev *dev, const struct gr_params *p)
{
    uint32_t crc = 0;

    gr_late_make_all(p);
    for (int i = 0; i < p->n_variables; i++)
        crc = tr_launch_checksum_more(dev, p->values + p->variables[i].offset, p->variables[i].n,
                                      crc);
    return crc;
}
