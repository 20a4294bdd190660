/*
 * datagen/fetch/fetch_flags.c - the flags of downloads.
 */
#include "datagen/fetch/fetch_flags.h"

#include <inttypes.h>
#include <string.h>

#include "base/remote/http_headers.h"

static enum t2_status check_range(const char *flag, int64_t value, int64_t least, int64_t most,
                                  struct t2_err *err)
{
    if (value < least || value > most)
        return t2_fail(err, T2_EUSAGE, "--%s=%" PRId64 ": must be %" PRId64 " to %" PRId64, flag,
                       value, least, most);
    return T2_OK;
}

static enum t2_status check_mirror(const char *mirror, struct t2_err *err)
{
    char scheme[16];

    t2_url_scheme(mirror, scheme);
    if (strstr(mirror, "://") && !t2_is_http_url(mirror) && strcmp(scheme, "file") != 0)
        return t2_fail(err, T2_EUSAGE, "--mirror='%s': must be http://, https:// or a folder",
                       mirror);
    return T2_OK;
}

enum t2_status dg_fetch_flags_read(const struct dg_fetch_flags *f, struct dg_fetch_options *options,
                                   struct t2_err *err)
{
    enum { MOST_PARALLEL = 64, MOST_SECONDS = 86400, MOST_RETRIES = 1000 };

    T2_TRY(check_range("max_parallel_downloads", f->parallel, 1, MOST_PARALLEL, err));
    T2_TRY(check_range("download_timeout", f->timeout, 1, MOST_SECONDS, err));
    T2_TRY(check_range("download_retries", f->retries, 0, MOST_RETRIES, err));
    T2_TRY(check_mirror(f->mirror, err));
    if (!(f->first_wait >= 0 && f->first_wait <= MOST_SECONDS))
        return t2_fail(err, T2_EUSAGE, "--download_wait=%g: must be 0 to %d", f->first_wait,
                       MOST_SECONDS);
    if (f->fetch[0] == '\0' && (f->sha256[0] || f->size))
        return t2_fail(err, T2_EUSAGE, "--%s belongs to --fetch", f->size ? "size" : "sha256");
    *options = (struct dg_fetch_options){
        .archive_dir = f->archive_dir,
        .mirror = f->mirror,
        .proxy = f->proxy,
        .offline = f->offline,
        .keep_unverified = !f->verify,
        .max_rate = f->max_rate,
        .min_rate = f->min_rate == 0          ? -1
                    : f->min_rate > INT64_MAX ? INT64_MAX
                                              : (int64_t) f->min_rate,
        .max_bytes = f->max_bytes,
        .parallel = (int) f->parallel,
        .retries = f->retries > 0 ? (int) f->retries : -1,
        .stall_timeout_s = (int) f->timeout,
        .connect_timeout_s = f->timeout < 30 ? (int) f->timeout : 0,
        .first_wait_s = f->first_wait > 0 ? f->first_wait : 1e-3,
    };
    return T2_OK;
}
