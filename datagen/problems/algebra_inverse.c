/*
 * datagen/problems/algebra_inverse.c - equations and what one of their letters is equal to.
 */
#include "datagen/problems/algebra_inverse.h"

#include <string.h>

#include "base/err.h"

enum { LETTERS = 26, MAX_DEPTH = 4, MAX_NODES = 64 };

/* A letter (op 0), or an operator with two sides; numbers of nodes. */
struct node {
    char op, letter;
    int left, right;
};

/* The equation, and while it is solved the new nodes, which are fewer than the operators. */
struct forest {
    struct node nodes[MAX_NODES];
    int n;
};

static const char operators[] = "+-*/";

int64_t dg_algebra_symbol(char c)
{
    static const char symbols[] = "_:()=+-*/abcdefghijklmnopqrstuvwxyz";
    const char *at = c ? strchr(symbols, c) : NULL;

    return at ? at - symbols : 0;
}

static int add_node(struct forest *f, char op, char letter, int left, int right)
{
    T2_ASSERT(f->n < MAX_NODES);
    f->nodes[f->n] = (struct node){op, letter, left, right};
    return f->n++;
}

static int below(struct t2_mt *mt, int n)
{
    return (int) t2_mt_below(mt, (uint64_t) n);
}

/* random_expr_with_required_var: `wanted` once among the leaves (0: not), the others are other
 * letters. */
static int draw_expression(struct t2_mt *mt, struct forest *f, int depth, char wanted, char avoided)
{
    int deep_left, other_depth, wanted_left, left, right;

    if (depth == 0) {
        int letter;
        if (wanted)
            return add_node(f, 0, wanted, 0, 0);
        letter = below(mt, LETTERS - 1);
        letter += letter >= avoided - 'a';
        return add_node(f, 0, (char) ('a' + letter), 0, 0);
    }
    deep_left = below(mt, 2);
    other_depth = below(mt, depth);
    wanted_left = below(mt, 2);
    left = draw_expression(mt, f, deep_left ? depth - 1 : other_depth, wanted_left ? wanted : '\0',
                           avoided);
    right = draw_expression(mt, f, deep_left ? other_depth : depth - 1, wanted_left ? '\0' : wanted,
                            avoided);
    return add_node(f, operators[below(mt, 4)], 0, left, right);
}

static int precedence(char op)
{
    return op == '*' || op == '/';
}

static void print(const struct forest *f, int i, struct t2_buf *text);

static void print_side(const struct forest *f, int i, bool in_brackets, struct t2_buf *text)
{
    if (in_brackets)
        t2_buf_push(text, '(');
    print(f, i, text);
    if (in_brackets)
        t2_buf_push(text, ')');
}

static void print(const struct forest *f, int i, struct t2_buf *text)
{
    const struct node *n = &f->nodes[i], *left = &f->nodes[n->left], *right = &f->nodes[n->right];
    bool is_associative = n->op == '+' || n->op == '*';

    if (!n->op) {
        t2_buf_push(text, (uint8_t) n->letter);
        return;
    }
    print_side(f, n->left, left->op && precedence(left->op) < precedence(n->op), text);
    t2_buf_push(text, (uint8_t) n->op);
    print_side(f, n->right,
               right->op && precedence(right->op) <= precedence(n->op) &&
                   !(is_associative && right->op == n->op),
               text);
}

static bool holds(const struct forest *f, int i, char letter)
{
    const struct node *n = &f->nodes[i];

    if (!n->op)
        return n->letter == letter;
    return holds(f, n->left, letter) || holds(f, n->right, letter);
}

/* algebra_inverse_solve: takes operator after operator from the side of the letter to the other. */
static int solve(struct forest *f, int from, int to, char letter)
{
    while (f->nodes[from].op) {
        struct node n = f->nodes[from];
        bool is_left = holds(f, n.left, letter);
        char inverse = n.op == '+' ? '-' : n.op == '-' ? '+' : n.op == '*' ? '/' : '*';
        if (!is_left && (n.op == '-' || n.op == '/'))
            to = add_node(f, n.op, 0, n.left, to);
        else
            to = add_node(f, inverse, 0, to, is_left ? n.right : n.left);
        from = is_left ? n.left : n.right;
    }
    return to;
}

void dg_algebra_draw(struct t2_mt *mt, int min_depth, int max_depth, struct t2_buf *equation,
                     struct t2_buf *answer)
{
    struct forest f = {.n = 0};
    int is_left = below(mt, 2), left, right;
    int left_min = is_left ? min_depth : 0, right_min = is_left ? 0 : min_depth;
    int left_depth = left_min + below(mt, max_depth + 1 - left_min);
    int right_depth = right_min + below(mt, max_depth + 1 - right_min);
    char letter = (char) ('a' + below(mt, LETTERS));

    T2_ASSERT(max_depth <= MAX_DEPTH - 1);
    left = draw_expression(mt, &f, left_depth, is_left ? letter : '\0', letter);
    right = draw_expression(mt, &f, right_depth, is_left ? '\0' : letter, letter);
    t2_buf_clear(equation);
    t2_buf_push(equation, (uint8_t) letter);
    t2_buf_push(equation, ':');
    print(&f, left, equation);
    t2_buf_push(equation, '=');
    print(&f, right, equation);
    t2_buf_clear(answer);
    print(&f, solve(&f, is_left ? left : right, is_left ? right : left, letter), answer);
}
