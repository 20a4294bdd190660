# mk/bare.mk - a machine that lacks required libraries and cannot get them, such as a lent one with a GPU:
# `make BARE=1 ...` builds what can be built, in build/bare, and says what it leaves out.
#
# Sources that include a missing library's header are left out.  Archives give a program only what it
# calls, so tests of operators, graphs and models link all the same; a program that needs more does not.
# BARE="ZLIB ICU": without these, too, where they are there (for a test of this).
BARE_HEADERS_ZLIB := zlib.h
BARE_HEADERS_ICU := unicode/
BARE_HEADERS_CRYPTO := openssl/
BARE_HEADERS_JANSSON := jansson.h
BARE_HEADERS_YAML := yaml.h
BARE_HEADERS_JPEG := jpeglib.h
BARE_HEADERS_PNG := png.h
BARE_HEADERS_ARCHIVE := archive
BARE_REQUIRED := ZLIB ICU CRYPTO JANSSON YAML JPEG PNG ARCHIVE

BARE_LACKS := $(sort $(filter $(BARE_REQUIRED),$(BARE)) $(foreach l,$(BARE_REQUIRED),$(if $(HAVE_$l),,$l)))
BARE_OUT := $(if $(BARE_LACKS),$(shell grep -rlE --include='*.c' \
	'^ *\# *include *<($(subst $(none) $(none),|,$(strip $(foreach l,$(BARE_LACKS),$(BARE_HEADERS_$l)))))' $(FOLDERS) tests))
$(info bare build without $(BARE_LACKS): left out are $(BARE_OUT))

ifneq ($(filter CMOCKA,$(BARE))$(if $(HAVE_CMOCKA),,1),)
BARE_CMOCKA := 1
endif
