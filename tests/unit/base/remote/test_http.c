/*
 * tests/unit/base/remote/test_http.c - one request: what is sent, redirects, headers, bad
 * answers.
 */
#include "base/remote/http.h"

#include "base/alloc.h"
#include "tests/support/http_server.h"

struct got {
    int n_starts, status;
    struct t2_buf body;
    bool refuses;
};

static bool on_start(void *context, const struct t2_http_answer *a)
{
    struct got *g = context;

    g->n_starts++;
    g->status = a->status;
    return !g->refuses;
}

static bool on_body(void *context, const void *data, size_t len_bytes)
{
    t2_buf_append(&((struct got *) context)->body, data, len_bytes);
    return true;
}

/* One request of a session of its own, against such a server. */
static enum t2_http_outcome get_like(struct t_server like, struct t2_http_request r, struct got *g,
                                     struct t2_http_answer *a, struct t2_buf *asked)
{
    struct t2_http_session *s;
    struct t_server server;
    enum t2_http_outcome outcome;
    char url[128];

    t_server_start_like(&server, like);
    snprintf(url, sizeof url, "%s%s", server.url, r.url);
    r.url = url;
    r.context = g;
    r.start = on_start;
    r.body = on_body;
    r.connect_timeout_s = 5;
    r.stall_timeout_s = r.stall_timeout_s ? r.stall_timeout_s : 5;
    s = t2_http_session_new();
    outcome = t2_http_session_get(s, &r, a);
    t2_http_session_free(s);
    t_server_stop(&server);
    if (asked)
        *asked = server.asked;
    else
        t2_buf_release(&server.asked);
    return outcome;
}

static enum t2_http_outcome get(const char *const *answers, struct t2_http_request r, struct got *g,
                                struct t2_http_answer *a, struct t2_buf *asked)
{
    return get_like((struct t_server){.answers = answers}, r, g, a, asked);
}

static void test_plain(void **state)
{
    const char *const answers[] = {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag:  \"e\" \r\n"
                                   "last-modified: yesterday\r\nContent-Type: a/b\r\n\r\nhello",
                                   NULL};
    struct t2_http_request r = {.url = "/x"};
    struct got g = {0};
    struct t2_http_answer a;
    struct t2_buf asked;

    (void) state;
    assert_int_equal(get(answers, r, &g, &a, &asked), T2_HTTP_WHOLE);
    assert_int_equal(g.status, 200);
    assert_int_equal(g.n_starts, 1);
    assert_string_equal(t2_buf_cstr(&g.body), "hello");
    assert_string_equal(a.etag, "\"e\"");
    assert_string_equal(a.last_modified, "yesterday");
    assert_string_equal(a.content_type, "a/b");
    assert_true(a.has_length && a.is_framed && a.length_bytes == 5);
    t_assert_contains(t2_buf_cstr(&asked), "GET /x HTTP/1.1\r\n");
    t_assert_contains(t2_buf_cstr(&asked), "User-Agent: t2t.c/");
    t_assert_contains(t2_buf_cstr(&asked), "Accept-Encoding: identity\r\n");
    assert_null(strstr(t2_buf_cstr(&asked), "Range:"));
    assert_null(strstr(t2_buf_cstr(&asked), "Cookie:"));
    t2_http_answer_release(&a);
    t2_buf_release(&g.body);
    t2_buf_release(&asked);
}

static void test_range(void **state)
{
    const char *const answers[] = {
        "HTTP/1.1 206 P\r\nContent-Range: bytes 7-8/9\r\nContent-Length: 2\r\n\r\nab", NULL};
    struct t2_http_request r = {.url = "/x", .offset_bytes = 7, .if_range = "\"e\""};
    struct got g = {0};
    struct t2_http_answer a;
    struct t2_buf asked;

    (void) state;
    assert_int_equal(get(answers, r, &g, &a, &asked), T2_HTTP_WHOLE);
    assert_string_equal(a.content_range, "bytes 7-8/9");
    t_assert_contains(t2_buf_cstr(&asked), "Range: bytes=7-\r\n");
    t_assert_contains(t2_buf_cstr(&asked), "If-Range: \"e\"\r\n");
    t2_http_answer_release(&a);
    t2_buf_release(&g.body);
    t2_buf_release(&asked);
}

