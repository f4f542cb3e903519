libnsplit_a_SOURCES += \
	src/export/elf_form.h src/export/elf_form.c \
	src/export/kdump.h src/export/kdump.c \
	src/export/kdump_export.h src/export/kdump_export.c \
	src/export/output_file.h src/export/output_file.c \
	src/export/set_core.h src/export/set_core.c
