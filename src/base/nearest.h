// SPDX-License-Identifier: GPL-2.0-or-later
/* The known word that is most like a mistyped one, for "do you mean ...?". */
#ifndef NSPLIT_BASE_NEAREST_H
#define NSPLIT_BASE_NEAREST_H

struct nearest {
	const char *word;		/* as typed */
	const char *best;		/* NULL: nothing offered so far is like it */
	unsigned distance;		/* below this, a candidate is better */
};

/* The word, which must outlive the struct. */
void nearest_begin(struct nearest *n, const char *word);

/*
 * A candidate is like the word if about a quarter of the word's characters, but at least one, must be
 * inserted, removed, replaced or exchanged with the next one.  Capitals make no difference.  Of
 * equally good candidates, the first one stays.
 */
void nearest_offer(struct nearest *n, const char *candidate);

#endif
