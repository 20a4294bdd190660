# mk/shared.mk - libtfrecord.so: tfrecord/ and what it needs of base/, behind tfrecord/tfrecord_api.h; and
# libt2t_translate.so: a trained model, behind train/trained/translate_api.h.
#
# Only what these headers declare is exported, under a version node; everything else is hidden, so that the
# libraries can live in any process.  The objects of libtfrecord are compiled apart, position-independent.

SO_MAJOR := 0
SO_NAME := libtfrecord.so.$(SO_MAJOR)
SO := $(B)/lib/$(SO_NAME)
SO_LINK := $(B)/lib/libtfrecord.so
SO_OBJ := $(patsubst %.c,$(B)/pic/%.o,$(SRC_tfrecord))
SO_BASE_OBJ := $(patsubst %.c,$(B)/pic/%.o,$(SRC_base))

$(B)/pic/%.o: EXTRA_FLAGS += -fPIC -fvisibility=hidden
$(B)/pic/base/version.o: EXTRA_FLAGS += $(VERSION_FLAGS)
$(B)/pic/base/version.o: $(VERSION_STAMP)
$(B)/pic/%.o: %.c $(FLAGS_STAMP)
	@mkdir -p $(@D)
	$(call say,CC,"$< (shared)")
	$(Q)$(COMPILE)

# Of base only what is called comes in.
$(B)/pic/base.a: $(SO_BASE_OBJ)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(SO): $(SO_OBJ) $(B)/pic/base.a mk/libtfrecord.map
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -shared -Wl,-soname,$(SO_NAME) -Wl,--version-script=mk/libtfrecord.map -Wl,--gc-sections \
		$(if $(SAN),,-Wl,-z,defs) -o $@ $(SO_OBJ) $(B)/pic/base.a $(call shared_foreign_of,base)
$(SO_LINK): $(SO)
	$(Q)ln -sfn $(SO_NAME) $@

# libt2t_translate.so is made of the objects of the programs: these are position-independent executables', and
# with all symbols local the linker takes such code for a library, but where it uses variables of threads or of libc.
TRANSLATE_SO_NAME := libt2t_translate.so.0
TRANSLATE_SO := $(B)/lib/$(TRANSLATE_SO_NAME)
TRANSLATE_OBJ := $(B)/obj/train/trained/translate_api.o
TRANSLATE_PIC := base/err base/flags base/run_tool base/shown base/subcommands train/trained/translate_api
$(foreach f,$(TRANSLATE_PIC),$(eval CFLAGS_$f.c += -fPIC))
$(TRANSLATE_PIC:%=$(B)/obj/%.o): mk/shared.mk
$(TRANSLATE_SO): $(TRANSLATE_OBJ) $(call libs_of,train) mk/libt2t_translate.map
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -shared -Wl,-soname,$(TRANSLATE_SO_NAME) -Wl,--version-script=mk/libt2t_translate.map \
		-Wl,-z,defs -Wl,--strip-debug -o $@ $(TRANSLATE_OBJ) $(filter %.a,$^) $(call shared_foreign_of,$(DEPS_train))
$(B)/lib/libt2t_translate.so: $(TRANSLATE_SO)
	$(Q)ln -sfn $(TRANSLATE_SO_NAME) $@
# Of instrumented builds, static ones, those with CUDA, and compilers that make no such executables: none.
MAKES_PIE := $(shell $(CC) -dM -E -x c /dev/null 2>/dev/null | grep -c __PIE__)
TRANSLATE_LINK := $(if $(filter release-no-1,$(CONFIG)-$(CUDA_BUILD)-$(MAKES_PIE)),$(B)/lib/libt2t_translate.so)

.PHONY: lib-shared install-shared
lib-shared: $(SO_LINK) $(TRANSLATE_LINK) ; @:
all: lib-shared
# for the tests
tools: $(if $(filter release static,$(CONFIG)),$(SO_LINK)) $(TRANSLATE_LINK)

install-shared: lib-shared
	$(INSTALL_PARTS) tfrecord translate

-include $(SO_OBJ:.o=.d) $(SO_BASE_OBJ:.o=.d)
