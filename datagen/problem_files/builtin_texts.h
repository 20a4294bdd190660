/*
 * datagen/problem_files/builtin_texts.h - the bytes of datagen/problems/<name>.yaml, which
 * mk/text.sh makes a C file of.
 */
#ifndef DG_PROBLEM_FILES_BUILTIN_TEXTS_H
#define DG_PROBLEM_FILES_BUILTIN_TEXTS_H

#include <stddef.h>

#define DG_TEXT(name)                                                                              \
    extern const char dg_text_##name[];                                                            \
    extern const size_t dg_text_##name##_bytes

DG_TEXT(mixtures);
DG_TEXT(pairs);
DG_TEXT(translate);
DG_TEXT(unmade_text);
DG_TEXT(unmade_others);

#endif
