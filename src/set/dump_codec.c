// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "format/kdump.h"
#include "set/dump_codec.h"

static const struct {
	uint32_t flag;
	enum codec_id id;
} codecs[] = {
	{ KDUMP_ZLIB, CODEC_ZLIB },
	{ KDUMP_LZO, CODEC_LZO },
	{ KDUMP_SNAPPY, CODEC_SNAPPY },
	{ KDUMP_ZSTD, CODEC_ZSTD },
};

enum { CODECS = sizeof(codecs) / sizeof(*codecs) };

uint32_t kdump_flag(enum codec_id id)
{
	for (size_t i = 0; i < CODECS; i++)
		if (codecs[i].id == id)
			return codecs[i].flag;
	return 0;
}

bool kdump_has_codec(enum codec_id id)
{
	return id == CODEC_RAW || kdump_flag(id);
}

bool kdump_codec_in(uint32_t flags, enum codec_id *id)
{
	for (size_t i = 0; i < CODECS; i++)
		if (codecs[i].flag & flags) {
			*id = codecs[i].id;
			return true;
		}
	return false;
}
