// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "core/vmcoreinfo.h"

/* One page of the crashed kernel; this is the largest possible. */
enum { VMCOREINFO_MAX = 65536 };

/* A note without any line KEY=VALUE says nothing, and another one may follow: writers add one of their own. */
enum status vmcoreinfo_find(const struct core *core, struct vmcoreinfo *info, struct error *e)
{
	struct note note;
	size_t at = 0;

	*info = (struct vmcoreinfo){ .text = "" };
	while (core_next_note(core, &at, &note)) {
		if (!note_has_name(&note, "VMCOREINFO"))
			continue;
		info->text = (const char *)note.desc;
		/* The kernel fills the rest of its page with zeros. */
		info->size = strnlen(info->text, min_u64(note.desc_size, VMCOREINFO_MAX));
		if (memchr(info->text, '=', info->size))
			return STATUS_OK;
	}
	*info = (struct vmcoreinfo){ .text = "" };
	return error_set(e, STATUS_USAGE, "the core has no VMCOREINFO: it is not a vmcore, or its "
			 "kernel was built without support for crash dumps");
}

/* The text after KEY= at the beginning of a line. */
static const char *find_value(const struct vmcoreinfo *info, const char *key, size_t *len)
{
	const char *line = info->text, *end = info->text + info->size;
	size_t key_len = strlen(key);

	while (line < end) {
		const char *next = memchr(line, '\n', (size_t)(end - line));
		size_t line_len = (size_t)((next ? next : end) - line);

		if (line_len > key_len && !memcmp(line, key, key_len) && line[key_len] == '=') {
			*len = line_len - key_len - 1;
			return line + key_len + 1;
		}
		line += line_len + 1;
	}
	return NULL;
}

bool vmcoreinfo_text(const struct vmcoreinfo *info, const char *key, char *value, size_t size)
{
	size_t len;
	const char *found = find_value(info, key, &len);

	if (!found || len >= size)
		return false;
	memcpy(value, found, len);
	value[len] = '\0';
	return true;
}

/* The whole text must be digits of this base, perhaps after a minus sign. */
static bool parse(const char *text, int base, uint64_t *value)
{
	char *end;

	if (!isxdigit((unsigned char)text[*text == '-']))
		return false;
	errno = 0;
	*value = strtoull(text, &end, base);
	return *end == '\0' && !errno;
}

bool vmcoreinfo_number(const struct vmcoreinfo *info, const char *key, uint64_t *value)
{
	char text[32];

	return vmcoreinfo_text(info, key, text, sizeof(text)) && text[0] != '-' &&
	       parse(text, 10, value);
}

bool vmcoreinfo_get(const struct vmcoreinfo *info, const char *kind, const char *name,
		    uint64_t *value)
{
	char key[128], text[32];

	if (snprintf(key, sizeof(key), "%s(%s)", kind, name) >= (int)sizeof(key) ||
	    !vmcoreinfo_text(info, key, text, sizeof(text)))
		return false;
	if (strcmp(kind, "SYMBOL") != 0 && parse(text, 10, value))
		return true;
	return parse(text, 16, value);
}

enum status vmcoreinfo_page_size(const struct vmcoreinfo *info, uint32_t *size, struct error *e)
{
	uint64_t value;

	if (!vmcoreinfo_number(info, "PAGESIZE", &value))
		return error_set(e, STATUS_DAMAGED, "VMCOREINFO has no page size");
	if (value < 4096 || value > 65536 || !is_power_of_two(value))
		return error_set(e, STATUS_DAMAGED, "VMCOREINFO has an invalid page size: %" PRIu64,
				 value);
	*size = (uint32_t)value;
	return STATUS_OK;
}

enum status core_page_size(const struct core *core, const struct vmcoreinfo *info, uint32_t *size, struct error *e)
{
	enum status status = vmcoreinfo_page_size(info, size, e);

	if (!status || core->machine != EM_X86_64)
		return status;
	*size = 4096;
	return STATUS_OK;
}
