/*
 * datagen/source/source_json.c - a file of a source that is one JSON text.
 */
#include "datagen/source/source_json.h"

#include "base/alloc.h"
#include "base/str.h"

enum t2_status dg_source_json(const struct dg_source *source, const char *member,
                              const struct dg_options *options, const char *role,
                              struct dg_input_files *files, struct t2_json_doc **doc, char **path,
                              struct t2_err *err)
{
    enum { SHARE = 16 }; /* a parsed document is several times its text */
    const uint64_t max_bytes = (uint64_t) 1 << 30;
    char human[32];
    struct dg_source_text text;
    struct t2_buf json = {0};
    enum t2_status st;

    *doc = NULL;
    T2_TRY(dg_source_open(source, member, options, files != NULL, &text, err));
    if (path)
        *path = t2_strdup(text.path);
    if (options->max_memory && text.bytes > options->max_memory / SHARE)
        st = t2_fail(err, T2_ENOMEM,
                     "'%s' is parsed as a whole: its %s take more than --max_memory leaves for it; "
                     "raise it",
                     text.path, t2_human_bytes(text.bytes, human, sizeof human));
    else
        st = dg_source_rest(&text, max_bytes, &json, err);
    if (st == T2_OK)
        st = t2_json_parse(t2_buf_cstr(&json), json.len_bytes, text.path, doc, err);
    if (st == T2_OK && files)
        dg_source_note(&text, role, files);
    dg_source_close(&text);
    t2_buf_release(&json);
    return st;
}
