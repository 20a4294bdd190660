# tfrecord/module.mk - the sources of libt2-tfrecord.a; the format is at the top of the Makefile.
LIB_tfrecord := \
	crc32c.c \
	crc32c_x86.c \
	writer.c
