# augment/module.mk - the sources of libt2-augment.a; the format is at the top of the Makefile.
LIB_augment := \
	bmp.c \
	exif.c \
	gif.c \
	image.c \
	jpeg.c \
	codec.c \
	png.c \
	sniff.c \
	webp.c
