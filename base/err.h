/*
 * base/err.h - status codes, error messages, assertions.
 *
 * Bad input is a status with a message; a programmer's mistake is an assertion.  A function that
 * can fail takes a struct t2_err * as its last argument and leaves it untouched on success.
 */
#ifndef T2_BASE_ERR_H
#define T2_BASE_ERR_H

#include <stdarg.h>

#define T2_MUST_CHECK __attribute__((warn_unused_result))
#define T2_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

enum t2_status {
    T2_OK = 0,
    T2_EOF,          /* the input ended where it may end; not an error, no message */
    T2_EUSAGE,       /* the caller's flags or arguments make no sense */
    T2_EIO,          /* the operating system refused: open, read, write, disk full */
    T2_EFORMAT,      /* the bytes are not what they should be */
    T2_ENOTFOUND,    /* a file, name or key does not exist */
    T2_ENOMEM,       /* memory or a memory limit is exhausted */
    T2_EDEVICE,      /* an accelerator failed */
    T2_EUNSUPPORTED, /* valid, but this build or version cannot do it */
    T2_EINTERRUPTED  /* SIGINT or SIGTERM asked for a clean stop */
};

enum { T2_ERR_MESSAGE_BYTES = 1024 };

/* The message is complete enough to print after "<tool>: error: ".  No full stop. */
struct t2_err {
    enum t2_status status;
    char message[T2_ERR_MESSAGE_BYTES];
};

#define T2_ERR_INIT                                                                                \
    {                                                                                              \
        T2_OK, ""                                                                                  \
    }

/* Records status and a formatted message in *err; returns status.  Too long a message is cut. */
enum t2_status t2_fail(struct t2_err *err, enum t2_status status, const char *format, ...)
    T2_PRINTF(3, 4);

/* Makes an errno value of a failure, for functions that return one: keeps it for this thread and
 * returns EREMOTEIO, whose text in t2_fail_errno is the message. */
int t2_err_as_errno(const struct t2_err *err);

/* As t2_fail with the text of errno value `errnum` appended as ": <strerror>".  Returns T2_EIO, or
 * T2_ENOTFOUND for ENOENT. */
enum t2_status t2_fail_errno(struct t2_err *err, int errnum, const char *format, ...)
    T2_PRINTF(3, 4);

/* Puts context in front of the message that is there: "<context>: <message>", unless it is an
 * interruption.  Returns err->status. */
enum t2_status t2_wrap(struct t2_err *err, const char *format, ...) T2_PRINTF(2, 3);

/* Name of a status for logs and tests: "T2_EFORMAT". */
const char *t2_status_name(enum t2_status status);

/* Returns from the calling function when expression fails.  Nothing may need releasing. */
#define T2_TRY(expression)                                                                         \
    do {                                                                                           \
        enum t2_status t2_try_status_ = (expression);                                              \
        if (t2_try_status_ != T2_OK)                                                               \
            return t2_try_status_;                                                                 \
    } while (0)

/* Jumps to label with `st` set when expression fails. */
#define T2_GOTO(st, label, expression)                                                             \
    do {                                                                                           \
        (st) = (expression);                                                                       \
        if ((st) != T2_OK)                                                                         \
            goto label;                                                                            \
    } while (0)

/* Contracts at function entry: always on.  Prints file, line, condition and aborts. */
#define T2_ASSERT(condition)                                                                       \
    ((condition) ? (void) 0 : t2_assert_failed(__FILE__, __LINE__, #condition))

/* The same inside loops: only with DEBUG=1. */
#ifdef T2_DEBUG
#define T2_DASSERT(condition) T2_ASSERT(condition)
#else
#define T2_DASSERT(condition) ((void) 0)
#endif

_Noreturn void t2_assert_failed(const char *file, int line, const char *condition);

#endif
