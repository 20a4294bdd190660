/*
 * tfrec/where_parse.c - the text of a condition becomes steps for where_eval.c.
 *
 * Recursive descent; the depth of brackets and the number of steps are limited, so no text can
 * exhaust the stack or memory.  Regular expressions are limited by where_pattern.c.
 *
 * Grammar, the loosest binding first; a condition is parse_or:
 *
 *   or      = and { "||" and }                     left to right, operands only as far as needed
 *   and     = not { "&&" not }
 *   not     = "!" not | compare
 *   compare = sum [ ("==" | "!=" | "<=" | ">=" | "<" | ">") sum
 *                 | "=~" text | "in" "(" sum { "," sum } ")" ]
 *   sum     = product { ("+" | "-") product }
 *   product = unary { ("*" | "/" | "%") unary }
 *   unary   = "-" unary | value
 *   value   = "(" or ")" | number | text | function "(" [ name ] ")" | name [ "[" number "]" ]
 *   name    = letter or "_", then letters, digits, "_ / . -"  |  any text between back quotes
 *
 * Each rule appends its steps in postfix order, so `a + b * 2` is a, b, 2, multiply, add.  `stack`
 * counts the values that the steps leave, which bounds the evaluator's array.  && and || become
 * jumps over the right operand (parse_chain).
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "tfrec/where_private.h"

enum { MAX_TEXT_BYTES = 1 << 16, MAX_DEPTH = 64, SHOWN_BEFORE = 50, SHOWN_AFTER = 30 };

/* The state of a parse. */
struct parse {
    const char *text;
    size_t at;
    struct rec_where *w;
    int depth;
    int stack; /* values that the steps so far leave */
    struct t2_err *err;
};

static enum t2_status parse_or(struct parse *p);

/* ---- messages ---- */

/* A line of the expression and a caret below the place. */
static enum t2_status fail_at(const struct parse *p, size_t at, const char *what)
{
    size_t n = strlen(p->text);
    size_t begin = at > SHOWN_BEFORE ? at - SHOWN_BEFORE : 0;
    size_t end = n - at > SHOWN_AFTER ? at + SHOWN_AFTER : n;
    char line[SHOWN_BEFORE + SHOWN_AFTER + 1];

    while (begin > 0 && begin < at && ((unsigned char) p->text[begin] & 0xc0) == 0x80)
        begin++; /* not inside of a character */
    for (size_t i = begin; i < end; i++)
        line[i - begin] = p->text[i];
    for (size_t i = 0; i < end - begin; i++) {
        if ((unsigned char) line[i] < 0x20 || line[i] == 0x7f)
            line[i] = ' ';
    }
    line[end - begin] = '\0';
    int column = 0;
    for (size_t i = begin; i < at; i++)
        column += ((unsigned char) p->text[i] & 0xc0) != 0x80;
    return t2_fail(p->err, T2_EUSAGE, "%s at column %zu of the expression\n  %s%s%s\n  %*s^", what,
                   at + 1, begin > 0 ? "..." : "", line, end < n ? "..." : "",
                   column + (begin > 0 ? 3 : 0), "");
}

/* ---- steps ---- */

/* Appends a step that changes the depth of the stack by `pushes`. */
static enum t2_status add(struct parse *p, struct rec_step step, int pushes)
{
    struct rec_where *w = p->w;

    if (w->n_steps == w->steps_capacity) {
        w->steps_capacity = w->steps_capacity == 0 ? 16 : 2 * w->steps_capacity;
        w->steps = t2_realloc(w->steps, w->steps_capacity, sizeof *w->steps);
    }
    w->steps[w->n_steps++] = step;
    p->stack += pushes;
    if (p->stack > REC_WHERE_MAX_STACK)
        return fail_at(p, p->at, "too many values at once");
    return T2_OK;
}

static enum t2_status add_plain(struct parse *p, enum rec_step_kind kind, int pushes)
{
    return add(p, (struct rec_step){.kind = kind}, pushes);
}

/* The index of a feature's name in the table of names, which is added to when the name is new. */
static size_t name_number(struct rec_where *w, const char *name)
{
    for (size_t i = 0; i < w->names.n; i++) {
        if (strcmp(w->names.items[i], name) == 0)
            return i;
    }
    t2_strs_push(&w->names, name);
    return w->names.n - 1;
}

/* ---- tokens ---- */

static void skip_blanks(struct parse *p)
{
    while (p->text[p->at] == ' ' || p->text[p->at] == '\t' || p->text[p->at] == '\n' ||
           p->text[p->at] == '\r')
        p->at++;
}

