// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "cmd/njoin_text.h"

const char records_not_checked[] = "records: not checked; njoin --verify checks them";

const char *printable(char *text)
{
	for (char *p = text; *p; p++)
		if ((unsigned char)*p < ' ' || (unsigned char)*p >= 0x7f)
			*p = '?';
	return text;
}
