# SPDX-License-Identifier: GPL-2.0-or-later
# The contents of a fake vmcore, used by mkfakevmcore and nsplit-bench.
libnsplit_a_SOURCES += \
	fakevmcore/core.c fakevmcore/core.h \
	fakevmcore/pattern.h fakevmcore/elfhead.h fakevmcore/text.h fakevmcore/le.h

bin_PROGRAMS += mkfakevmcore
mkfakevmcore_SOURCES = \
	src/cmd/mkfakevmcore/mkfakevmcore.c \
	src/cmd/common/message.h src/cmd/common/message.c \
	src/cmd/common/progress.h src/cmd/common/progress.c \
	fakevmcore/stream.c fakevmcore/stream.h
mkfakevmcore_LDADD = libnsplit.a

# The kernel module, which has its own Makefile.
module_only = \
	fakevmcore/Kbuild fakevmcore/Makefile fakevmcore/dkms.conf \
	fakevmcore/module.c fakevmcore/decimal.h \
	fakevmcore/params.c fakevmcore/params.h \
	fakevmcore/bad.c fakevmcore/bad.h \
	fakevmcore/pool.c fakevmcore/pool.h \
	fakevmcore/serve.c fakevmcore/serve.h \
	fakevmcore/probe.c
EXTRA_DIST += $(module_only)

# Installs all sources of the module where DKMS looks for them, whatever the prefix is.
dkmsdir = /usr/src/fakevmcore-$(VERSION)
install-dkms:
	$(MKDIR_P) '$(DESTDIR)$(dkmsdir)'
	cd $(srcdir) && $(INSTALL_DATA) $(module_only) fakevmcore/pattern.h \
		fakevmcore/elfhead.h fakevmcore/text.h fakevmcore/le.h \
		'$(DESTDIR)$(dkmsdir)'

uninstall-dkms:
	rm -rf '$(DESTDIR)$(dkmsdir)'
.PHONY: install-dkms uninstall-dkms