static bool take(struct parse *p, const char *token)
{
    skip_blanks(p);
    if (!t2_starts_with(p->text + p->at, token))
        return false;
    p->at += strlen(token);
    return true;
}

static bool peek(struct parse *p, char c)
{
    skip_blanks(p);
    return p->text[p->at] == c;
}

static enum t2_status want(struct parse *p, const char *token, const char *what)
{
    return take(p, token) ? T2_OK : fail_at(p, p->at, what);
}

static bool starts_name(char c)
{
    return isalpha((unsigned char) c) || c == '_' || c == '`';
}

static bool in_name(char c)
{
    return isalnum((unsigned char) c) || (c != '\0' && strchr("_/.-", c));
}

/* "in" as a word of its own. */
static bool take_in(struct parse *p)
{
    skip_blanks(p);
    if (!t2_starts_with(p->text + p->at, "in") || in_name(p->text[p->at + 2]))
        return false;
    p->at += 2;
    return true;
}

/* Appends the feature's name; the text is at its first character. */
static enum t2_status read_name(struct parse *p, struct t2_buf *name)
{
    size_t start = p->at;

    if (p->text[p->at] != '`') {
        while (in_name(p->text[p->at]))
            p->at++;
        t2_buf_append(name, p->text + start, p->at - start);
        return T2_OK;
    }
    const char *end = strchr(p->text + start + 1, '`');
    if (!end)
        return fail_at(p, start, "a name without its closing back quote");
    p->at = (size_t) (end - p->text) + 1;
    t2_buf_append(name, p->text + start + 1, p->at - start - 2);
    return T2_OK;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char) (c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The character after a backslash; p->at is on it. */
static enum t2_status read_escape(struct parse *p, struct t2_buf *out)
{
    static const char names[] = "ntr0\\\"'`";
    static const char values[] = "\n\t\r\0\\\"'`";
    char c = p->text[p->at];
    const char *found = c == '\0' ? NULL : strchr(names, c);

    if (found) {
        t2_buf_push(out, (uint8_t) values[found - names]);
        p->at++;
        return T2_OK;
    }
    if (c == 'x') {
        int high = hex_digit(p->text[p->at + 1]);
        int low = high < 0 ? -1 : hex_digit(p->text[p->at + 2]);
        if (low >= 0) {
            t2_buf_push(out, (uint8_t) (high * 16 + low));
            p->at += 3;
            return T2_OK;
        }
    }
    return fail_at(p, p->at - 1, "an escape that is none of \\n \\t \\r \\0 \\xHH \\\\ \\\" \\'");
}

/* A text in quotes; raw: backslashes stay, but for the one before the quote. */
static enum t2_status read_text(struct parse *p, bool raw, struct t2_buf *out)
{
    size_t start = p->at;
    char quote = p->text[p->at++];

    for (;;) {
        char c = p->text[p->at];
        if (c == '\0')
            return fail_at(p, start, "a text without its closing quote");
        p->at++;
        if (c == quote)
            return T2_OK;
        if (c != '\\') {
            t2_buf_push(out, (uint8_t) c);
        } else if (!raw) {
            T2_TRY(read_escape(p, out));
        } else if (p->text[p->at] == quote) {
            t2_buf_push(out, (uint8_t) p->text[p->at++]);
        } else {
            t2_buf_push(out, (uint8_t) c);
            if (p->text[p->at] != '\0')
                t2_buf_push(out, (uint8_t) p->text[p->at++]);
        }
    }
}

/* Digits, a fraction, an exponent; where they end. */
static size_t number_end(const char *s, bool *whole)
{
    size_t n = 0;

    *whole = true;
    while (isdigit((unsigned char) s[n]))
        n++;
    if (s[n] == '.' && (isdigit((unsigned char) s[n + 1]) || n > 0)) {
        *whole = false;
        n++;
        while (isdigit((unsigned char) s[n]))
            n++;
    }
    if (s[n] == 'e' || s[n] == 'E') {
        size_t e = n + 1;
        if (s[e] == '+' || s[e] == '-')
            e++;
        if (isdigit((unsigned char) s[e])) {
            *whole = false;
            n = e;
            while (isdigit((unsigned char) s[n]))
                n++;
        }
    }
    return n;
}

static bool starts_number(const char *s)
{
    return isdigit((unsigned char) s[0]) || (s[0] == '.' && isdigit((unsigned char) s[1]));
}

/* minus: a sign stood before it, so that the smallest int64 can be written. */
static enum t2_status read_number(struct parse *p, bool minus, struct rec_step *step)
{
    bool whole;
    size_t start = p->at;
    size_t n = number_end(p->text + start, &whole);
    char *digits = t2_asprintf("%s%.*s", minus ? "-" : "", (int) n, p->text + start);
    bool ok;

    *step = (struct rec_step){.kind = whole ? REC_STEP_INT : REC_STEP_DOUBLE};
    ok = whole ? t2_parse_i64(digits, &step->i) : t2_parse_double(digits, &step->d);
    t2_free(digits);
    if (!ok)
        return fail_at(p, start,
                       whole ? "an integer that does not fit into 64 bits (write 1e20 for a double)"
                             : "a number too large for a double");
    p->at = start + n;
    if (in_name(p->text[p->at]) && !strchr("-/", p->text[p->at]))
        return fail_at(p, p->at, "a letter in a number");
    return T2_OK;
}

/* ---- values ---- */

static enum t2_status parse_text(struct parse *p)
{
    struct rec_where *w = p->w;

    w->texts = t2_realloc(w->texts, w->n_texts + 1, sizeof *w->texts);
    w->texts[w->n_texts] = (struct t2_buf){NULL, 0, 0};
    w->n_texts++;
    T2_TRY(read_text(p, false, &w->texts[w->n_texts - 1]));
    return add(p, (struct rec_step){.kind = REC_STEP_TEXT, .arg = w->n_texts - 1}, 1);
}

/*
 * A function: looked up before its bracket is read, so that the message can list the functions.
 * Its argument is a feature's name and never a value, as the step works on the whole list.
 */
static enum t2_status parse_call(struct parse *p, const char *name, size_t start)
{
    static const struct {
        const char *name;
        enum rec_step_kind kind;
        bool has_argument;
    } functions[] = {
        {"len", REC_STEP_LEN, true},        {"has", REC_STEP_HAS, true},
        {"min", REC_STEP_MIN, true},        {"max", REC_STEP_MAX, true},
        {"sum", REC_STEP_SUM, true},        {"bytes", REC_STEP_BYTES, false},
        {"record", REC_STEP_RECORD, false},
    };
    struct t2_buf argument = {NULL, 0, 0};
    size_t f = 0;
    enum t2_status st = T2_OK;

    while (f < sizeof functions / sizeof *functions && strcmp(functions[f].name, name) != 0)
        f++;
    if (f == sizeof functions / sizeof *functions)
        return fail_at(p, start, "a function that is none of len has min max sum bytes record");
    T2_TRY(want(p, "(", "a bracket is missing"));
    skip_blanks(p);
    if (functions[f].has_argument) {
        if (!starts_name(p->text[p->at]))
            return fail_at(p, p->at, "the name of a feature is missing");
        st = read_name(p, &argument);
    }
    if (st == T2_OK)
        st = want(p, ")", "a closing bracket is missing");
    if (st == T2_OK) {
        struct rec_step step = {.kind = functions[f].kind};
        if (functions[f].has_argument)
            step.arg = name_number(p->w, t2_buf_cstr(&argument));
        st = add(p, step, 1);
    }
    t2_buf_release(&argument);
    return st;
}

/* "[" number "]" after a name, if it is there. */
static enum t2_status parse_element(struct parse *p, struct rec_step *step)
{
    struct rec_step number;

    if (!take(p, "["))
        return T2_OK;
    bool minus = take(p, "-");
    skip_blanks(p);
    if (!isdigit((unsigned char) p->text[p->at]))
        return fail_at(p, p->at, "the number of an element is missing");
    T2_TRY(read_number(p, minus, &number));
    if (number.kind != REC_STEP_INT)
        return fail_at(p, p->at, "the number of an element is a whole number");
    step->i = number.i;
    return want(p, "]", "a closing ] is missing");
}

/* A name in back quotes is always a feature, one before a bracket a function. */
static enum t2_status parse_name(struct parse *p)
{
    struct t2_buf name = {NULL, 0, 0};
    size_t start = p->at;
    bool quoted = p->text[p->at] == '`';
    enum t2_status st = read_name(p, &name);

    if (st == T2_OK && !quoted && peek(p, '(')) {
        st = parse_call(p, t2_buf_cstr(&name), start);
    } else if (st == T2_OK) {
        struct rec_step step = {.kind = REC_STEP_ELEMENT};
        step.arg = name_number(p->w, t2_buf_cstr(&name));
        st = parse_element(p, &step);
        if (st == T2_OK)
            st = add(p, step, 1);
    }
    t2_buf_release(&name);
    return st;
}

static enum t2_status parse_value(struct parse *p)
{
    skip_blanks(p);
    char c = p->text[p->at];

    if (c == '(') {
        p->at++;
        T2_TRY(parse_or(p));
        return want(p, ")", "a closing bracket is missing");
    }
    if (c == '"' || c == '\'')
        return parse_text(p);
    if (starts_number(p->text + p->at)) {
        struct rec_step step;
        T2_TRY(read_number(p, false, &step));
        return add(p, step, 1);
    }
    if (starts_name(c))
        return parse_name(p);
    return fail_at(p, p->at,
                   c == '\0' ? "the expression ends where a value should be" : "a value should be");
}

/*
 * A sign before digits belongs to the number, as -9223372036854775808 has no positive counterpart.
 */
static enum t2_status parse_unary(struct parse *p)
{
    enum t2_status st;

    skip_blanks(p);
    if (p->text[p->at] != '-')
        return parse_value(p);
    if (++p->depth > MAX_DEPTH)
        return fail_at(p, p->at, "brackets and signs are nested too deep");
    p->at++;
    skip_blanks(p);
    if (starts_number(p->text + p->at)) {
        struct rec_step step;
        st = read_number(p, true, &step);
        if (st == T2_OK)
            st = add(p, step, 1);
    } else {
        st = parse_unary(p);
        if (st == T2_OK)
            st = add_plain(p, REC_STEP_NEGATE, 0);
    }
    p->depth--;
    return st;
}

static enum t2_status parse_product(struct parse *p)
{
    T2_TRY(parse_unary(p));
    for (;;) {
        enum rec_step_kind kind;
        if (take(p, "*"))
            kind = REC_STEP_MULTIPLY;
        else if (take(p, "/"))
            kind = REC_STEP_DIVIDE;
        else if (take(p, "%"))
            kind = REC_STEP_MODULO;
        else
            return T2_OK;
        T2_TRY(parse_unary(p));
        T2_TRY(add_plain(p, kind, -1));
    }
}

static enum t2_status parse_sum(struct parse *p)
{
    T2_TRY(parse_product(p));
    for (;;) {
        enum rec_step_kind kind;
        if (take(p, "+"))
            kind = REC_STEP_ADD;
        else if (take(p, "-"))
            kind = REC_STEP_SUBTRACT;
        else
            return T2_OK;
        T2_TRY(parse_product(p));
        T2_TRY(add_plain(p, kind, -1));
    }
}

/* ---- comparisons ---- */

/*
 * The pattern is checked by where_pattern.c first: glibc's regcomp takes memory and time
 * exponential in some repetitions.
 */
static enum t2_status compile_pattern(struct parse *p, size_t start, const struct t2_buf *pattern)
{
    struct rec_where *w = p->w;
    const char *trouble = rec_pattern_trouble(t2_buf_cstr(pattern));
    char reason[200];
    char message[300];
    int failure;

    if (trouble)
        return fail_at(p, start, trouble);
    w->patterns = t2_realloc(w->patterns, w->n_patterns + 1, sizeof *w->patterns);
    failure = regcomp(&w->patterns[w->n_patterns], t2_buf_cstr(pattern), REG_EXTENDED | REG_NOSUB);
    if (failure != 0) {
        (void) regerror(failure, &w->patterns[w->n_patterns], reason, sizeof reason);
        snprintf(message, sizeof message, "a wrong regular expression (%s)", reason);
        return fail_at(p, start, message);
    }
    w->n_patterns++;
    return add(p, (struct rec_step){.kind = REC_STEP_MATCH, .arg = w->n_patterns - 1}, 0);
}

static enum t2_status parse_pattern(struct parse *p)
{
    struct t2_buf pattern = {NULL, 0, 0};
    size_t start;
    enum t2_status st;

    skip_blanks(p);
    start = p->at;
    if (p->text[start] != '"' && p->text[start] != '\'')
        return fail_at(p, start, "a regular expression in quotes is missing");
    st = read_text(p, true, &pattern);
    if (st == T2_OK)
        st = compile_pattern(p, start, &pattern);
    t2_buf_release(&pattern);
    return st;
}

static enum t2_status parse_in(struct parse *p)
{
    int n = 0;

    T2_TRY(want(p, "(", "a bracket is missing"));
    do {
        T2_TRY(parse_sum(p));
        n++;
    } while (take(p, ","));
    T2_TRY(want(p, ")", "a closing bracket is missing"));
    return add(p, (struct rec_step){.kind = REC_STEP_IN, .arg = (size_t) n}, -n);
}

/*
 * Comparisons do not chain: after `a < b` another `<` is refused by the caller as a missing
 * operator.
 */
static enum t2_status parse_compare(struct parse *p)
{
    static const struct {
        const char *token;
        enum rec_step_kind kind;
    } operators[] = {
        {"==", REC_STEP_EQ}, {"!=", REC_STEP_NE}, {"<=", REC_STEP_LE},
        {">=", REC_STEP_GE}, {"<", REC_STEP_LT},  {">", REC_STEP_GT},
    };

    T2_TRY(parse_sum(p));
    if (take(p, "=~"))
        return parse_pattern(p);
    if (take_in(p))
        return parse_in(p);
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (!take(p, operators[i].token))
            continue;
        T2_TRY(parse_sum(p));
        return add_plain(p, operators[i].kind, -1);
    }
    if (peek(p, '='))
        return fail_at(p, p->at, "a single = (== compares, =~ matches)");
    return T2_OK;
}

