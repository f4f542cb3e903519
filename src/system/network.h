// SPDX-License-Identifier: GPL-2.0-or-later
/* The network interfaces of the machine. */
#ifndef NSPLIT_SYSTEM_NETWORK_H
#define NSPLIT_SYSTEM_NETWORK_H

enum network_state {
	NETWORK_UNKNOWN,	/* sysfs cannot be read */
	NETWORK_DOWN,		/* no interface but the loopback is up */
	NETWORK_UP,
};

enum network_state network_of(const char *root);

#endif
