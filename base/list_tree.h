/*
 * base/list_tree.h - the files below a folder.
 */
#ifndef T2_BASE_LIST_TREE_H
#define T2_BASE_LIST_TREE_H

#include "base/err.h"
#include "base/str.h"

/* Appends the regular files below dir, as paths from dir, folder by folder in the order of bytes;
 * names that begin with a dot are left out.  Links are followed, not in circles. */
T2_MUST_CHECK enum t2_status t2_list_tree(const char *dir, struct t2_strs *paths,
                                          struct t2_err *err);

#endif