static enum t2_status parse_not(struct parse *p)
{
    enum t2_status st;

    if (++p->depth > MAX_DEPTH)
        return fail_at(p, p->at, "brackets and signs are nested too deep");
    if (take(p, "!")) {
        st = parse_not(p);
        if (st == T2_OK)
            st = add_plain(p, REC_STEP_NOT, 0);
    } else {
        st = parse_compare(p);
    }
    p->depth--;
    return st;
}

/* Operands of && or ||:  left, TRUTH, jump to the end when it decides, right, TRUTH.  The jump's
 * target is filled in when the right operand is complete. */
static enum t2_status parse_chain(struct parse *p, const char *token, enum rec_step_kind jump,
                                  enum t2_status (*operand)(struct parse *))
{
    T2_TRY(operand(p));
    while (take(p, token)) {
        T2_TRY(add_plain(p, REC_STEP_TRUTH, 0));
        size_t from = p->w->n_steps;
        T2_TRY(add_plain(p, jump, -1));
        T2_TRY(operand(p));
        T2_TRY(add_plain(p, REC_STEP_TRUTH, 0));
        p->w->steps[from].arg = p->w->n_steps;
    }
    return T2_OK;
}

static enum t2_status parse_and(struct parse *p)
{
    return parse_chain(p, "&&", REC_STEP_AND, parse_not);
}

