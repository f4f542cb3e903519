/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers in parameters are decimal, as mkfakevmcore takes them.  The kernel's
 * own functions take 010 for 8, and memparse() lets an overflow pass.
 */
#ifndef FAKEVMCORE_DECIMAL_H
#define FAKEVMCORE_DECIMAL_H

#include <linux/ctype.h>
#include <linux/overflow.h>
#include <linux/types.h>

/* Returns where the number ends; NULL if there is none, or none below 2^64. */
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
