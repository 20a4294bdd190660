/*
 * tests/unit/datagen/fetching.h - a server, a folder and options for tests that download.
 */
#ifndef T2_TESTS_FETCHING_H
#define T2_TESTS_FETCHING_H

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "datagen/fetch/fetch_defaults.h"
#include "tests/support/http_server.h"

#define T_OK(headers, body) "HTTP/1.1 200 OK\r\n" headers "\r\n" body

struct t_fetching {
    struct t_server server;
    char dir[4096]; /* exists, empty */
    char url[256];  /* of a file "f" on the server */
    const char *urls[2];
    struct dg_source_file file;
    const struct dg_source_file *list[1];
    struct dg_fetch_options options;
};

static inline void t_fetching_start_like(struct t_fetching *t, struct t_server like)
{
    static int n;
    char name[32];
    struct t2_err err;

    t_server_start_like(&t->server, like);
    snprintf(name, sizeof name, "tmp%d", n++);
    snprintf(t->dir, sizeof t->dir, "%s", t_tmp_path(name));
    assert_int_equal(t2_make_dirs(t->dir, &err), T2_OK);
    snprintf(t->url, sizeof t->url, "%s/f", t->server.url);
    t->urls[0] = t->url;
    t->urls[1] = NULL;
    t->file = (struct dg_source_file){.urls = t->urls};
    t->list[0] = &t->file;
    t->options = dg_fetch_defaults(NULL);
    t->options.first_wait_s = 0.001;
    t->options.retries = 2;
    t->options.stall_timeout_s = 5;
    t2_log_set_level(T2_LOG_ERROR);
}

static inline void t_fetching_start(struct t_fetching *t, const char *const *answers)
{
    t_fetching_start_like(t, (struct t_server){.answers = answers});
}

/* The server is ended; what it was asked is given back (t2_free). */
static inline char *t_fetching_stop(struct t_fetching *t)
{
    t_server_stop(&t->server);
    t2_log_set_level(T2_LOG_INFO);
    return t2_buf_detach(&t->server.asked);
}

/* Content of a file of the folder; want NULL: it is not there. */
static inline void t_fetching_check(const struct t_fetching *t, const char *name, const char *want)
{
    char *path = t2_path_join(t->dir, name), *text;
    size_t n;

    assert_int_equal(t2_exists(path), want != NULL);
    if (want) {
        text = t_read_file(path, &n);
        assert_string_equal(text, want);
        free(text);
    }
    t2_free(path);
}

#endif
