/*
 * tokenizer/convert_notes.c - what the conversions say of a file: where it differs, what to know.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "tokenizer/convert_kinds.h"

__attribute__((format(printf, 2, 0))) static void add_sentence(struct t2_strs *list,
                                                               const char *format, va_list args)
{
    char text[600];

    vsnprintf(text, sizeof text, format, args);
    t2_strs_push(list, text);
}

void tok_differs(struct tok_conversion *c, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_sentence(&c->differences, format, args);
    va_end(args);
}

void tok_note(struct tok_conversion *c, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_sentence(&c->notes, format, args);
    va_end(args);
}

void tok_differs_by_splits(struct tok_conversion *c, const struct tok_splits *s)
{
    if (s->n_wrong > 0)
        tok_differs(c,
                    "merges: %zu entries (the first has id %" PRId32
                    ") are not what merging their own symbols gives, so a list of pairs and a "
                    "list of ranks may cut texts with them differently",
                    s->n_wrong, s->first_wrong);
}
