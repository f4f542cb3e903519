// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/hex.h"

void hex_format(const uint8_t *bytes, size_t count, char *text)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < count; i++) {
		*text++ = digits[bytes[i] >> 4];
		*text++ = digits[bytes[i] & 0xf];
	}
	*text = '\0';
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

bool hex_parse(const char *text, uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int high = digit(text[2 * i]);
		/* A text that ends here has no second character. */
		int low = high < 0 ? -1 : digit(text[2 * i + 1]);

		if (low < 0)
			return false;
		bytes[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}
