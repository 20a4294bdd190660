/*
 * base/err.c - status codes, error messages, assertions.
 */
#include "base/err.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Formats into err through a copy, because the arguments may point into err->message.  A message
 * that is too long ends in "..." and is not cut inside a UTF-8 character. */
static void set_message(struct t2_err *err, const char *format, va_list args) T2_PRINTF(2, 0);
static void set_message(struct t2_err *err, const char *format, va_list args)
{
    char text[T2_ERR_MESSAGE_BYTES];
    int n = vsnprintf(text, sizeof text, format, args);

    if (n < 0) {
        snprintf(text, sizeof text, "(message could not be formatted)");
    } else if ((size_t) n >= sizeof text) {
        size_t end = sizeof text - 4;

        while (end > 0 && ((unsigned char) text[end] & 0xC0) == 0x80)
            end--;
        memcpy(text + end, "...", 4);
    }
    memcpy(err->message, text, strlen(text) + 1);
}

enum t2_status t2_fail(struct t2_err *err, enum t2_status status, const char *format, ...)
{
    va_list args;

    T2_ASSERT(err);
    va_start(args, format);
    set_message(err, format, args);
    va_end(args);
    err->status = status;
    return status;
}

static void set_message_f(struct t2_err *err, const char *format, ...) T2_PRINTF(2, 3);
static void set_message_f(struct t2_err *err, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    set_message(err, format, args);
    va_end(args);
}

static _Thread_local struct t2_err kept;

int t2_err_as_errno(const struct t2_err *err)
{
    kept = *err;
    return EREMOTEIO;
}

enum t2_status t2_fail_errno(struct t2_err *err, int errnum, const char *format, ...)
{
    char number[128];
    va_list args;

    T2_ASSERT(err);
    if (errnum == EREMOTEIO && kept.status != T2_OK) { /* it names the path, too */
        *err = kept;
        return err->status;
    }
    va_start(args, format);
    set_message(err, format, args);
    va_end(args);
    set_message_f(err, "%s: %s", err->message, strerror_r(errnum, number, sizeof number));
    err->status = errnum == ENOENT ? T2_ENOTFOUND : T2_EIO;
    return err->status;
}

enum t2_status t2_wrap(struct t2_err *err, const char *format, ...)
{
    struct t2_err context = T2_ERR_INIT;
    va_list args;

    T2_ASSERT(err && err->status != T2_OK);
    if (err->status == T2_EINTERRUPTED) /* nothing is wrong with what was worked on */
        return err->status;
    va_start(args, format);
    set_message(&context, format, args);
    va_end(args);
    set_message_f(err, "%s: %s", context.message, err->message);
    return err->status;
}

const char *t2_status_name(enum t2_status status)
{
    switch (status) {
    case T2_OK:
        return "T2_OK";
    case T2_EOF:
        return "T2_EOF";
    case T2_EUSAGE:
        return "T2_EUSAGE";
    case T2_EIO:
        return "T2_EIO";
    case T2_EFORMAT:
        return "T2_EFORMAT";
    case T2_ENOTFOUND:
        return "T2_ENOTFOUND";
    case T2_ENOMEM:
        return "T2_ENOMEM";
    case T2_EDEVICE:
        return "T2_EDEVICE";
    case T2_EUNSUPPORTED:
        return "T2_EUNSUPPORTED";
    case T2_EINTERRUPTED:
        return "T2_EINTERRUPTED";
    }
    return "T2_?";
}

_Noreturn void t2_assert_failed(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
    abort();
}
