/*
 * tests/support/http_server.h - a loopback server that gives prepared answers, one per
 * connection.
 *
 * Answers go out byte for byte in the order of `answers`; after the last one connections are closed
 * at once.  What was asked is kept.  A server that drips sends a piece of text every 20 ms behind
 * each answer, until the client has had enough.
 */
#ifndef T2_TESTS_HTTP_SERVER_H
#define T2_TESTS_HTTP_SERVER_H

#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/remote/http.h"
#include "base/str.h"
#include "tests/support/t.h"

struct t_server {
    int fd;
    char url[64];               /* "http://127.0.0.1:PORT" */
    const char *const *answers; /* NULL-ended */
    const char *drip;           /* NULL: none */
    bool gushes;                /* without the pause */
    size_t total; /* of a file; > 0: a request for its rest is answered with that head */
    atomic_size_t n_asked;
    struct t2_buf asked; /* all request heads */
    pthread_t thread;
};

static void t_server_send(int fd, const char *text)
{
    size_t len = strlen(text), at = 0;
    ssize_t k;

    while (at < len && (k = send(fd, text + at, len - at, MSG_NOSIGNAL)) > 0)
        at += (size_t) k;
}

static void t_server_drip(const struct t_server *s, int fd)
{
    const struct timespec pause = {0, 20000000};

    while (send(fd, s->drip, strlen(s->drip), MSG_NOSIGNAL) > 0)
        if (!s->gushes)
            (void) nanosleep(&pause, NULL);
}

static void t_server_rest(const struct t_server *s, int fd, size_t from)
{
    char head[256];

    snprintf(head, sizeof head,
             "HTTP/1.1 206 P\r\nETag: \"1\"\r\nContent-Length: %zu\r\n"
             "Content-Range: bytes %zu-%zu/%zu\r\n\r\n",
             s->total - from, from, s->total - 1, s->total);
    t_server_send(fd, head);
}

static void t_server_answer(struct t_server *s, int fd)
{
    char request[8192] = "", *range;
    size_t n = 0;
    ssize_t k;

    while (n + 1 < sizeof request && !strstr(request, "\r\n\r\n") &&
           (k = read(fd, request + n, sizeof request - 1 - n)) > 0) {
        n += (size_t) k;
        request[n] = '\0';
    }
    t2_buf_append(&s->asked, request, n);
    range = strstr(request, "Range: bytes=");
    if (s->total && range) {
        atomic_fetch_add(&s->n_asked, 1);
        t_server_rest(s, fd, strtoul(range + strlen("Range: bytes="), NULL, 10));
    } else if (s->answers[s->n_asked]) {
        t_server_send(fd, s->answers[atomic_fetch_add(&s->n_asked, 1)]);
    }
    if (s->drip)
        t_server_drip(s, fd);
    shutdown(fd, SHUT_WR);
    while (read(fd, request, sizeof request) > 0)
        continue;
    close(fd);
}

static void *t_server_run(void *arg)
{
    struct t_server *s = arg;
    int fd;

    while ((fd = accept(s->fd, NULL, NULL)) >= 0)
        t_server_answer(s, fd);
    return NULL;
}

/* `like` holds what the server does; skips the test in a build without libcurl. */
static inline void t_server_start_like(struct t_server *s, struct t_server like)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t len = sizeof a;

    if (t2_http_missing())
        t_skip("%s", t2_http_missing());
    setenv("no_proxy", "127.0.0.1", 1);
    *s = like;
    s->fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(s->fd >= 0);
    assert_int_equal(bind(s->fd, (struct sockaddr *) &a, sizeof a), 0);
    assert_int_equal(getsockname(s->fd, (struct sockaddr *) &a, &len), 0);
    assert_int_equal(listen(s->fd, 8), 0);
    snprintf(s->url, sizeof s->url, "http://127.0.0.1:%d", ntohs(a.sin_port));
    assert_int_equal(pthread_create(&s->thread, NULL, t_server_run, s), 0);
}

static inline void t_server_start(struct t_server *s, const char *const *answers)
{
    t_server_start_like(s, (struct t_server){.answers = answers});
}

/* What was asked is complete after this; t2_buf_release(&s->asked) afterwards. */
static inline void t_server_stop(struct t_server *s)
{
    shutdown(s->fd, SHUT_RDWR);
    pthread_join(s->thread, NULL);
    close(s->fd);
}

#endif
