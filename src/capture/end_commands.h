// SPDX-License-Identifier: GPL-2.0-or-later
/* The order in which commands are ended, in PHASE_ENDING: see engine.h. */
#ifndef NSPLIT_CAPTURE_END_COMMANDS_H
#define NSPLIT_CAPTURE_END_COMMANDS_H

#include "capture/engine.h"

/* May this output be ended now?  Only if it is a command that takes chunks. */
bool command_may_end(const struct capture *c, unsigned output);
/* The number of commands that have neither ended nor failed. */
unsigned commands_running(const struct capture *c);

#endif
