// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The steps that close a member and its sink, in the phases after CAPTURING.  They are called with
 * the lock held and release it during calls.
 */
#ifndef NSPLIT_CAPTURE_ENGINE_CLOSING_H
#define NSPLIT_CAPTURE_ENGINE_CLOSING_H

#include "capture/engine/engine.h"

/* Does what the phase requires: syncs the output, ends a command, or writes the footer. */
void close_member(struct capture *c, unsigned output);

/* Closes the sink: the last step of a writer. */
void close_sink(struct capture *c, struct output *o);

#endif
