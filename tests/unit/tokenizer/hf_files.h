/*
 * tests/unit/tokenizer/hf_files.h - small tokenizer.json files: a model and any other parts.
 */
#ifndef T2_TESTS_UNIT_TOKENIZER_HF_FILES_H
#define T2_TESTS_UNIT_TOKENIZER_HF_FILES_H

#include "tests/unit/tokenizer/foreign_models.h"
#include "tokenizer/encoder_kinds.h"
#include "tokenizer/hf_tokenizer.h"

/* JSON is written with ' for ". */
#define HF_VOCAB "{'a':0,'b':1,'c':2,'ab':3,'bc':4,'abc':5,'<unk>':6}"
#define HF_BPE(merges, more)                                                                       \
    "'model':{'type':'BPE'," more "'vocab':" HF_VOCAB ",'merges':[" merges "]}"
#define HF_UNK "'unk_token':'<unk>',"
#define HF_WORDPIECE                                                                               \
    "'model':{'type':'WordPiece','unk_token':'<unk>','continuing_subword_prefix':'##',"            \
    "'max_input_chars_per_word':5,'vocab':{'a':0,'b':1,'c':2,'ab':3,'bc':4,'abc':5,'<unk>':6,"     \
    "'##b':7,'##c':8,'##bc':9,'##':10}}"
#define HF_UNIGRAM                                                                                 \
    "'model':{'type':'Unigram','unk_id':0,'vocab':[['<unk>',0],['a',-1],['b',-2],['ab',-2.5]]}"

static inline void hf_put(struct t2_buf *file, const char *parts)
{
    t2_buf_puts(file, "{");
    for (; *parts; parts++)
        t2_buf_push(file, *parts == '\'' ? '"' : (uint8_t) *parts);
    t2_buf_puts(file, "}");
}

static inline struct tok_encoder *hf_of(const char *parts)
{
    struct t2_buf file = {0};
    struct tok_encoder *e;

    hf_put(&file, parts);
    e = fm_parse(&file);
    t2_buf_release(&file);
    return e;
}

static inline void hf_refused(const char *parts, enum t2_status status, const char *message)
{
    struct t2_buf file = {0};

    hf_put(&file, parts);
    fm_refused(&file, status, message);
    t2_buf_release(&file);
}

/* What one vocabulary makes of one text. */
#define HF_IDS(parts, text, want)                                                                  \
    do {                                                                                           \
        struct tok_encoder *e_ = hf_of(parts);                                                     \
        FM_IDS(e_, text, want);                                                                    \
        tok_free(e_);                                                                              \
    } while (0)

#endif