static enum t2_status parse_or(struct parse *p)
{
    return parse_chain(p, "||", REC_STEP_OR, parse_and);
}

/* ---- whole ---- */

/*
 * Parses up to a comma, a colon or the end, at which *at is left: a list of conditions is cut by
 * its caller.
 */
enum t2_status rec_where_parse_part(const char *text, size_t *at, struct rec_where **w,
                                    struct t2_err *err)
{
    struct parse p = {.text = text, .at = *at, .err = err};
    enum t2_status st;

    *w = NULL;
    if (strlen(text) > MAX_TEXT_BYTES)
        return t2_fail(err, T2_EUSAGE, "an expression of %zu bytes; the limit is %d", strlen(text),
                       (int) MAX_TEXT_BYTES);
    p.w = t2_alloc(1, sizeof *p.w);
    st = parse_or(&p);
    skip_blanks(&p);
    if (st == T2_OK && text[p.at] != '\0' && text[p.at] != ',' && text[p.at] != ':')
        st = fail_at(&p, p.at, "an operator should be");
    if (st != T2_OK) {
        rec_where_free(p.w);
        return st;
    }
    *at = p.at;
    *w = p.w;
    return T2_OK;
}

enum t2_status rec_where_parse(const char *text, struct rec_where **w, struct t2_err *err)
{
    struct parse p = {.text = text, .err = err};

    T2_TRY(rec_where_parse_part(text, &p.at, w, err));
    if (text[p.at] == '\0')
        return T2_OK;
    rec_where_free(*w);
    *w = NULL;
    return fail_at(&p, p.at, "an operator should be");
}

void rec_where_free(struct rec_where *w)
{
    if (!w)
        return;
    for (size_t i = 0; i < w->n_texts; i++)
        t2_buf_release(&w->texts[i]);
    for (size_t i = 0; i < w->n_patterns; i++)
        regfree(&w->patterns[i]);
    t2_free(w->texts);
    t2_free(w->patterns);
    t2_strs_release(&w->names);
    t2_free(w->steps);
    t2_free(w);
}

void rec_where_features(const struct rec_where *w, struct t2_strs *names)
{
    for (size_t i = 0; i < w->names.n; i++) {
        if (!t2_strs_contains(names, w->names.items[i]))
            t2_strs_push(names, w->names.items[i]);
    }
}

bool rec_where_needs_example(const struct rec_where *w)
{
    return w->names.n > 0;
}
