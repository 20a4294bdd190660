/*
 * datagen/images/pickle.c - pickles as data: a stack machine whose calls are only recorded.
 *
 * A pickle is a program for a machine with a stack, marks and a memo (Python's pickletools.py). Its
 * REDUCE operation calls any function by name, so unpickling foreign files runs foreign code.  Here
 * a call becomes a value P_CALL with the function's name and arguments as children, and the reader
 * of CIFAR's dictionaries recognises the two that NumPy writes:
 *
 *   array   P_CALL  _reconstruct, (ndarray, (0,), b'b'), state
 *           state   (version, shape, dtype, Fortran order, bytes)
 *   bytes   P_BYTES, or, of Python 3 with protocol 2, P_CALL encode, (text, 'latin1')
 *
 * Protocols 2 to 4.  Values and links are arrays with indices: memory is proportional to the number
 * of operations, so to the file.
 */
#include "datagen/images/pickle.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"

enum kind { P_NONE, P_INT, P_TEXT, P_BYTES, P_TUPLE, P_LIST, P_DICT, P_GLOBAL, P_CALL };

/*
 * A value is an index into values[]; its children are a chain of links.  A dict has key, value,
 * key, value, ...; a call has its function, the tuple of arguments and, after BUILD, the state.
 * Chains, not arrays, as a list grows by APPEND one at a time while other values are made.  The
 * same value may be a child of several (through the memo), hence links apart from values.
 */
struct value {
    enum kind kind;
    int64_t number;
    struct t2_slice bytes;
    uint32_t first, last, n; /* links + 1 */
};
struct link {
    uint32_t value, next;
};

struct list {
    uint32_t *items;
    size_t n, capacity;
};

struct dg_pickle {
    struct t2_slice file;
    const char *origin;
    size_t at;
    struct value *values;
    size_t n_values, values_capacity;
    struct link *links;
    size_t n_links, links_capacity;
    struct list stack, marks, memo;
};

static enum t2_status bad(const struct dg_pickle *p, size_t at, const char *what,
                          struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT, "'%s': offset %zu: %s", p->origin, at, what);
}

void dg_pickle_free(struct dg_pickle *p)
{
    if (!p)
        return;
    t2_free(p->values);
    t2_free(p->links);
    t2_free(p->stack.items);
    t2_free(p->marks.items);
    t2_free(p->memo.items);
    t2_free(p);
}

static void list_push(struct list *l, uint32_t item)
{
    if (l->n == l->capacity) {
        l->capacity = l->capacity ? 2 * l->capacity : 64;
        l->items = t2_realloc(l->items, l->capacity, sizeof *l->items);
    }
    l->items[l->n++] = item;
}

static uint32_t add_value(struct dg_pickle *p, struct value v)
{
    if (p->n_values == p->values_capacity) {
        p->values_capacity = p->values_capacity ? 2 * p->values_capacity : 256;
        p->values = t2_realloc(p->values, p->values_capacity, sizeof *p->values);
    }
    p->values[p->n_values] = v;
    return (uint32_t) p->n_values++;
}

static void push(struct dg_pickle *p, struct value v)
{
    list_push(&p->stack, add_value(p, v));
}

static void add_child(struct dg_pickle *p, uint32_t parent, uint32_t child)
{
    struct value *v = &p->values[parent];

    if (p->n_links == p->links_capacity) {
        p->links_capacity = p->links_capacity ? 2 * p->links_capacity : 256;
        p->links = t2_realloc(p->links, p->links_capacity, sizeof *p->links);
    }
    p->links[p->n_links++] = (struct link){child, 0};
    if (v->last)
        p->links[v->last - 1].next = (uint32_t) p->n_links;
    else
        v->first = (uint32_t) p->n_links;
    v->last = (uint32_t) p->n_links;
    v->n++;
}

/* ---- arguments of operations ---- */

static bool take(struct dg_pickle *p, size_t n, const uint8_t **data)
{
    if (n > p->file.len_bytes - p->at)
        return false;
    *data = p->file.data + p->at;
    p->at += n;
    return true;
}

/* Little endian, 1 ... 8 bytes. */
static bool take_number(struct dg_pickle *p, size_t n, uint64_t *number)
{
    const uint8_t *data;

    if (!take(p, n, &data))
        return false;
    *number = 0;
    while (n > 0)
        *number = *number << 8 | data[--n];
    return true;
}

/* A length of n bytes, then so many bytes. */
static bool take_counted(struct dg_pickle *p, size_t n, struct t2_slice *bytes)
{
    uint64_t len;

    if (!take_number(p, n, &len) || len > p->file.len_bytes - p->at)
        return false;
    bytes->len_bytes = (size_t) len;
    return take(p, (size_t) len, &bytes->data);
}

