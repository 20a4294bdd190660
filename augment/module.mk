# augment/module.mk - the sources of libt2-augment.a; the format is at the top of the Makefile.
LIB_augment := \
	exif.c \
	image.c \
	sniff.c
