/*
 * small_pickle.h - {"data": two rows of three bytes, "labels": [3, 1]} as NumPy and Python 2 pickle
 * it.
 */
#ifndef SMALL_PICKLE_H
#define SMALL_PICKLE_H

static const char small_pickle[] = "\x80\x02}q\x01(U\x04"
                                   "datacnumpy.core.multiarray\n_reconstruct\nq\x02"
                                   "cnumpy\nndarray\nK\x00\x85U\x01"
                                   "b\x87R(K\x01K\x02K\x03\x86"
                                   "cnumpy\ndtype\nU\x02u1K\x00K\x01\x87R\x89U\x06"
                                   "abcdeftbU\x06"
                                   "labels]q\x03(K\x03K\x01"
                                   "eu.";

#endif
