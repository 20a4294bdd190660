/*
 * datagen/problem_files/braces.h - "a.{en,de}" is a.en and a.de, as in a shell.
 */
#ifndef DG_PROBLEM_FILES_BRACES_H
#define DG_PROBLEM_FILES_BRACES_H

#include <stdbool.h>

#include "base/str.h"

/*
 * Appends what text means: "x{,_y}{0,1}" is x0, x1, x_y0, x_y1; text without braces is itself.
 * Braces do not hold braces.  false, with list as it was: a brace without its other, or more than
 * max texts.
 */
bool dg_expand_braces(const char *text, size_t max, struct t2_strs *list);

#endif
