/*
 * datagen/official/find_file.h - looking for a file by name in a folder and those below it.
 *
 * Spec official-transformer.md §2.4 (find_file of data_download.py).
 */
#ifndef DG_FIND_FILE_H
#define DG_FIND_FILE_H

#include "base/err.h"

enum { DG_DEPTH_TEXT = 5, DG_DEPTH_ARCHIVE = 0 };

/*
 * The first file of this name, depth first; *path is NULL when there is none, else owned by the
 * caller.  A folder is the last one on its way down when its path from `dir` has more than
 * max_depth separators: 0 looks into dir, its folders and theirs.  Folders are visited in the order
 * of their names, where the original takes the file system's; links to folders are not followed. An
 * absent dir holds nothing.  What cannot be looked at (EACCES) is passed over, as there, as long as
 * the file is found elsewhere; else nobody knows whether it is there: T2_EIO names that place, so
 * that nothing is downloaded again or taken for lost.
 */
T2_MUST_CHECK enum t2_status dg_find_file(const char *dir, const char *name, int max_depth,
                                          char **path, struct t2_err *err);

#endif
