/*
 * datagen/fetch/fetch_defaults.c - what zero means in struct dg_fetch_options.
 */
#include "datagen/fetch/fetch_defaults.h"

enum { PARALLEL = 4, RETRIES = 5, STALL_S = 60, CONNECT_S = 30, MIN_RATE = 500 };
static const double FIRST_WAIT_S = 1;
static const uint64_t MOST_BYTES = UINT64_C(512) << 30;

static const char *text(const char *s)
{
    return s && *s ? s : NULL;
}

/* What is slow because --max_rate holds it back does not count: files share that rate, and not
 * evenly. */
static int64_t least_rate(const struct dg_fetch_options *o)
{
    int64_t rate = o->min_rate == 0 ? MIN_RATE : o->min_rate < 0 ? 0 : o->min_rate;
    uint64_t share = o->max_rate / (8 * (uint64_t) o->parallel);

    return o->max_rate && share < (uint64_t) rate ? (int64_t) share : rate;
}

struct dg_fetch_options dg_fetch_defaults(const struct dg_fetch_options *options)
{
    struct dg_fetch_options o = options ? *options : (struct dg_fetch_options){0};

    o.archive_dir = text(o.archive_dir);
    o.mirror = text(o.mirror);
    o.proxy = text(o.proxy);
    o.max_bytes = o.max_bytes ? o.max_bytes : MOST_BYTES;
    o.parallel = o.parallel > 0 ? o.parallel : PARALLEL;
    o.min_rate = least_rate(&o);
    o.retries = o.retries == 0 ? RETRIES : o.retries < 0 ? 0 : o.retries;
    o.stall_timeout_s = o.stall_timeout_s > 0 ? o.stall_timeout_s : STALL_S;
    o.connect_timeout_s = o.connect_timeout_s > 0 ? o.connect_timeout_s : CONNECT_S;
    o.first_wait_s = o.first_wait_s > 0 ? o.first_wait_s : FIRST_WAIT_S;
    return o;
}