static bool take_line(struct dg_pickle *p, struct t2_slice *line)
{
    const uint8_t *start = p->file.data + p->at;
    const uint8_t *end =
        p->at < p->file.len_bytes ? memchr(start, '\n', p->file.len_bytes - p->at) : NULL;

    if (!end)
        return false;
    *line = (struct t2_slice){start, (size_t) (end - start)};
    p->at += line->len_bytes + 1;
    return true;
}

/* ---- the stack ---- */

/*
 * A mark is the height of the stack at MARK; operations take values above the last mark only, so a
 * damaged pickle cannot take those of an outer list.
 */

static size_t floor_of(const struct dg_pickle *p)
{
    return p->marks.n ? p->marks.items[p->marks.n - 1] : 0;
}

static bool has(const struct dg_pickle *p, size_t n)
{
    return p->stack.n >= floor_of(p) + n;
}

/* The n values on top become one value of this kind. */
static bool collect(struct dg_pickle *p, enum kind kind, size_t n)
{
    uint32_t v;

    if (!has(p, n))
        return false;
    v = add_value(p, (struct value){.kind = kind});
    for (size_t i = p->stack.n - n; i < p->stack.n; i++)
        add_child(p, v, p->stack.items[i]);
    p->stack.n -= n;
    list_push(&p->stack, v);
    return true;
}

/* The n values on top become children of the one below them. */
static bool hang(struct dg_pickle *p, size_t n, enum kind to)
{
    uint32_t parent;

    if (!has(p, n + 1))
        return false;
    parent = p->stack.items[p->stack.n - n - 1];
    if (p->values[parent].kind != to || (to == P_DICT && n % 2 != 0))
        return false;
    for (size_t i = p->stack.n - n; i < p->stack.n; i++)
        add_child(p, parent, p->stack.items[i]);
    p->stack.n -= n;
    return true;
}

/* As hang, of all above the mark. */
static bool hang_marked(struct dg_pickle *p, enum kind to)
{
    size_t n;

    if (p->marks.n == 0)
        return false;
    n = p->stack.n - floor_of(p);
    p->marks.n--;
    return hang(p, n, to);
}

static bool tuple_marked(struct dg_pickle *p)
{
    size_t n;

    if (p->marks.n == 0)
        return false;
    n = p->stack.n - floor_of(p);
    p->marks.n--;
    return collect(p, P_TUPLE, n);
}

/* memo[place] = the top.  Places beyond the file's size are refused: an honest pickle counts them
 * up with one operation each. */
static bool remember(struct dg_pickle *p, uint64_t place)
{
    if (!has(p, 1) || place > p->file.len_bytes)
        return false;
    while (p->memo.n <= place)
        list_push(&p->memo, UINT32_MAX);
    p->memo.items[place] = p->stack.items[p->stack.n - 1];
    return true;
}

static bool recall(struct dg_pickle *p, uint64_t place)
{
    if (place >= p->memo.n || p->memo.items[place] == UINT32_MAX)
        return false;
    list_push(&p->stack, p->memo.items[place]);
    return true;
}

/* ---- operations ---- */

static bool push_counted(struct dg_pickle *p, size_t n, enum kind kind)
{
    struct value v = {.kind = kind};

    if (!take_counted(p, n, &v.bytes))
        return false;
    push(p, v);
    return true;
}

static bool push_int(struct dg_pickle *p, size_t n, bool is_signed)
{
    uint64_t number;

    if (!take_number(p, n, &number))
        return false;
    push(p, (struct value){.kind = P_INT,
                           .number = is_signed ? (int64_t) (int32_t) (uint32_t) number
                                               : (int64_t) number});
    return true;
}

static bool push_global(struct dg_pickle *p)
{
    struct t2_slice module, name;

    if (!take_line(p, &module) || !take_line(p, &name))
        return false;
    push(p, (struct value){.kind = P_GLOBAL, .bytes = name});
    return true;
}

/* STACK_GLOBAL: module and name are the two values on top. */
static bool global_of_stack(struct dg_pickle *p)
{
    struct value v = {.kind = P_GLOBAL};

    if (!has(p, 2))
        return false;
    v.bytes = p->values[p->stack.items[p->stack.n - 1]].bytes;
    p->stack.n -= 2;
    push(p, v);
    return true;
}

static bool get(struct dg_pickle *p, size_t n)
{
    uint64_t place;

    return take_number(p, n, &place) && recall(p, place);
}

static bool put(struct dg_pickle *p, size_t n)
{
    uint64_t place;

    return take_number(p, n, &place) && remember(p, place);
}

static bool mark(struct dg_pickle *p)
{
    list_push(&p->marks, (uint32_t) p->stack.n);
    return true;
}

