// SPDX-License-Identifier: GPL-2.0-or-later
/* The footer of a member and its marks (doc/format.md, sections 7 and 17). */
#ifndef NSPLIT_CAPTURE_MEMBER_FOOTER_H
#define NSPLIT_CAPTURE_MEMBER_FOOTER_H

#include "capture/member_writer.h"

/* A footer at the end of the member as it is now; its index is written. */
struct footer member_footer(const struct member_writer *w, const struct sink_stats *held,
			    int64_t finished);

/*
 * With layers: writes the index so far and a mark, unless it is known that there is no space for
 * it, and syncs.  The member has a record; others may follow, and so does the footer.  If
 * sink_is_full() afterwards, see member_writer_settle().
 */
enum status member_writer_mark(struct member_writer *w, const struct sink_stats *held,
			       int64_t finished, struct error *e);

#endif
