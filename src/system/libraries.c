// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <link.h>
#include <string.h>

#include "system/libraries.h"

enum { LIBRARIES_MAX = 1000 };

struct gathering {
	struct names *libraries;
	struct error *e;
	enum status status;
};

/* The program itself has no name, and the kernel's own library no directory. */
static int gather(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct gathering *gathering = arg;
	const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;

	(void)size;
	if (slash)
		gathering->status = names_append(gathering->libraries, slash + 1, LIBRARIES_MAX, gathering->e);
	return gathering->status != STATUS_OK;
}

enum status libraries_used(struct names *libraries, struct error *e)
{
	struct gathering gathering = { .libraries = libraries, .e = e };

	dl_iterate_phdr(gather, &gathering);
	return gathering.status;
}
