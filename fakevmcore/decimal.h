/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decimal numbers in parameters, with the same syntax as in mkfakevmcore.  The kernel's own
 * functions read 010 as 8, and memparse() does not detect overflow.
 */
#ifndef FAKEVMCORE_DECIMAL_H
#define FAKEVMCORE_DECIMAL_H

#include <linux/ctype.h>
#include <linux/overflow.h>
#include <linux/types.h>

/* Returns the end of the number; NULL if there is none, or if it is not below 2^64. */
static inline const char *decimal_parse(const char *text, u64 *number)
{
	if (!isdigit(*text))
		return NULL;
	for (*number = 0; isdigit(*text); text++) {
		if (check_mul_overflow(*number, (u64)10, number) ||
		    check_add_overflow(*number, (u64)(*text - '0'), number))
			return NULL;
	}
	return text;
}

#endif
