/*
 * tfrec/where_pattern.c - how large a regular expression becomes, before the C library compiles it.
 *
 * The C library's compiler needs memory and time that grow without bound with nested repetitions
 * and brackets: ((a{99}){99}){99} is a million nodes.  This estimates the number of nodes from the
 * text alone, in one pass, and refuses patterns above a limit.
 */
#include <ctype.h>
#include <string.h>

#include "tfrec/where_private.h"

enum {
    MAX_PATTERN_BYTES = 1000,
    MAX_PATTERN_DEPTH = 32,
    MAX_PATTERN_NODES = 2000,
    MAX_REPEATED_REPETITIONS = 4
};

/* Larger than any count that the C library accepts in { }. */
static uint64_t largest_count(const char *s, size_t i)
{
    uint64_t count = 0;
    uint64_t largest = 1;

    for (i++; s[i] != '\0' && s[i] != '}'; i++) {
        if (isdigit((unsigned char) s[i]) && count < 100000)
            count = count * 10 + (uint64_t) (s[i] - '0');
        else
            count = 0;
        if (count > largest)
            largest = count;
    }
    return largest + 1;
}

/* Where a [list] that begins at s[i] ends: the number of its ], or the end of the text. */
static size_t list_end(const char *s, size_t i)
{
    i += s[i + 1] == '^' ? 2 : 1;
    if (s[i] == ']')
        i++;
    while (s[i] != '\0' && s[i] != ']') {
        char kind = s[i] == '[' ? s[i + 1] : '\0';
        if (kind == ':' || kind == '.' || kind == '=') {
            size_t k = i + 2;
            while (s[k] != '\0' && !(s[k] == kind && s[k + 1] == ']'))
                k++;
            if (s[k] != '\0')
                i = k + 1;
        }
        i++;
    }
    return i;
}

/*
 * The C library copies what a + or {} repeats, so that nested ones grow without limit: this is how
 * many nodes it will make.  sum[depth]: of a bracket, without its last part, which a repetition
 * would take.
 *
 * Repetitions of repetitions, (a+)+ and a++, also cost time that doubles with each, in what the
 * library can reach without reading a character: nested[depth] counts those in each other.
 */
struct pattern_size {
    uint64_t sum[MAX_PATTERN_DEPTH + 1];
    int nested[MAX_PATTERN_DEPTH + 1];
    uint64_t last;
    int last_nested;
    int depth;
};

static void next_part(struct pattern_size *z, uint64_t size)
{
    z->sum[z->depth] += z->last;
    if (z->last_nested > z->nested[z->depth])
        z->nested[z->depth] = z->last_nested;
    z->last = size;
    z->last_nested = 0;
}

static void repeat_part(struct pattern_size *z, uint64_t size)
{
    z->last = size;
    z->last_nested++;
}

static void close_bracket(struct pattern_size *z)
{
    next_part(z, 0);
    z->last =
        z->sum[z->depth] + 2; /* brackets are nodes, too; one that was not opened is a character */
    z->sum[z->depth] = 0;
    z->last_nested = z->nested[z->depth];
    z->nested[z->depth] = 0;
    if (z->depth > 0)
        z->depth--;
}

const char *rec_pattern_trouble(const char *pattern)
{
    const char *s = pattern;
    struct pattern_size z = {.last = 0};

    if (strlen(s) > MAX_PATTERN_BYTES)
        return "a regular expression of more than 1000 bytes";
    for (size_t i = 0; s[i] != '\0'; i++) {
        if (s[i] == '\\' && s[i + 1] != '\0') {
            i++;
            if (isdigit((unsigned char) s[i]))
                return "a back reference, which is not supported,";
            next_part(&z, 1);
        } else if (s[i] == '[') {
            next_part(&z, 1);
            i = list_end(s, i);
            if (s[i] == '\0')
                break; /* regcomp reports it */
        } else if (s[i] == '(') {
            if (z.depth == MAX_PATTERN_DEPTH)
                return "a regular expression with too many opening brackets";
            next_part(&z, 0);
            z.depth++;
        } else if (s[i] == ')') {
            close_bracket(&z);
        } else if (s[i] == '+') {
            repeat_part(&z, 2 * z.last + 1);
        } else if (s[i] == '*' || s[i] == '?') {
            repeat_part(&z, z.last + 1); /* of the same part: what repeats next repeats all of it */
        } else if (s[i] == '{') {
            repeat_part(&z, (z.last + 1) * largest_count(s, i));
            i += strspn(s + i + 1, "0123456789,"); /* a } follows, or it is no count */
            i += s[i + 1] == '}';
        } else {
            next_part(&z, 1);
        }
        if (z.last > MAX_PATTERN_NODES || z.sum[z.depth] > MAX_PATTERN_NODES ||
            z.last_nested > MAX_REPEATED_REPETITIONS)
            return "a regular expression with too many nested repetitions";
    }
    return NULL;
}
