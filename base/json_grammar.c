/*
 * base/json_grammar.c - the grammar of JSON as a machine of states with a stack of brackets.
 *
 * One call per byte, no recursion and no memory beyond the struct, so a document of any size can
 * be checked while it streams past.  The grammar is RFC 8259's.  States and the byte that leads
 * on:
 *
 *   WANTS_VALUE          value                                      -> IN_* or a bracket
 *   WANTS_VALUE_OR_END   behind '[': value or ']'
 *   WANTS_KEY_OR_END     behind '{': '"' or '}'
 *   WANTS_KEY            behind ',' in an object: '"'               -> IN_KEY
 *   IN_KEY               '"'                                        -> WANTS_COLON
 *   WANTS_COLON          ':'                                        -> WANTS_VALUE
 *   IN_STRING            '"'                                        -> AFTER_VALUE
 *   IN_NUMBER            the first byte that is no part of it       -> AFTER_VALUE, which sees it
 *   IN_LITERAL           its last letter                            -> AFTER_VALUE
 *   AFTER_VALUE          ',' (as the open bracket has it), '}', ']'
 *
 * `open` is the stack of brackets as characters; `part` is the state within a number or a string.
 * Every function returns NULL or what is wrong with the byte.
 */
#include "base/json_grammar.h"

#include <stddef.h>

/*
 * Parts of a number, and of an escape: \u is followed by four hexadecimal digits.
 *
 * A number is [-] (0 | 1-9 {0-9}) [. 0-9 {0-9}] [e|E [+|-] 0-9 {0-9}]; each constant names what
 * was read last.
 */
