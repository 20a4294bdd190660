/* Fuzz target: any text as --hparams; what was accepted survives JSON. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "train/models/hparams.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void there_and_back(const struct mdl_hparams *hp)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_json_doc *doc = NULL;
    struct mdl_hparams *other = mdl_hparams_copy(hp);
    struct t2_buf buf = {0};
    struct t2_json json;

    t2_json_init(&json, &buf, 0);
    mdl_hparams_write_json(hp, &json);
    T2_ASSERT(t2_json_parse(t2_buf_cstr(&buf), buf.len_bytes, "hparams", &doc, &err) == T2_OK);
    T2_ASSERT(mdl_hparams_read_json(other, t2_json_root(doc), &err) == T2_OK);
    t2_json_free(doc);
    t2_buf_release(&buf);
    mdl_hparams_free(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int64_t ints[] = {3, 4};
    static const double floats[] = {0.5};
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = NULL;
    char *text = t2_strndup((const char *) data, size);

    T2_ASSERT(mdl_hparams_new("transformer_relative", &hp, &err) == T2_OK);
    mdl_hp_set_ints(hp, "ints", ints, 2);
    mdl_hp_set_floats(hp, "floats", floats, 1);
    if (mdl_hparams_override(hp, text, &err) == T2_OK)
        there_and_back(hp);
    else
        T2_ASSERT(err.message[0] != '\0');
    mdl_hparams_free(hp);
    t2_free(text);
    return 0;
}