static bool simple(struct dg_pickle *p, enum kind kind, int64_t number)
{
    push(p, (struct value){.kind = kind, .number = number});
    return true;
}

static bool skip(struct dg_pickle *p, size_t n)
{
    const uint8_t *unused;

    return take(p, n, &unused);
}

/* One operation; names and codes as in pickletools.py.  The comments name the operations whose code
 * is no letter or whose treatment differs from Python's. */
/* clang-format off */
static bool step(struct dg_pickle *p, uint8_t op, bool *known)
{
    switch (op) {
    case 0x80: return skip(p, 1);                /* PROTO */
    case 0x95: return skip(p, 8);                /* FRAME */
    case '(': return mark(p);
    case '}': return simple(p, P_DICT, 0);
    case ']': return simple(p, P_LIST, 0);
    case ')': return simple(p, P_TUPLE, 0);
    case 'N': return simple(p, P_NONE, 0);
    case 0x88: return simple(p, P_INT, 1);       /* True */
    case 0x89: return simple(p, P_INT, 0);       /* False */
    case 'K': return push_int(p, 1, false);
    case 'M': return push_int(p, 2, false);
    case 'J': return push_int(p, 4, true);
    case 'U': return push_counted(p, 1, P_BYTES);
    case 'T': return push_counted(p, 4, P_BYTES);
    case 'C': return push_counted(p, 1, P_BYTES);
    case 'B': return push_counted(p, 4, P_BYTES);
    case 0x8e: return push_counted(p, 8, P_BYTES);
    case 0x8c: return push_counted(p, 1, P_TEXT);
    case 'X': return push_counted(p, 4, P_TEXT);
    case 0x8d: return push_counted(p, 8, P_TEXT);
    case 'c': return push_global(p);
    case 0x93: return global_of_stack(p);
    case 'q': return put(p, 1);
    case 'r': return put(p, 4);
    case 0x94: return remember(p, p->memo.n);
    case 'h': return get(p, 1);
    case 'j': return get(p, 4);
    case 't': return tuple_marked(p);
    case 0x85: return collect(p, P_TUPLE, 1);
    case 0x86: return collect(p, P_TUPLE, 2);
    case 0x87: return collect(p, P_TUPLE, 3);
    case 'R': return collect(p, P_CALL, 2);      /* function, arguments */
    case 'b': return hang(p, 1, P_CALL);         /* and a state */
    case 'a': return hang(p, 1, P_LIST);
    case 'e': return hang_marked(p, P_LIST);
    case 's': return hang(p, 2, P_DICT);
    case 'u': return hang_marked(p, P_DICT);
    default: *known = false; return false;
    }
}
/* clang-format on */

static enum t2_status run(struct dg_pickle *p, struct t2_err *err)
{
    while (p->at < p->file.len_bytes) {
        size_t at = p->at;
        uint8_t op = p->file.data[p->at++];
        bool known = true;
        if (op == '.') {
            if (p->marks.n || p->stack.n != 1 || p->values[p->stack.items[0]].kind != P_DICT)
                return bad(p, at, "the pickle is no dict", err);
            return T2_OK;
        }
        if (!step(p, op, &known))
            return bad(p, at,
                       known ? "the pickle is damaged"
                             : "a pickle of a kind that is not read here: pickle it with "
                               "protocol=2",
                       err);
    }
    return bad(p, p->at, "the pickle is cut short", err);
}

enum t2_status dg_pickle_parse(struct t2_slice file, const char *origin, struct dg_pickle **p,
                               struct t2_err *err)
{
    enum t2_status st;

    *p = t2_alloc(1, sizeof **p);
    (*p)->file = file;
    (*p)->origin = origin;
    if (file.len_bytes >= UINT32_MAX)
        st = t2_fail(err, T2_EUNSUPPORTED, "'%s': too large for a pickle of images", origin);
    else
        st = run(*p, err);
    if (st != T2_OK) {
        dg_pickle_free(*p);
        *p = NULL;
    }
    return st;
}

/* ---- looking things up ---- */

/* Child i; NULL when there is none. */
static const struct value *child(const struct dg_pickle *p, const struct value *v, size_t i)
{
    uint32_t link = v ? v->first : 0;

    while (link && i-- > 0)
        link = p->links[link - 1].next;
    return link ? &p->values[p->links[link - 1].value] : NULL;
}

static bool is_text(const struct value *v, const char *text)
{
    return v && (v->kind == P_TEXT || v->kind == P_BYTES || v->kind == P_GLOBAL) &&
           t2_slice_eq(v->bytes, t2_slice_of(text));
}

