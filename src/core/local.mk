# SPDX-License-Identifier: GPL-2.0-or-later
libnsplit_a_SOURCES += \
	src/core/bytes.h \
	src/core/elf.h src/core/elf.c \
	src/core/memory.h src/core/memory.c \
	src/core/pages.h src/core/pages.c \
	src/core/uts.h src/core/uts.c \
	src/core/virt.h src/core/virt.c \
	src/core/vmcoreinfo.h src/core/vmcoreinfo.c
