# mk/shared.mk - libtfrecord.so: tfrecord/ and what it needs of base/, behind tfrecord/tfrecord_api.h.
#
# Only what that header declares is exported, under a version node; everything else is hidden, so that the
# library can live in any process.  Its objects are compiled apart, position-independent.

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

.PHONY: lib-shared install-shared
lib-shared: $(SO_LINK) ; @:
all: lib-shared
# for the tests
tools: $(if $(filter release static,$(CONFIG)),$(SO_LINK))

install-shared: lib-shared
	$(INSTALL_PARTS) tfrecord

-include $(SO_OBJ:.o=.d) $(SO_BASE_OBJ:.o=.d)
