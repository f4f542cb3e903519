// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <ctype.h>
#include <string.h>

#include "base/nearest.h"

/* Longer words are like nothing. */
enum { WORD_MAX = 40 };

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static int equal(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* The optimal string alignment distance: row i is for the first i characters of a. */
static unsigned distance(const char *a, const char *b)
{
	size_t rows = strlen(a), columns = strlen(b);
	unsigned d[WORD_MAX + 1][WORD_MAX + 1];

	for (unsigned i = 0; i <= rows; i++)
		d[i][0] = i;
	for (unsigned j = 0; j <= columns; j++)
		d[0][j] = j;
	for (size_t i = 1; i <= rows; i++) {
		for (size_t j = 1; j <= columns; j++) {
			unsigned replaced = d[i - 1][j - 1] + !equal(a[i - 1], b[j - 1]);

			d[i][j] = least(replaced, least(d[i - 1][j], d[i][j - 1]) + 1);
			if (i > 1 && j > 1 && equal(a[i - 1], b[j - 2]) && equal(a[i - 2], b[j - 1]))
				d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
		}
	}
	return d[rows][columns];
}

void nearest_begin(struct nearest *n, const char *word)
{
	size_t length = strlen(word);

	*n = (struct nearest){ .word = word };
	if (length && length <= WORD_MAX)
		n->distance = (unsigned)(length < 4 ? 1 : (length + 1) / 4) + 1;
}

void nearest_offer(struct nearest *n, const char *candidate)
{
	unsigned far;

	if (!n->distance || strlen(candidate) > WORD_MAX)
		return;
	far = distance(n->word, candidate);
	if (far >= n->distance)
		return;
	n->distance = far;
	n->best = candidate;
}
