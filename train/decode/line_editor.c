/*
 * train/decode/line_editor.c - see line_editor.h.
 */
#include "train/decode/line_editor.h"

#ifdef T2_HAVE_EDIT

#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <histedit.h>

#include "base/alloc.h"
#include "base/library.h"
#include "base/signals.h"

/* ---- the library: opened when somebody is there to type ---- */

#define FUNCTIONS(X)                                                                               \
    X(el_end)                                                                                      \
    X(el_gets)                                                                                     \
    X(el_init)                                                                                     \
    X(el_set)                                                                                      \
    X(history)                                                                                     \
    X(history_end)                                                                                 \
    X(history_init)

#define DECLARE(name) __typeof__(&name) name;
static struct {
    FUNCTIONS(DECLARE)
} lib;

static bool open_library(void)
{
#define SYMBOL(name) {#name, &lib.name},
    const struct t2_symbol symbols[] = {FUNCTIONS(SYMBOL)};
    char why[256]; /* without it lines are read as they come */

    return t2_library_open(&t2_libedit, symbols, sizeof symbols / sizeof *symbols, why, sizeof why);
}

enum { KEPT_LINES = 1000, NOT_A_CHARACTER = 0xFFFD, WAIT_MS = 100 };

struct dec_line_editor {
    const char *prompt;
    EditLine *el;
    History *history;
    locale_t utf8, before; /* libedit converts by the locale of the thread */
};

/* libedit's callback for the prompt has no other way to its owner. */
static const char *prompt_of_terminal;

static char *show_prompt_help(EditLine *el)
{
    static char text[16];

    (void) el;
    snprintf(text, sizeof text, "%s", prompt_of_terminal);
    return text;
}

/* One byte of the terminal; 0 at its end, and when the run is to stop.  A signal that comes between
 * the question and poll() wakes nobody, so poll() does not wait for ever. */
static int read_byte(unsigned char *byte)
{
    for (;;) {
        struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
        ssize_t n;

        if (t2_interrupted())
            return 0;
        n = poll(&p, 1, WAIT_MS);
        if (n == 0 || (n < 0 && errno == EINTR))
            continue;
        if (n < 0)
            return -1;
        n = read(STDIN_FILENO, byte, 1);
        if (n >= 0 || (errno != EINTR && errno != EAGAIN))
            return (int) n;
    }
}

/* A character of UTF-8; what is none becomes U+FFFD, which is seen. */
static int read_character(EditLine *el, wchar_t *c)
{
    unsigned char byte;
    int n = read_byte(&byte), more;
    wchar_t value;

    (void) el;
    if (n <= 0)
        return n;
    more = byte >= 0xF0 ? 3 : byte >= 0xE0 ? 2 : byte >= 0xC0 ? 1 : 0;
    value = byte < 0x80 ? byte : more > 0 ? byte & (0x3F >> more) : NOT_A_CHARACTER;
    while (more-- > 0) {
        n = read_byte(&byte);
        if (n <= 0)
            return n;
        if ((byte & 0xC0) != 0x80) {
            value = NOT_A_CHARACTER;
            break;
        }
        value = value << 6 | (byte & 0x3F);
    }
    *c = value > 0x10FFFF ? NOT_A_CHARACTER : value;
    return 1;
}

static bool make_history(struct dec_line_editor *e)
{
    HistEvent event;

    e->history = lib.history_init();
    return e->history && lib.history(e->history, &event, H_SETSIZE, KEPT_LINES) >= 0 &&
           lib.history(e->history, &event, H_SETUNIQUE, 1) >= 0 &&
           lib.el_set(e->el, EL_HIST, lib.history, e->history) == 0;
}

struct dec_line_editor *dec_line_editor_new(const char *prompt)
{
    struct dec_line_editor *e;

    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO) || !open_library())
        return NULL;
    e = t2_alloc(1, sizeof *e);
    e->prompt = prompt;
    e->utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t) 0);
    e->before = uselocale((locale_t) 0);
    if (e->utf8 == (locale_t) 0) {
        t2_free(e);
        return NULL;
    }
    (void) uselocale(e->utf8);
    prompt_of_terminal = e->prompt;
    e->el = lib.el_init("t2t-decoder", stdin, stderr, stderr);
    if (!e->el || lib.el_set(e->el, EL_PROMPT, show_prompt_help) != 0 ||
        lib.el_set(e->el, EL_EDITOR, "emacs") != 0 ||
        lib.el_set(e->el, EL_GETCFN, read_character) != 0 || !make_history(e)) {
        dec_line_editor_free(e);
        return NULL;
    }
    return e;
}

enum t2_status dec_line_editor_next(struct dec_line_editor *e, struct t2_slice *line,
                                    struct t2_err *err)
{
    HistEvent event;
    int n = 0;
    const char *text = lib.el_gets(e->el, &n);
    size_t len;

    T2_TRY(t2_check_interrupt(err));
    if (!text || n <= 0)
        return T2_EOF;
    len = strlen(text);
    if (len > 1)
        (void) lib.history(e->history, &event, H_ENTER, text);
    while (len > 0 && (text[len - 1] == '\n' || text[len - 1] == '\r'))
        len--;
    *line = (struct t2_slice){(const uint8_t *) text, len};
    return T2_OK;
}

void dec_line_editor_free(struct dec_line_editor *e)
{
    if (!e)
        return;
    if (e->el)
        lib.el_end(e->el);
    if (e->history)
        lib.history_end(e->history);
    (void) uselocale(e->before);
    freelocale(e->utf8);
    t2_free(e);
}

#else

struct dec_line_editor *dec_line_editor_new(const char *prompt)
{
    (void) prompt;
    return NULL;
}

enum t2_status dec_line_editor_next(struct dec_line_editor *e, struct t2_slice *line,
                                    struct t2_err *err)
{
    (void) e;
    *line = (struct t2_slice){NULL, 0};
    return t2_fail(err, T2_EUNSUPPORTED, "built without libedit");
}

void dec_line_editor_free(struct dec_line_editor *e)
{
    (void) e;
}

#endif