static void test_redirects(void **state)
{
    const char *const answers[] = {
        "HTTP/1.1 301 M\r\nLocation: ../b\r\nETag: \"of the redirect\"\r\nSet-Cookie: a=b\r\n"
        "Content-Length: 6\r\n\r\nmoved\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", NULL};
    struct t2_http_request r = {.url = "/x/a"};
    struct got g = {0};
    struct t2_http_answer a;
    struct t2_buf asked;

    (void) state;
    assert_int_equal(get(answers, r, &g, &a, &asked), T2_HTTP_WHOLE);
    assert_string_equal(t2_buf_cstr(&g.body), "ok");
    assert_int_equal(g.n_starts, 1);
    assert_string_equal(a.etag, "");
    assert_string_equal(a.url + strlen(a.url) - 2, "/b");
    t_assert_contains(t2_buf_cstr(&asked), "GET /b HTTP/1.1");
    assert_null(strstr(t2_buf_cstr(&asked), "Cookie:"));
    t2_http_answer_release(&a);
    t2_buf_release(&g.body);
    t2_buf_release(&asked);
}

static void check_refused(const char *answer, enum t2_http_outcome want, const char *text)
{
    const char *answers[] = {answer, answer, answer, answer, answer, answer, answer,
                             answer, answer, answer, answer, answer, answer, NULL};
    struct t2_http_request r = {.url = "/x"};
    struct got g = {0};
    struct t2_http_answer a;
    enum t2_http_outcome outcome = get(answers, r, &g, &a, NULL);

    if (outcome != want)
        fail_msg("%.60s: %d, %s", answer, (int) outcome, a.text);
    t_assert_contains(a.text, text);
    t2_http_answer_release(&a);
    t2_buf_release(&g.body);
}

static void test_bad_answers(void **state)
{
    struct t2_buf long_header = {0};

    (void) state;
    check_refused("HTTP/1.1 302 M\r\nContent-Length: 0\r\n\r\n", T2_HTTP_HOPELESS,
                  "redirects without saying where to");
    /* without "close" libcurl may ask on a connection that is being closed, and after five such
     * chances gives up */
    check_refused(
        "HTTP/1.1 302 M\r\nLocation: /x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
        T2_HTTP_HOPELESS, "more than 10 redirects");
    check_refused("HTTP/1.1 302 M\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n",
                  T2_HTTP_HOPELESS, "another protocol: file:///etc/passwd");
    check_refused("HTTP/1.1 302 M\r\nLocation: ftp://h/x\r\nContent-Length: 0\r\n\r\n",
                  T2_HTTP_HOPELESS, "another protocol: ftp://h/x");
    check_refused("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello", T2_HTTP_CUT, "closed");
    check_refused("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
                  T2_HTTP_CUT, "");
    check_refused("HELLO there\r\n\r\n", T2_HTTP_HOPELESS, "");
    check_refused("", T2_HTTP_CUT, "");
    t2_buf_puts(&long_header, "HTTP/1.1 200 OK\r\nX: ");
    memset(t2_buf_reserve(&long_header, 70000), 'x', 70000);
    long_header.len_bytes += 70000;
    t2_buf_puts(&long_header, "\r\nContent-Length: 1\r\n\r\nx");
    check_refused(t2_buf_cstr(&long_header), T2_HTTP_HOPELESS, "65536 bytes of headers");
    t2_buf_release(&long_header);
}

static void check_endless(const char *answer, const char *drip, bool gushes,
                          enum t2_http_outcome want, const char *text)
{
    const char *const answers[] = {answer, NULL};
    const struct t_server endless = {.answers = answers, .drip = drip, .gushes = gushes};
    struct t2_http_request r = {.url = "/x", .stall_timeout_s = 1, .min_rate = 1000};
    struct got g = {0};
    struct t2_http_answer a;

    assert_int_equal(get_like(endless, r, &g, &a, NULL), want);
    t_assert_contains(a.text, text);
    t2_http_answer_release(&a);
    t2_buf_release(&g.body);
}

