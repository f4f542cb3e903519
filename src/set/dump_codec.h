// SPDX-License-Identifier: GPL-2.0-or-later
/* Which codecs the kdump-compressed form has, and their flags (format/kdump.h). */
#ifndef NSPLIT_SET_DUMP_CODEC_H
#define NSPLIT_SET_DUMP_CODEC_H

#include <stdbool.h>

#include "codec/codec.h"

/* The flag of pages that are compressed with a codec; 0: the form does not support the codec. */
uint32_t kdump_flag(enum codec_id id);

/* The same as a question; raw pages have no flag, and are in the form. */
bool kdump_has_codec(enum codec_id id);

/* The codec of any of these flags, of a page or a header, whether this build has it or not.  False: there is none. */
bool kdump_codec_in(uint32_t flags, enum codec_id *id);

#endif
