/*
 * base/json_grammar.h - checks text against the grammar of JSON (RFC 8259), one byte per call.
 *
 * Tracks where values begin and end and how deep they nest; holds no value, so a document may be
 * larger than memory.  Checks that need values are left to json.h: bytes that are not UTF-8, pairs
 * of surrogates, numbers that are too large, names that come twice.
 */
#ifndef T2_BASE_JSON_GRAMMAR_H
#define T2_BASE_JSON_GRAMMAR_H

#include <stdbool.h>
#include <stdint.h>

enum { T2_JSON_MAX_DEPTH = 1000 };

/* What comes next. */
enum t2_json_state {
    T2_JSON_WANTS_VALUE,
    T2_JSON_WANTS_VALUE_OR_END, /* behind '[' */
    T2_JSON_WANTS_KEY,
    T2_JSON_WANTS_KEY_OR_END, /* behind '{' */
    T2_JSON_WANTS_COLON,
    T2_JSON_AFTER_VALUE,
    T2_JSON_IN_KEY,
    T2_JSON_IN_STRING,
    T2_JSON_IN_LITERAL,
    T2_JSON_IN_NUMBER /* its end is only seen by the byte behind it */
};

/* Zero-initialise. */
struct t2_json_grammar {
    enum t2_json_state state;
    int depth;                    /* brackets that are open */
    char open[T2_JSON_MAX_DEPTH]; /* which they are */
    const char *literal;          /* rest of true, false, null */
    int part;                     /* inside of a number, or of an escape */
};

/* NULL, or what is wrong with this byte here (static text); nothing may follow then. */
const char *t2_json_grammar_step(struct t2_json_grammar *g, uint8_t c);
/* Could the document end here? */
bool t2_json_grammar_is_whole(const struct t2_json_grammar *g);
static inline bool t2_json_is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

#endif