/* The value of a key of the outermost dict; of equal keys the last one, as in Python. */
static const struct value *find(const struct dg_pickle *p, const char *key)
{
    const struct value *dict = &p->values[p->stack.items[0]], *found = NULL;

    for (uint32_t link = dict->first; link;) {
        const struct link *k = &p->links[link - 1], *v = &p->links[k->next - 1];
        if (is_text(&p->values[k->value], key))
            found = &p->values[v->value];
        link = v->next;
    }
    return found;
}

enum t2_status dg_pickle_ints(const struct dg_pickle *p, const char *key, int64_t **ints, size_t *n,
                              struct t2_err *err)
{
    const struct value *list = find(p, key);

    *ints = NULL;
    *n = 0;
    if (!list || list->kind != P_LIST)
        return t2_fail(err, T2_EFORMAT, "'%s': no list '%s' in the pickle", p->origin, key);
    *ints = t2_alloc((size_t) list->n + 1, sizeof **ints);
    for (uint32_t link = list->first; link; link = p->links[link - 1].next) {
        const struct value *v = &p->values[p->links[link - 1].value];
        if (v->kind != P_INT) {
            t2_free(*ints);
            *ints = NULL;
            return t2_fail(err, T2_EFORMAT, "'%s': '%s' holds something that is no int", p->origin,
                           key);
        }
        (*ints)[(*n)++] = v->number;
    }
    return T2_OK;
}

/* Text of Latin-1 as bytes: how Python 3 pickles bytes with protocol 2. */
static bool append_latin1(struct t2_slice text, struct t2_buf *bytes)
{
    for (size_t i = 0; i < text.len_bytes; i++) {
        uint8_t c = text.data[i];
        if (c >= 0x80) {
            if ((c != 0xc2 && c != 0xc3) || i + 1 == text.len_bytes ||
                (text.data[i + 1] & 0xc0) != 0x80)
                return false;
            c = (uint8_t) (c << 6 | (text.data[++i] & 0x3f));
        }
        t2_buf_push(bytes, c);
    }
    return true;
}

static bool append_bytes(const struct dg_pickle *p, const struct value *v, struct t2_buf *bytes)
{
    if (v && v->kind == P_BYTES) {
        t2_buf_append(bytes, v->bytes.data, v->bytes.len_bytes);
        return true;
    }
    if (v && v->kind == P_CALL && is_text(child(p, v, 0), "encode")) {
        const struct value *text = child(p, child(p, v, 1), 0);
        return text && text->kind == P_TEXT && append_latin1(text->bytes, bytes);
    }
    return false;
}

/* The state of an array: version, shape, dtype, Fortran order, bytes. */
static bool is_matrix(const struct dg_pickle *p, const struct value *state, uint64_t dims[2])
{
    const struct value *shape = child(p, state, 1), *dtype = child(p, state, 2);
    const struct value *fortran = child(p, state, 3);

    if (!shape || shape->kind != P_TUPLE || shape->n != 2 || !dtype || dtype->kind != P_CALL ||
        !fortran || fortran->kind != P_INT || fortran->number != 0)
        return false;
    if (!is_text(child(p, child(p, dtype, 1), 0), "u1") &&
        !is_text(child(p, child(p, dtype, 1), 0), "|u1"))
        return false;
    for (size_t i = 0; i < 2; i++) {
        const struct value *dim = child(p, shape, i);
        if (!dim || dim->kind != P_INT || dim->number < 1 || dim->number > INT32_MAX)
            return false;
        dims[i] = (uint64_t) dim->number;
    }
    return true;
}

/*
 * The array's reconstruction: a call of _reconstruct with a state whose dtype is unsigned bytes
 * and whose order is C. Anything else is refused, as CIFAR has nothing else.
 */
enum t2_status dg_pickle_matrix(const struct dg_pickle *p, const char *key, size_t *rows,
                                size_t *columns, struct t2_buf *bytes, struct t2_err *err)
{
    const struct value *array = find(p, key);
    const struct value *state = array && array->kind == P_CALL ? child(p, array, 2) : NULL;
    size_t before = bytes->len_bytes;
    uint64_t dims[2];

    if (!state || state->kind != P_TUPLE || !is_matrix(p, state, dims) ||
        !append_bytes(p, child(p, state, 4), bytes))
        return t2_fail(err, T2_EFORMAT, "'%s': '%s' is no matrix of unsigned bytes", p->origin,
                       key);
    if (dims[0] * dims[1] != bytes->len_bytes - before)
        return t2_fail(err, T2_EFORMAT,
                       "'%s': '%s' says %" PRIu64 " x %" PRIu64 " and has %zu bytes", p->origin,
                       key, dims[0], dims[1], bytes->len_bytes - before);
    *rows = (size_t) dims[0];
    *columns = (size_t) dims[1];
    return T2_OK;
}
