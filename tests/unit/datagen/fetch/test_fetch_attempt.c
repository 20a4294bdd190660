/*
 * tests/unit/datagen/fetch/test_fetch_attempt.c - what each kind of answer means.
 */
#include "datagen/fetch/fetch_attempt.h"

#include "tests/unit/datagen/fetching.h"

static struct t2_err err;

/* One attempt; `held` is what a run before left of the file ("" nothing), with ETag "1" and
 * total 10. */
struct trial {
    const char *answer, *second; /* second: of a request that follows from the first */
    const char *held;
    struct dg_source_file like; /* size, digest, name */
    enum dg_verdict verdict;
    const char *message; /* NULL: none */
    const char *part;    /* afterwards; NULL: there is none */
    int64_t wait_s;
};

static void hold(struct t_fetching *t, const char *held)
{
    struct dg_part_state s = {.url = t->url, .etag = "\"1\"", .total_bytes = 10};
    struct dg_part p;

    dg_part_look(&p, t->dir, "f");
    assert_int_equal(dg_part_begin(&p, &s, &err), T2_OK);
    assert_int_equal(dg_part_append(&p, held, strlen(held), &err), T2_OK);
    dg_part_release(&p);
}

static void check(const struct trial *trial)
{
    const char *const answers[] = {trial->answer, trial->second, NULL};
    struct dg_fetch_meter meter;
    struct t_fetching t;
    struct dg_fetch_job job;
    char name[] = "f";
    int64_t wait_s = 0;

    t_fetching_start(&t, answers);
    if (trial->held)
        hold(&t, trial->held);
    t.file.size_bytes = trial->like.size_bytes;
    t.file.sha256 = trial->like.sha256;
    t.file.kind = trial->like.kind;
    t.options.max_bytes = 1000;
    dg_meter_init(&meter, 1, 0);
    job = (struct dg_fetch_job){.file = &t.file,
                                .name = name,
                                .tmp_dir = t.dir,
                                .options = &t.options,
                                .meter = &meter,
                                .session = t2_http_session_new(),
                                .url = t.url};
    dg_part_look(&job.part, t.dir, "f");
    err.message[0] = '\0';
    assert_int_equal(dg_fetch_attempt(&job, &wait_s, &err), trial->verdict);
    assert_int_equal(wait_s, trial->wait_s);
    if (trial->message)
        t_assert_contains(err.message, trial->message);
    else
        assert_string_equal(err.message, "");
    assert_int_equal(dg_part_close(&job.part, &err), T2_OK);
    t_fetching_check(&t, "f.part", trial->part);
    dg_part_release(&job.part);
    t2_http_session_free(job.session);
    dg_meter_release(&meter);
    t2_free(job.confirmed_url);
    t2_free(t_fetching_stop(&t));
}

#define DIGEST "0123456789012345678901234567890123456789012345678901234567890123"

static void test_whole(void **state)
{
    static const struct trial trials[] = {
        {.answer = T_OK("Content-Length: 5\r\n", "hello"), .verdict = DG_COMPLETE, .part = "hello"},
        {.answer = T_OK("Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n0\r\n\r\n"),
         .verdict = DG_COMPLETE,
         .part = "hello"},
        {.answer = T_OK("Content-Length: 9\r\n", "hello"),
         .verdict = DG_AGAIN,
         .message = "closed",
         .part = "hello"},
        {.answer = T_OK("Content-Length: 0\r\n", ""), .verdict = DG_NEXT, .message = "empty file"},
        {.answer = T_OK("", "hello"), .verdict = DG_NEXT, .message = "does not say how long"},
        {.answer = T_OK("", "hello"),
         .like = {.sha256 = DIGEST},
         .verdict = DG_COMPLETE,
         .part = "hello"},
        {.answer = T_OK("", ""),
         .like = {.sha256 = DIGEST},
         .verdict = DG_NEXT,
         .message = "empty file"},
        {.answer = T_OK("Content-Length: 5\r\n", "hello"),
         .like = {.size_bytes = 6},
         .verdict = DG_NEXT,
         .message = "announces 5 bytes, expected 6"},
        {.answer = T_OK("Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n0\r\n\r\n"),
         .like = {.size_bytes = 4},
         .verdict = DG_NEXT,
         .message = "sends more than 4 bytes",
         .part = ""},
        {.answer = T_OK("Content-Length: 1001\r\n", "hello"),
         .verdict = DG_NEXT,
         .message = "announces 1001 bytes, more than the limit of 1000"},
        {.answer = T_OK("Content-Length: 5\r\n", "hello"),
         .held = "abc",
         .verdict = DG_COMPLETE,
         .part = "hello"},
    };

    (void) state;
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++)
        check(&trials[i]);
}

#define REST(range, etag, body)                                                                    \
    "HTTP/1.1 206 P\r\nContent-Range: bytes " range "\r\nETag: " etag                              \
    "\r\nTransfer-Encoding: chunked\r\n\r\n" body "0\r\n\r\n"

