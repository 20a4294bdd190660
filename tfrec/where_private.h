/*
 * tfrec/where_private.h - a condition as where_parse.c leaves it and where_eval.c runs it: postfix
 * steps for a small stack machine, so that neither a long nor a deep expression costs stack.
 */
#ifndef REC_WHERE_PRIVATE_H
#define REC_WHERE_PRIVATE_H

#include <regex.h>

#include "tfrec/where.h"

enum rec_step_kind {
    REC_STEP_INT,
    REC_STEP_DOUBLE,
    REC_STEP_TEXT,    /* texts[arg] */
    REC_STEP_ELEMENT, /* names[arg], i: which element */
    REC_STEP_LEN,     /* names[arg], and so on */
    REC_STEP_HAS,
    REC_STEP_MIN,
    REC_STEP_MAX,
    REC_STEP_SUM,
    REC_STEP_BYTES,
    REC_STEP_RECORD,
    REC_STEP_NEGATE,
    REC_STEP_NOT,
    REC_STEP_TRUTH, /* of the top, as 0 or 1 */
    REC_STEP_AND,   /* top false: go to step arg with 0 there; else take it away and go on */
    REC_STEP_OR,    /* the same for true and 1 */
    REC_STEP_ADD,
    REC_STEP_SUBTRACT,
    REC_STEP_MULTIPLY,
    REC_STEP_DIVIDE,
    REC_STEP_MODULO,
    REC_STEP_EQ,
    REC_STEP_NE,
    REC_STEP_LT,
    REC_STEP_LE,
    REC_STEP_GT,
    REC_STEP_GE,
    REC_STEP_MATCH, /* top against patterns[arg] */
    REC_STEP_IN     /* is the value below the arg top ones one of them? */
};

struct rec_step {
    enum rec_step_kind kind;
    size_t arg;
    int64_t i;
    double d;
};

enum { REC_WHERE_MAX_STACK = 256 };

struct rec_where {
    struct rec_step *steps;
    size_t n_steps, steps_capacity;
    struct t2_strs names;
    struct t2_buf *texts; /* may hold NUL */
    size_t n_texts;
    regex_t *patterns;
    size_t n_patterns;
};

/* Is a regular expression small enough for regcomp?  NULL, or what is wrong with it. */
const char *rec_pattern_trouble(const char *pattern);

#endif
