// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>

#include "base/bytes.h"
#include "base/system.h"
#include "cmd/common/common_options.h"
#include "cmd/common/message.h"
#include "codec/codec.h"

const char *const choices_when[] = { "auto", "always", "never", NULL };

int options_result(enum status status, const struct error *e)
{
	if (!status)
		return OPTIONS_READ;
	if (status == STATUS_END)
		return EXIT_PERFECT;
	if (status == STATUS_NO_MEMORY) {
		message("%s", e->text);
		return EXIT_FAILED;
	}
	return message_usage_error(e);
}

unsigned threads_default(void)
{
	return (unsigned)min_u64(cpus_allowed(), THREADS_MAX);
}

const char *codec_value(unsigned n)
{
	for (const struct codec_entry *entry = codec_entries(); entry->name; entry++)
		if (entry->codec && n-- == 0)
			return entry->name;
	return n == 0 ? "auto" : NULL;
}

enum status option_list_codecs(void *settings, const struct option_call *call,
			       struct error *e)
{
	(void)settings;
	(void)call;
	(void)e;
	for (const struct codec_entry *entry = codec_entries(); entry->name; entry++) {
		const struct codec *codec = entry->codec;

		if (!codec)
			continue;
		if (codec->has_levels)
			printf("%-8s levels %d to %d, default %d\n", codec->name,
			       codec->level_min, codec->level_max, codec->level_default);
		else
			printf("%s\n", codec->name);
	}
	return STATUS_END;
}
