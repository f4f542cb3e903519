/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text like that in a machine's memory: source code, kernel messages, settings, prose.  It
 * compresses like such text, to between a half and a quarter with a fast codec, because each
 * block uses only part of the vocabulary.  The kernel module and mkfakevmcore share this file.
 * Any change here changes bytes that tests and users rely on.
 */
#ifndef FAKEVMCORE_TEXT_H
#define FAKEVMCORE_TEXT_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
#endif

/* '@' stands for a word, '#' for a digit. */
static inline const char *text_line(unsigned int number)
{
	static const char *const lines[32] = {
		"\tif (@->@ < 0)\n\t\treturn -@;\n",
		"\t@ = @_@(@, &@->@);\n",
		"\t\t@->@ += @[#].@;\n",
		"static int @_@(struct @ *@)\n{\n",
		"\tstruct @_@ *@ = NULL;\n",
		"\tfor (i = 0; i < @->@; i++)\n",
		"\t/* the @ of every @ is kept until the @ ends */\n",
		"\tspin_lock(&@->lock);\n",
		"\tspin_unlock(&@->lock);\n",
		"\treturn @;\n}\n\n",
		"#include <linux/@.h>\n",
		"#define @_@ 0x####\n",
		"[   ##.######] @: @ at 0x####0000, ## pages\n",
		"[   ##.######] @ 0000:##:##.0: @ enabled\n",
		"[   ##.######] usb #-#: new @, number #\n",
		"<6>systemd[1]: Started the @ of @.\n",
		"<4>@: no @ for @, trying @ instead\n",
		"@=@\n",
		"@.@.@=#\n",
		"/usr/lib/@/@/lib@.so.#\n",
		"/sys/devices/@/@#/@\n",
		"PATH=/usr/bin:/bin @=/var/lib/@\n",
		"{\"@\": \"@\", \"@\": #},\n",
		"<li class=\"@\"><a href=\"/@/@\">@</a></li>\n",
		"The @ is not the @ that a @ would have chosen,\n",
		"and whoever wants a @ has to ask for its @ first.\n",
		"Without the @, nothing of this @ can be read.\n",
		"A @ that holds no @ is given back to the @.\n",
		"\n",
		"0xffffffff81###### @+0x###\n",
		"@\t@\t#####\t@\n",
		"GET /@/@?@=## HTTP/1.1\r\nHost: @.example\r\n",
	};

	return lines[number % 32];
}

static inline const char *text_word(unsigned int number)
{
	static const char *const words[64] = {
		"page", "frame", "device", "memory", "queue", "buffer", "index",
		"length", "offset", "parent", "child", "request", "socket", "inode",
		"mapping", "region", "counter", "timer", "thread", "process",
		"signal", "handler", "driver", "module", "vector", "register",
		"channel", "packet", "header", "segment", "volume", "journal",
		"cache", "object", "entry", "table", "bitmap", "cursor", "filter",
		"policy", "session", "service", "network", "storage", "console",
		"keyboard", "display", "window", "message", "document", "library",
		"archive", "record", "summary", "account", "password", "letter",
		"morning", "river", "garden", "station", "market", "island", "winter",
	};

	return words[number % 64];
}

/* Writes one line to dst, truncated at end; returns its end. */
static inline uint8_t *text_put(const char *line, uint64_t bits, unsigned int dialect,
				uint8_t *dst, uint8_t *end)
{
	const char *word;

	for (; *line && dst < end; line++) {
		if (*line == '@') {
			word = text_word(dialect + (bits & 15));
			while (*word && dst < end)
				*dst++ = (uint8_t)*word++;
			bits = bits >> 4 | bits << 60;
		} else if (*line == '#') {
			*dst++ = (uint8_t)('0' + ((bits & 15) * 10 >> 4));
			bits = bits >> 4 | bits << 60;
		} else {
			*dst++ = (uint8_t)*line;
		}
	}
	return dst;
}

#endif
