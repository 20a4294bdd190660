/*
 * train/runs/model_text.c - the layer file of a run.
 */
#include "train/runs/model_text.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/yaml_tree.h"
#include "train/ckpt/checkpoint.h"
#include "train/models/layer_file.h"

static enum t2_status check_text(const struct t2_buf *text, const char *path, struct t2_err *err)
{
    struct t2_yaml_node *root = NULL;
    enum t2_status st;

    if (memchr(text->data, '\0', text->len_bytes))
        return t2_fail(err, T2_EFORMAT, "'%s': a byte 0 is in it: this is no text", path);
    st = t2_yaml_tree((const char *) text->data, text->len_bytes, path, &root, err);
    t2_yaml_free(root);
    return st;
}

enum t2_status tr_model_text_read(const char **model, char **text, struct t2_err *err)
{
    const struct ckpt_state *state = NULL;
    struct t2_buf read = {0};
    const char *path = *model;
    enum t2_status st;
    char *expanded;

    *text = NULL;
    if (!path || !mdl_is_layer_file(path))
        return T2_OK;
    if (strlen(t2_path_base(path)) >= sizeof state->model)
        return t2_fail(err, T2_EUSAGE,
                       "--model=%s: the name of a layer file has at most %zu characters", path,
                       sizeof state->model - 1);
    expanded = t2_path_expand(path);
    st = t2_read_file(expanded, MDL_LAYER_MOST_BYTES, &read, err);
    if (st == T2_OK)
        st = check_text(&read, path, err);
    if (st == T2_OK) {
        *text = t2_strndup(t2_buf_cstr(&read), read.len_bytes);
        *model = t2_path_base(path);
    }
    t2_buf_release(&read);
    t2_free(expanded);
    return st;
}

/* The first line that differs, from 1; its text in both, cut at its end. */
static size_t first_difference(const char **a, const char **b, int n[2])
{
    size_t line = 1;

    for (;;) {
        n[0] = (int) strcspn(*a, "\n");
        n[1] = (int) strcspn(*b, "\n");
        if (n[0] != n[1] || memcmp(*a, *b, (size_t) n[0]) != 0 || (*a)[n[0]] != (*b)[n[1]] ||
            (*a)[n[0]] == '\0')
            break;
        *a += n[0] + 1;
        *b += n[1] + 1;
        line++;
    }
    for (int i = 0; i < 2; i++)
        n[i] = n[i] > 100 ? 100 : n[i];
    return line;
}

enum t2_status tr_model_text_check(const char *text, const char *model,
                                   const struct mdl_hparams *old, const char *dir,
                                   struct t2_err *err)
{
    const char *theirs = old ? mdl_hp_string(old, "layer_file") : "";
    size_t line;
    int n[2];

    if (!text || theirs[0] == '\0' || strcmp(text, theirs) == 0)
        return T2_OK;
    line = first_difference(&text, &theirs, n);
    return t2_fail(err, T2_EUSAGE,
                   "'%s' has changed since the run in '%s' began: line %zu is '%.*s', there it is "
                   "'%.*s': leave --model out to go on with the run's own, or give another "
                   "--output_dir",
                   model, dir, line, n[0], text, n[1], theirs);
}

enum t2_status tr_model_text_keep(const char *dir, const char *model, const struct mdl_hparams *hp,
                                  struct t2_err *err)
{
    const char *text;
    enum t2_status st;
    char *path;

    if (!mdl_is_layer_file(model))
        return T2_OK;
    text = mdl_hp_string(hp, "layer_file");
    path = t2_path_join(dir, model);
    st = t2_write_file(path, text, strlen(text), err);
    t2_free(path);
    return st;
}