enum { MINUS, ZERO, DIGITS, POINT, FRACTION, EXPONENT, SIGN, POWER };
enum { PLAIN, AFTER_BACKSLASH, HEX_1, HEX_2, HEX_3, HEX_4 };

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static bool is_hex(uint8_t c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static const char *open_bracket(struct t2_json_grammar *g, uint8_t c)
{
    if (g->depth == T2_JSON_MAX_DEPTH)
        return "nested too deeply";
    g->open[g->depth++] = (char) c;
    g->state = c == '{' ? T2_JSON_WANTS_KEY_OR_END : T2_JSON_WANTS_VALUE_OR_END;
    return NULL;
}

static const char *close_bracket(struct t2_json_grammar *g, uint8_t c)
{
    if (g->depth == 0 || g->open[g->depth - 1] != (c == '}' ? '{' : '['))
        return "a bracket that was not opened";
    g->depth--;
    g->state = T2_JSON_AFTER_VALUE;
    return NULL;
}

static const char *begin_value(struct t2_json_grammar *g, uint8_t c)
{
    if (c == '{' || c == '[')
        return open_bracket(g, c);
    g->part = PLAIN;
    if (c == '"') {
        g->state = T2_JSON_IN_STRING;
    } else if (c == '-' || is_digit(c)) {
        g->state = T2_JSON_IN_NUMBER;
        g->part = c == '-' ? MINUS : c == '0' ? ZERO : DIGITS;
    } else if (c == 't' || c == 'f' || c == 'n') {
        g->state = T2_JSON_IN_LITERAL;
        g->literal = c == 't' ? "rue" : c == 'f' ? "alse" : "ull";
    } else {
        return "a value must come here";
    }
    return NULL;
}

static const char *after_value(struct t2_json_grammar *g, uint8_t c)
{
    if (c == '}' || c == ']')
        return close_bracket(g, c);
    if (g->depth == 0)
        return "something behind the document";
    if (c != ',')
        return "a comma or a closing bracket must come here";
    g->state = g->open[g->depth - 1] == '{' ? T2_JSON_WANTS_KEY : T2_JSON_WANTS_VALUE;
    return NULL;
}

static const char *step_string(struct t2_json_grammar *g, uint8_t c)
{
    if (c < ' ')
        return "a control character in a string";
    if (g->part == AFTER_BACKSLASH) {
        g->part = c == 'u' ? HEX_1 : PLAIN;
        switch (c) {
        case '"':
        case '\\':
        case '/':
        case 'b':
        case 'f':
        case 'n':
        case 'r':
        case 't':
        case 'u':
            return NULL;
        default:
            return "an escape that JSON does not know";
        }
    }
    if (g->part >= HEX_1) {
        g->part = g->part == HEX_4 ? PLAIN : g->part + 1;
        return is_hex(c) ? NULL : "four hexadecimal digits must follow \\u";
    }
    if (c == '\\')
        g->part = AFTER_BACKSLASH;
    else if (c == '"')
        g->state = g->state == T2_JSON_IN_KEY ? T2_JSON_WANTS_COLON : T2_JSON_AFTER_VALUE;
    return NULL;
}

/* The part of a number that a byte leads to; -1: it does not go on. */
static int next_part(int part, uint8_t c)
{
    switch (part) {
    case MINUS:
        return c == '0' ? ZERO : is_digit(c) ? DIGITS : -1;
    case ZERO:
    case DIGITS:
        if (part == DIGITS && is_digit(c))
            return DIGITS;
        return c == '.' ? POINT : c == 'e' || c == 'E' ? EXPONENT : -1;
    case POINT:
        return is_digit(c) ? FRACTION : -1;
    case FRACTION:
        return is_digit(c) ? FRACTION : c == 'e' || c == 'E' ? EXPONENT : -1;
    case EXPONENT:
        return is_digit(c) ? POWER : c == '+' || c == '-' ? SIGN : -1;
    default:
        return is_digit(c) ? POWER : -1;
    }
}

static bool ends_number(int part)
{
    return part == ZERO || part == DIGITS || part == FRACTION || part == POWER;
}

/*
 * A number has no last byte of its own: only the byte behind it ends it, and that byte belongs to
 * what encloses the number, so it goes through after_value in the same step.
 */
static const char *step_number(struct t2_json_grammar *g, uint8_t c)
{
    int part = next_part(g->part, c);

    if (part >= 0) {
        g->part = part;
        return NULL;
    }
    if (!ends_number(g->part))
        return "a digit must come here";
    g->state = T2_JSON_AFTER_VALUE;
    return t2_json_is_blank(c) ? NULL : after_value(g, c);
}

static const char *step_literal(struct t2_json_grammar *g, uint8_t c)
{
    if (c != (uint8_t) *g->literal)
        return "neither true, false, nor null";
    if (*++g->literal == '\0')
        g->state = T2_JSON_AFTER_VALUE;
    return NULL;
}

/* Between tokens. */
static const char *step_token(struct t2_json_grammar *g, uint8_t c)
{
    switch (g->state) {
    case T2_JSON_WANTS_VALUE_OR_END:
        return c == ']' ? close_bracket(g, c) : begin_value(g, c);
    case T2_JSON_WANTS_KEY_OR_END:
    case T2_JSON_WANTS_KEY:
        if (c == '}' && g->state == T2_JSON_WANTS_KEY_OR_END)
            return close_bracket(g, c);
        if (c != '"')
            return "a name between quotes must come here";
        g->state = T2_JSON_IN_KEY;
        g->part = PLAIN;
        return NULL;
    case T2_JSON_WANTS_COLON:
        if (c != ':')
            return "a colon must come here";
        g->state = T2_JSON_WANTS_VALUE;
        return NULL;
    case T2_JSON_AFTER_VALUE:
        return after_value(g, c);
    default:
        return begin_value(g, c);
    }
}

const char *t2_json_grammar_step(struct t2_json_grammar *g, uint8_t c)
{
    switch (g->state) {
    case T2_JSON_IN_KEY:
    case T2_JSON_IN_STRING:
        return step_string(g, c);
    case T2_JSON_IN_NUMBER:
        return step_number(g, c);
    case T2_JSON_IN_LITERAL:
        return step_literal(g, c);
    default:
        return t2_json_is_blank(c) ? NULL : step_token(g, c);
    }
}

bool t2_json_grammar_is_whole(const struct t2_json_grammar *g)
{
    return g->depth == 0 && (g->state == T2_JSON_AFTER_VALUE ||
                             (g->state == T2_JSON_IN_NUMBER && ends_number(g->part)));
}
