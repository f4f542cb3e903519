// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "capture/fill/layer_policy.h"

const struct layer_policy *layer_policy_plain(void)
{
	/* All classes are saved in layer 1, as in class_table_plain(). */
	static const struct layer_policy plain = {
		.layers = 1,
		.plan = { { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 } },
	};

	return &plain;
}