static void test_rest(void **state)
{
    static const struct trial trials[] = {
        {.answer = REST("3-9/10", "\"1\"", "7\r\ndefghij\r\n"),
         .held = "abc",
         .verdict = DG_COMPLETE,
         .part = "abcdefghij"},
        {.answer = REST("3-9/10", "\"1\"", "2\r\nde\r\n"),
         .held = "abc",
         .verdict = DG_AGAIN,
         .message = "stopped at byte 5 of 10",
         .part = "abcde"},
        {.answer = REST("2-9/10", "\"1\"", "2\r\nde\r\n"),
         .held = "abc",
         .verdict = DG_AFRESH,
         .message = "another part of the file than asked for (bytes 2-9/10)",
         .part = "abc"},
        {.answer = REST("x", "\"1\"", "2\r\nde\r\n"),
         .held = "abc",
         .verdict = DG_AFRESH,
         .message = "another part",
         .part = "abc"},
        {.answer = REST("3-9/11", "\"1\"", "2\r\nde\r\n"),
         .held = "abc",
         .verdict = DG_AFRESH,
         .message = "has changed",
         .part = "abc"},
        {.answer = REST("3-9/10", "\"2\"", "2\r\nde\r\n"),
         .held = "abc",
         .verdict = DG_AFRESH,
         .message = "has changed",
         .part = "abc"},
        {.answer = REST("0-9/10", "\"1\"", "2\r\nde\r\n"),
         .verdict = DG_AFRESH,
         .message = "another part"},
        {.answer = "HTTP/1.1 416 R\r\nContent-Range: bytes */2\r\nContent-Length: 0\r\n\r\n",
         .held = "abc",
         .verdict = DG_AFRESH,
         .message = "nothing behind byte 3",
         .part = "abc"},
        {.answer = "", .held = "abcdefghij", .verdict = DG_COMPLETE, .part = "abcdefghij"},
    };

    (void) state;
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++)
        check(&trials[i]);
}

static void test_statuses(void **state)
{
    static const struct trial trials[] = {
        {.answer = "HTTP/1.1 404 N\r\nContent-Length: 3\r\n\r\nno\n",
         .verdict = DG_NEXT,
         .message = "answers 404 (not there)"},
        {.answer = "HTTP/1.1 403 N\r\nContent-Length: 0\r\n\r\n",
         .held = "abc",
         .verdict = DG_NEXT,
         .message = "answers 403 (not allowed)",
         .part = "abc"},
        {.answer = "HTTP/1.1 204 N\r\n\r\n", .verdict = DG_NEXT, .message = "answers 204"},
        {.answer = "HTTP/1.1 500 N\r\nContent-Length: 0\r\n\r\n",
         .verdict = DG_AGAIN,
         .message = "answers 500 (busy or broken)"},
        {.answer = "HTTP/1.1 503 N\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n",
         .verdict = DG_AGAIN,
         .message = "answers 503",
         .wait_s = 7},
        {.answer = "HTTP/1.1 429 N\r\nRetry-After: rubbish\r\nContent-Length: 0\r\n\r\n",
         .verdict = DG_AGAIN,
         .message = "answers 429"},
        {.answer = "HTTP/1.1 408 N\r\nContent-Length: 0\r\n\r\n",
         .verdict = DG_AGAIN,
         .message = "answers 408"},
        {.answer = "HTTP/1.1 302 N\r\nContent-Length: 0\r\n\r\n",
         .verdict = DG_NEXT,
         .message = "without saying where to"},
        {.answer = "", .verdict = DG_AGAIN, .message = ""},
    };

    (void) state;
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++)
        check(&trials[i]);
}

#define FORM                                                                                       \
    T_OK("Set-Cookie: warned=1; Path=/\r\nTransfer-Encoding: chunked\r\n",                         \
         "50\r\n<html><form action=/g?x><input type=hidden name=confirm value=yes></form></html>"  \
         "\r\n0\r\n\r\n")

static void test_pages(void **state)
{
    static const struct trial trials[] = {
        {.answer = T_OK("Content-Length: 42\r\nContent-Type: text/html\r\n",
                        "<html><title>Sign in, please</title></html>"),
         .like = {.size_bytes = 7},
         .verdict = DG_NEXT,
         .message = "HTML page (Sign in, please) instead of the file"},
        {.answer = T_OK("Content-Length: 6\r\n", "<html>"),
         .held = "abc",
         .verdict = DG_NEXT,
         .message = "HTML page instead of the file",
         .part = "abc"},
        {.answer = T_OK("Content-Length: 6\r\nContent-Type: text/html\r\n", "no tag"),
         .verdict = DG_NEXT,
         .message = "HTML page"},
        {.answer = T_OK("Content-Length: 5\r\nContent-Type: text/html\r\n", "PK\3\4x"),
         .like = {.kind = DG_KIND_ZIP},
         .verdict = DG_COMPLETE,
         .part = "PK\3\4x"},
        {.answer = T_OK("Content-Length: 6\r\nContent-Type: text/html\r\n", "<html>"),
         .like = {.kind = DG_KIND_ANY},
         .verdict = DG_COMPLETE,
         .part = "<html>"},
        {.answer = FORM,
         .second = T_OK("Content-Length: 5\r\n", "hello"),
         .verdict = DG_COMPLETE,
         .part = "hello"},
        {.answer = FORM, .second = FORM, .verdict = DG_NEXT, .message = "HTML page"},
    };

    (void) state;
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++)
        check(&trials[i]);
}

T_MAIN(cmocka_unit_test(test_whole), cmocka_unit_test(test_rest), cmocka_unit_test(test_statuses),
       cmocka_unit_test(test_pages))
