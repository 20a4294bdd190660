# train/module.mk - the sources of libt2-train.a; the format is at the top of the Makefile.
LIB_train :=
