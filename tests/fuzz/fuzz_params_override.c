/*
 * tests/fuzz/fuzz_params_override.c - any text as --params_override: no crash, and what was
 * accepted is written as YAML that gives the same configuration.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "train/experiment/params_override.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* clang-format off */
static const struct exp_field fields[] = {
    {"n", EXP_T_INT | EXP_T_OR_NULL, "0", EXP_READ, ""},
    {"s", EXP_T_SCALE | EXP_T_OR_NULL, "''", EXP_READ, ""},
    {"list", EXP_T_NUMBERS, "!!python/tuple [0.08, 1.0]", EXP_READ, ""},
    {"p", EXP_T_PATHS, "[]", EXP_READ, ""},
    {"one.type", EXP_T_CHOICE, "null", EXP_READ, ""},
    {"one.x.a", EXP_T_BOOL, "true", EXP_READ, ""},
    {"one.y.a", EXP_T_INTS, "[1]", EXP_READ, ""},
    {"g", EXP_T_GROUP, "null", EXP_READ, ""},
    {"g.x", EXP_T_STRING, "x", EXP_READ, ""},
};
/* clang-format on */
static const struct exp_table table = {"a", fields, sizeof fields / sizeof *fields};

static void there_and_back(const struct exp_config *c)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_yaml_node *tree = NULL;
    struct exp_config *again = exp_config_new(&table, 1);
    struct t2_buf first = {0}, second = {0};

    exp_config_dump(c, &first);
    if (t2_yaml_tree(t2_buf_cstr(&first), first.len_bytes, "x", &tree, &err) != T2_OK ||
        exp_config_merge(again, tree, "x", &err) != T2_OK)
        abort();
    exp_config_dump(again, &second);
    if (strcmp(t2_buf_cstr(&first), t2_buf_cstr(&second)) != 0)
        abort();
    t2_yaml_free(tree);
    exp_config_free(again);
    t2_buf_release(&first);
    t2_buf_release(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct t2_err err = T2_ERR_INIT;
    char *text = t2_strndup((const char *) data, size);
    struct exp_config *c = exp_config_new(&table, 1);

    /* a path would be read as a file */
    if (!strchr(text, '=') && !strchr(text, ':'))
        text[0] = '\0';
    if (exp_override(c, text, &err) == T2_OK)
        there_and_back(c);
    else if (err.message[0] == '\0')
        abort();
    exp_config_free(c);
    t2_free(text);
    return 0;
}
