/*
 * datagen/runs/memory_shares.c - shares of --max_memory.
 */
#include "datagen/runs/memory_shares.h"

#include "base/memory_available.h"
#include "base/str.h"

/* Without a limit; more would be gone from others for a tenth of the time. */
static const uint64_t MOST_KEPT_BYTES = (uint64_t) 4 << 30;

static uint64_t least(const struct dg_generate *g)
{
    return DG_LEAST_MEMORY + (uint64_t) t2_pool_threads(g->pool) * DG_LEAST_THREAD_MEMORY;
}

enum t2_status dg_memory_check(const struct dg_generate *g, struct t2_err *err)
{
    uint64_t total = t2_memory_total();
    char human[32], human_least[32];

    if (g->max_memory > total)
        return t2_fail(err, T2_EUSAGE,
                       "--max_memory=%s: this machine, its control group or ulimit -v has %s only; "
                       "leave some of that to others",
                       t2_human_bytes(g->max_memory, human, sizeof human),
                       t2_human_bytes(total, human_least, sizeof human_least));
    if (g->max_memory == 0 || g->max_memory >= least(g))
        return T2_OK;
    return t2_fail(err, T2_EUSAGE, "--max_memory=%s: %d thread%s need %s at least",
                   t2_human_bytes(g->max_memory, human, sizeof human), t2_pool_threads(g->pool),
                   t2_pool_threads(g->pool) == 1 ? "" : "s",
                   t2_human_bytes(least(g), human_least, sizeof human_least));
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

struct dg_memory_plan dg_memory_plan_of(const struct dg_generate *g, bool keep_lines)
{
    struct dg_memory_plan plan = {.bins_bytes = g->shuffle_bytes,
                                  .shuffle_bytes = g->shuffle_bytes};
    uint64_t shared;

    plan.scan.beside = g->options.data_dir;
    if (g->max_memory == 0) {
        if (keep_lines)
            plan.scan.keep_bytes = smaller(t2_memory_available() / 4, MOST_KEPT_BYTES);
        return plan;
    }
    /* What the program itself, batches on their way and a vocabulary take. */
    shared = g->max_memory - least(g) / 2;
    plan.scan.count_bytes = shared / 2;
    plan.scan.build_bytes = g->max_memory;
    plan.scan.keep_bytes = keep_lines ? shared / 4 : 0;
    plan.cache_bytes = shared / 8;
    plan.bins_bytes = smaller(g->shuffle_bytes, shared / 4);
    plan.shuffle_bytes = smaller(g->shuffle_bytes, shared / 3);
    return plan;
}
