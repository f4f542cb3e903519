// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "cmd/captured.h"
#include "cmd/class_amounts.h"
#include "cmd/message.h"

void captured_report(const struct layer_totals *totals)
{
	char text[CLASS_AMOUNTS_LENGTH];

	if (class_amounts_format(totals->left_out, text))
		message("left out when captured: %s", text);
}