/* Fifty bytes a second, or as many as fit, of what has no end: something always comes. */
static void test_endless(void **state)
{
    static const char slow_head[] = "after 1 s the head of the answer was not complete";

    (void) state;
    check_endless("HTTP/1.1 200 OK\r\nX: ", "x", false, T2_HTTP_CUT, slow_head);
    check_endless("HTTP/1.1 200 O", "K", false, T2_HTTP_CUT, slow_head); /* not even a line */
    check_endless("HTTP/1.1 200 OK\r\n", "A: b\r\n", false, T2_HTTP_CUT, slow_head);
    check_endless("", "HTTP/1.1 100 Continue\r\n\r\n", false, T2_HTTP_CUT, slow_head);
    check_endless("HTTP/1.1 302 M\r\nLocation: /y\r\nContent-Length: 1000000\r\n\r\n", "x", false,
                  T2_HTTP_CUT, slow_head);
    check_endless("HTTP/1.1 302 M\r\nLocation: /y\r\n\r\n", "x", true, T2_HTTP_HOPELESS,
                  "redirects with more than 65536 bytes of text");
    check_endless("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", "x", false, T2_HTTP_CUT,
                  "for 1 s fewer than 1000 bytes a second came");
    /* chunks without a byte of the file: what stands behind their size is left out */
    check_endless("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", "x", false,
                  T2_HTTP_CUT, "nothing of the file came for 1 s");
    check_endless("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n",
                  "A: b\r\n", false, T2_HTTP_CUT, "");
}

static void test_refused_by_caller(void **state)
{
    const char *const answers[] = {"HTTP/1.1 404 N\r\nContent-Length: 5\r\n\r\nhello", NULL};
    struct t2_http_request r = {.url = "/x"};
    struct got g = {.refuses = true};
    struct t2_http_answer a;

    (void) state;
    assert_int_equal(get(answers, r, &g, &a, NULL), T2_HTTP_REFUSED);
    assert_int_equal(g.status, 404);
    assert_int_equal(g.body.len_bytes, 0);
    t2_http_answer_release(&a);
}

static void test_head(void **state)
{
    const char *const answers[] = {"HTTP/1.1 200 OK\r\nContent-Length: 12345\r\n\r\n", NULL};
    struct t2_http_request r = {.url = "/x", .head_only = true};
    struct got g = {0};
    struct t2_http_answer a;
    struct t2_buf asked;

    (void) state;
    assert_int_equal(get(answers, r, &g, &a, &asked), T2_HTTP_WHOLE);
    assert_int_equal(a.length_bytes, 12345);
    t_assert_contains(t2_buf_cstr(&asked), "HEAD /x");
    t2_http_answer_release(&a);
    t2_buf_release(&asked);
}

/* A length that is no number, values that do not fit, a NUL: as if the header were absent. */
static void test_hostile_headers(void **state)
{
    char answer[1000];
    const char *const answers[] = {answer, NULL};
    struct t2_http_request r = {.url = "/x"};
    struct got g = {0};
    struct t2_http_answer a;

    (void) state;
    snprintf(answer, sizeof answer,
             "HTTP/1.1 200 OK\r\nETag: "
             "\"%0300d\"\r\nContent-Range:\r\nRetry-After: \r\nTransfer-Encoding: "
             "chunked\r\n\r\n2\r\nok\r\n0\r\nETag: \"trailer\"\r\n\r\n",
             1);
    assert_int_equal(get(answers, r, &g, &a, NULL), T2_HTTP_WHOLE);
    assert_string_equal(a.etag, "");
    assert_string_equal(a.content_range, "");
    assert_string_equal(a.retry_after, "");
    assert_false(a.has_length);
    assert_true(a.is_framed);
    assert_string_equal(t2_buf_cstr(&g.body), "ok");
    t2_http_answer_release(&a);
    t2_buf_release(&g.body);
}

static void check_resolve(const char *base, const char *reference, const char *want)
{
    char *url = t2_url_resolve(base, reference);

    if (want)
        assert_string_equal(url, want);
    else
        assert_null(url);
    t2_free(url);
}

static void test_resolve(void **state)
{
    (void) state;
    if (t2_http_missing())
        t_skip("%s", t2_http_missing());
    check_resolve("http://h/a/b?c", "../x?y=1", "http://h/x?y=1");
    check_resolve("http://h/a/b", "https://o/z", "https://o/z");
    check_resolve("http://h/a/b?q", "", "http://h/a/b?q");
    check_resolve("::::", "x", NULL);
}

T_MAIN(cmocka_unit_test(test_plain), cmocka_unit_test(test_range), cmocka_unit_test(test_redirects),
       cmocka_unit_test(test_bad_answers), cmocka_unit_test(test_endless),
       cmocka_unit_test(test_refused_by_caller), cmocka_unit_test(test_head),
       cmocka_unit_test(test_hostile_headers), cmocka_unit_test(test_resolve))
