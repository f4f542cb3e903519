libnsplit_a_SOURCES += \
	src/export/copy.h src/export/copy.c \
	src/export/elf_form.h src/export/elf_form.c \
	src/export/kdump.h src/export/kdump.c \
	src/export/kdump_file.h src/export/kdump_file.c \
	src/export/kdump_split.h src/export/kdump_split.c \
	src/export/kdump_export.h src/export/kdump_export.c \
	src/export/missing.h src/export/missing.c \
	src/export/output_file.h src/export/output_file.c \
	src/export/set_absent.h src/export/set_absent.c \
	src/export/set_core.h src/export/set_core.c
