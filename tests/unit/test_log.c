// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel log, in both forms: intact, incomplete and hostile. */
#include "config.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/log.h"
#include "helper.h"
#include "made_log.h"

/* The results of log_print(). */
struct printed {
	char text[1 << 17];
	size_t len;
	struct log_result result;
	struct error e;
	enum status status;
};

static enum status take(void *arg, const char *text, size_t len, struct error *e)
{
	struct printed *p = arg;

	if (len >= sizeof(p->text) - p->len)
		return error_set(e, STATUS_SYSTEM, "too much of it");
	memcpy(p->text + p->len, text, len);
	p->len += len;
	p->text[p->len] = '\0';
	return STATUS_OK;
}

/* Always the same object, since a test prints one log at a time. */
static const struct printed *print_part(const struct made_log *m, enum log_part part)
{
	static struct printed p;
	struct log_output output = { .write = take, .arg = &p };
	struct core core;
	struct vmcoreinfo info;
	struct virt virt;

	p.len = 0;
	p.text[0] = '\0';
	p.result = (struct log_result){ 0 };
	ck_assert_msg(core_open(&core, &m->core.source, &p.e) == STATUS_OK, "%s", p.e.text);
	ck_assert_int_eq(vmcoreinfo_find(&core, &info, &p.e), STATUS_OK);
	virt_init(&virt, &core, &info);
	p.status = log_print(&virt, part, &output, &p.result, &p.e);
	core_close(&core);
	return &p;
}

static const struct printed *print(const struct made_log *m)
{
	return print_part(m, LOG_WHOLE);
}

/* Expects this text, complete, or incomplete for the reason in lost. */
static void assert_log(const struct made_log *m, const char *text, const char *lost)
{
	const struct printed *p = print(m);

	ck_assert_msg(p->status == STATUS_OK, "%s", p->e.text);
	ck_assert_str_eq(p->text, text);
	ck_assert_str_eq(p->result.lost.text, lost ? lost : "");
	ck_assert((p->result.lost.status != STATUS_OK) == (lost != NULL));
	ck_assert_int_eq(p->result.whole.status, STATUS_OK);
}

static void assert_fails(const struct made_log *m, enum status status, const char *text)
{
	const struct printed *p = print(m);

	ck_assert_int_eq(p->status, status);
	ck_assert_str_eq(p->e.text, text);
	ck_assert_uint_eq(p->len, 0);
}

static void add(struct made_log *m, uint64_t nanoseconds, const char *text)
{
	made_ring_add(m, nanoseconds, text, strlen(text));
}

/* --- the ring --------------------------------------------------------------------- */

START_TEST(test_ring)
{
	struct made_log m;

	made_ring_init(&m, EM_X86_64, 4, 10, 0xffffffef);
	assert_log(&m, "", NULL);
	add(&m, 0, "Linux");
	add(&m, 123456789999, "second");
	assert_log(&m, "[    0.000000] Linux\n[  123.456789] second\n", NULL);
	add(&m, UINT64_MAX, "");
	made_ring_add_empty(&m);
	add(&m, 5000, "two\nlines\n");
	made_ring_set_state(&m, m.head, MADE_COMMITTED);
	assert_log(&m,
		   "[    0.000000] Linux\n[  123.456789] second\n[18446744073.709551] \n"
		   "[    0.000005] two\n               lines\n               \n", NULL);
	made_log_free(&m);
}
END_TEST

/*
 * makedumpfile passes a char to printf(), which is signed on x86_64 only.  It does not escape carriage
 * returns.
 */
START_TEST(test_escapes)
{
	static const char text[] = "a\\ \t\v\f\r~\x7f\x1b[1m\0\xc3\xa9";
	struct made_log m;

	made_ring_init(&m, _i ? EM_AARCH64 : EM_X86_64, 4, 10, 0);
	made_ring_add(&m, 0, text, sizeof(text) - 1);
	assert_log(&m, _i ? "[    0.000000] a\\ \t\v\f\\x0d~\\x7f\\x1b[1m\\x00\\xc3\\xa9\n"
			  : "[    0.000000] a\\ \t\v\f\\x0d~\\x7f\\x1b[1m\\x00\\xffffffc3\\xffffffa9\n",
		   NULL);
	made_log_free(&m);
}
END_TEST

/* After many passes through both rings, the latest records are left, and complete. */
START_TEST(test_laps)
{
	char want[4096];
	struct made_log m;

	made_ring_init(&m, EM_X86_64, 5, _i ? 8 : 12, ((uint64_t)1 << 62) - 33 - 100);
	m.fits = _i % 2;
	for (unsigned n = 0; n < 500; n++) {
		char text[32], line[64];
		uint64_t count, size = 0;

		snprintf(text, sizeof(text), "%.*s%u", (int)(n * 7 % 20), "....................", n);
		add(&m, n * 1000, text);
		count = ((m.head - m.tail) & (((uint64_t)1 << 62) - 1)) + 1;
		want[0] = '\0';
		for (uint64_t k = n + 1 - (count > n + 1 ? n + 1 : count); k <= n; k++) {
			snprintf(line, sizeof(line), "[    0.%06u] %.*s%u\n", (unsigned)k,
				 (int)(k * 7 % 20), "....................", (unsigned)k);
			strcat(want, line);
			size++;
		}
		ck_assert_uint_ge(size, n < 5 ? n : 5);
		assert_log(&m, want, NULL);
	}
	made_log_free(&m);
}
END_TEST

/*
 * A block that ends at the end of the ring is there in new kernels, and at the beginning in old
 * ones.
 */
START_TEST(test_perfect_fit)
{
	struct made_log m;

	made_ring_init(&m, EM_X86_64, 4, 6, 0);
	m.fits = _i;
	add(&m, 0, "the first one, 24 bytes.");
	add(&m, 0, "and another, 20 byte");
	assert_log(&m, _i ? "[    0.000000] the first one, 24 bytes.\n"
			    "[    0.000000] and another, 20 byte\n"
			  : "[    0.000000] and another, 20 byte\n", NULL);
	ck_assert_uint_eq(m.next % 64, _i ? 0 : 32);
	made_log_free(&m);
}
END_TEST

/* The machine crashed while records were written: these are skipped, the others printed. */
START_TEST(test_torn)
{
	struct made_log m;
	uint64_t id;

	made_ring_init(&m, EM_X86_64, 4, 10, 0);
	add(&m, 0, "one");
	id = made_ring_add(&m, 0, "two", 3);
	add(&m, 0, "three");
	made_ring_set_state(&m, id, MADE_RESERVED);
	assert_log(&m, "[    0.000000] one\n[    0.000000] three\n", NULL);
	made_log_poke64(&m, made_ring_desc(&m, id), (uint64_t)MADE_FINALIZED << 62 | (id + 16));
	assert_log(&m, "[    0.000000] one\n[    0.000000] three\n", NULL);
	made_log_free(&m);
}
END_TEST

/* Missing pages, of each array. */
START_TEST(test_ring_holes)
{
	struct made_log m;
	char want[16384] = "", text[64], lost[256];

	made_ring_init(&m, EM_X86_64, 8, 14, 0);
	for (unsigned n = 1; n < 200; n++) {
		snprintf(text, sizeof(text), "%032u", n);
		add(&m, 0, text);
	}
	/* Descriptors are in two pages, 170.7 in the first. */
	made_log_lose(&m, MADE_LOG_DESCS + 4096);
	for (unsigned n = 1; n < 170; n++) {
		snprintf(text, sizeof(text), "[    0.000000] %032u\n", n);
		strcat(want, text);
	}
	snprintf(lost, sizeof(lost), "kernel log: 30 records could not be read: "
		 "kernel address 0xffffffff80101ff0: byte %u is not in any member", (unsigned)m.core.missing);
	assert_log(&m, want, lost);
	/* A page has the infos of 46.5 records: 0 to 46 in the first. */
	made_log_lose(&m, MADE_LOG_INFOS + 4096);
	want[0] = '\0';
	for (unsigned n = 1; n < 200; n++) {
		/* Time and length of record 46 are both in the first page. */
		if (n > 46 && n < 93)
			continue;
		snprintf(text, sizeof(text), "[    0.000000] %032u\n", n);
		strcat(want, text);
	}
	snprintf(lost, sizeof(lost), "kernel log: 46 records could not be read: "
		 "kernel address 0xffffffff80105030: byte %u is not in any member", (unsigned)m.core.missing);
	assert_log(&m, want, lost);
	/* Blocks of 40 bytes: 1 to 102 end before the second page of the text, 103 is in both. */
	made_log_lose(&m, MADE_LOG_TEXT + 4096);
	want[0] = '\0';
	for (unsigned n = 1; n < 200; n++) {
		if (n > 102)
			continue;
		snprintf(text, sizeof(text), "[    0.000000] %032u\n", n);
		strcat(want, text);
	}
	snprintf(lost, sizeof(lost), "kernel log: 97 records could not be read: "
		 "kernel address 0xffffffff80111000: byte %u is not in any member", (unsigned)m.core.missing);
	assert_log(&m, want, lost);
	/* Without the ring's variables, nothing is found. */
	made_log_lose(&m, MADE_LOG_RING);
	snprintf(lost, sizeof(lost), "kernel log: kernel address 0xffffffff80100000: byte %u is "
		 "not in any member", (unsigned)m.core.missing);
	assert_fails(&m, STATUS_MISSING, lost);
	made_log_free(&m);
}
END_TEST

START_TEST(test_hostile_ring)
{
	struct made_log m;
	char text[256];

	made_ring_init(&m, EM_X86_64, 4, 10, 0);
	add(&m, 0, "one");
	add(&m, 0, "two");
	made_log_poke32(&m, MADE_LOG_RING, 27);
	assert_fails(&m, STATUS_DAMAGED, "kernel log: invalid ring: 2^27 records in 2^10 bytes");
	made_log_poke32(&m, MADE_LOG_RING, UINT32_MAX);
	assert_fails(&m, STATUS_DAMAGED, "kernel log: invalid ring: 2^4294967295 records in 2^10 bytes");
	/* Arrays that are too large for the core, whatever page tables say. */
	made_log_poke32(&m, MADE_LOG_RING, 26);
	snprintf(text, sizeof(text), "kernel log: an array of 1610612736 bytes at kernel address "
		 "0xffffffff80101000 is larger than the core (%u bytes)", (unsigned)m.core.size);
	assert_fails(&m, STATUS_DAMAGED, text);
	made_log_poke32(&m, MADE_LOG_RING, 12);
	snprintf(text, sizeof(text), "kernel log: an array of 360448 bytes at kernel address "
		 "0xffffffff80104000 is larger than the core (%u bytes)", (unsigned)m.core.size);
	assert_fails(&m, STATUS_DAMAGED, text);
	made_log_poke32(&m, MADE_LOG_RING, 4);
	made_log_poke32(&m, MADE_LOG_RING + 48, 31);
	made_log_poke64(&m, MADE_LOG_RING + 56, 0xffff888000110008);
	snprintf(text, sizeof(text), "kernel log: an array of 2147483648 bytes at kernel address "
		 "0xffff888000110008 is larger than the core (%u bytes)", (unsigned)m.core.size);
	assert_fails(&m, STATUS_DAMAGED, text);
	made_log_poke32(&m, MADE_LOG_RING + 48, 32);
	assert_fails(&m, STATUS_DAMAGED, "kernel log: invalid ring: 2^4 records in 2^32 bytes");
	made_log_poke32(&m, MADE_LOG_RING + 48, 5);
	assert_fails(&m, STATUS_DAMAGED, "kernel log: invalid ring: 2^4 records in 2^5 bytes");
	made_log_poke32(&m, MADE_LOG_RING + 48, 10);
	made_log_poke64(&m, MADE_LOG_RING + 56, UINT64_MAX - 100);
	assert_fails(&m, STATUS_DAMAGED, "kernel log: an array of 1024 bytes at kernel address "
		     "0xffffffffffffff9b is invalid");
	/* At an address without memory, each record is lost, and that is reported. */
	made_log_poke64(&m, MADE_LOG_RING + 56, 0xffffffff90000000);
	assert_log(&m, "", "kernel log: 2 records could not be read: kernel address "
		   "0xffffffff90000008: physical address 0x10000008 is not in the core");
	made_log_poke64(&m, MADE_LOG_VARIABLES, 0x1234);
	assert_fails(&m, STATUS_MISSING, "kernel log: cannot translate kernel address 0x1234");
	made_log_free(&m);
}
END_TEST

/* Positions that contradict each other, and states with extra bits. */
START_TEST(test_hostile_ids)
{
	const char *both = "[    0.000000] one\n[    0.000000] two\n";
	struct made_log m;

	made_ring_init(&m, EM_X86_64, 4, 10, 5);
	add(&m, 0, "one");
	add(&m, 0, "two");
	made_log_poke64(&m, MADE_LOG_RING + 24, m.head | (uint64_t)3 << 62);
	assert_log(&m, both, NULL);
	made_log_poke64(&m, MADE_LOG_RING + 24, (uint64_t)1 << 61);
	assert_log(&m, both, "kernel log: its first record, number 5, and its last, number "
		   "2305843009213693952, cannot both be in a ring of 16 records; some may be lost");
	made_log_poke64(&m, MADE_LOG_RING + 24, m.head);
	made_log_poke64(&m, MADE_LOG_RING + 32, m.head + 1);
	assert_log(&m, both, "kernel log: its first record, number 8, and its last, number 7, "
		   "cannot both be in a ring of 16 records; some may be lost");
	made_log_free(&m);
}
END_TEST

/*
 * Unreadable records are reported in addition to another reason, and only once, even if both ends
 * are tried.
 */
START_TEST(test_hostile_ids_and_holes)
{
	struct made_log m;
	char lost[512];

	/*
	 * Blocks of 2048 bytes: three of six are in the missing page, the first of them only
	 * partly.
	 */
	made_ring_init(&m, EM_X86_64, 4, 14, 100);
	for (int n = 0; n < 6; n++) {
		char text[2048];

		memset(text, 'a' + n, sizeof(text));
		made_ring_add(&m, 0, text, 2040);
	}
	made_log_lose(&m, MADE_LOG_TEXT + 8192);
	for (int at_end = 0; at_end < 2; at_end++) {
		const struct printed *p;

		/*
		 * All records are found from the first one, or, if that is wrong, too, from the
		 * last.
		 */
		made_log_poke64(&m, MADE_LOG_RING + (at_end ? 32 : 24), at_end ? 5000 : 3000);
		if (at_end)
			made_log_poke64(&m, MADE_LOG_RING + 24, m.head);
		p = print(&m);
		ck_assert_int_eq(p->status, STATUS_OK);
		snprintf(lost, sizeof(lost), "kernel log: its first record, number %d, and its "
			 "last, number %d, cannot both be in a ring of 16 records; some may be "
			 "lost; 3 records could not be read: kernel address 0xffffffff80111810: "
			 "byte %u is not in any member", at_end ? 5000 : 100, at_end ? 106 : 3000,
			 (unsigned)m.core.missing);
		ck_assert_str_eq(p->result.lost.text, lost);
		ck_assert_uint_eq(p->len, 3 * (2040 + strlen("[    0.000000] \n")));
	}
	/* Unreadable descriptors count once, even if both ends were tried. */
	made_log_lose(&m, MADE_LOG_DESCS);
	snprintf(lost, sizeof(lost), "kernel log: its first record, number 5000, and its last, "
		 "number 106, cannot both be in a ring of 16 records; some may be lost; 16 "
		 "records could not be read: kernel address 0xffffffff80101108: byte %u is not in any "
		 "member", (unsigned)m.core.missing);
	assert_log(&m, "", lost);
	made_log_free(&m);
}
END_TEST

/* Blocks at invalid positions, and blocks all at the same position. */
START_TEST(test_hostile_blocks)
{
	struct made_log m;
	const struct printed *p;

	made_ring_init(&m, EM_X86_64, 4, 8, 0);
	add(&m, 0, "one");
	add(&m, 0, "two");
	made_log_poke64(&m, made_ring_desc(&m, 1) + 16, 4);
	assert_log(&m, "[    0.000000] two\n", "kernel log: 1 record could not be read: its text "
		   "has an invalid position, from byte 0 to 4 of the ring");
	/* The highest possible positions. */
	made_log_poke64(&m, made_ring_desc(&m, 1) + 8, UINT64_MAX - 7);
	made_log_poke64(&m, made_ring_desc(&m, 1) + 16, 0);
	made_log_poke16(&m, MADE_LOG_INFOS + MADE_INFO + 16, UINT16_MAX);
	assert_log(&m, "[    0.000000] \n[    0.000000] two\n", NULL);
	for (int n = 0; n < 13; n++)
		add(&m, 0, "x");
	for (uint64_t id = m.tail; id <= m.head; id++) {
		made_ring_set_state(&m, id, MADE_FINALIZED);
		made_log_poke64(&m, made_ring_desc(&m, id) + 8, 8);
		made_log_poke64(&m, made_ring_desc(&m, id) + 16, 0);
		made_log_poke16(&m, MADE_LOG_INFOS + (id & 15) * MADE_INFO + 16, UINT16_MAX);
	}
	p = print(&m);
	ck_assert_int_eq(p->status, STATUS_OK);
	ck_assert_str_eq(p->result.lost.text, "kernel log: it ends early because it is damaged: the "
			 "texts of its records overlap");
	made_log_free(&m);
}
END_TEST

/* VMCOREINFO with one value changed. */
static void init_changed(struct made_log *m, const char *from, const char *key, const char *value)
{
	const char *line = strstr(from, key), *end = strchr(line, '\n');
	char info[4096];

	snprintf(info, sizeof(info), "%.*s%s%s%s", (int)(line - from), from, value,
		 value[0] ? "" : "X=", end);
	made_log_init(m, EM_X86_64, info);
}

START_TEST(test_hostile_keys)
{
	static const struct {
		const char *key, *value, *text;
	} cases[] = {
		{ "SIZE(prb_desc)", "", "VMCOREINFO has no SIZE(prb_desc)" },
		{ "SIZE(prb_desc)", "SIZE(prb_desc)=what", "VMCOREINFO has no SIZE(prb_desc)" },
		{ "SIZE(prb_desc)", "SIZE(prb_desc)=4097", "VMCOREINFO has an invalid SIZE(prb_desc): 4097" },
		{ "SIZE(prb_desc)", "SIZE(prb_desc)=23",
		  "VMCOREINFO has offsets outside of their structs" },
		{ "SIZE(printk_info)", "SIZE(printk_info)=17",
		  "VMCOREINFO has offsets outside of their structs" },
		{ "OFFSET(prb_data_ring.data)", "OFFSET(prb_data_ring.data)=33",
		  "VMCOREINFO has offsets outside of their structs" },
		{ "OFFSET(prb_desc_ring.head_id)", "OFFSET(prb_desc_ring.head_id)=-8",
		  "VMCOREINFO has an invalid OFFSET(prb_desc_ring.head_id): 18446744073709551608" },
	};
	struct made_log m;
	char text[128];

	init_changed(&m, made_ring_info, cases[_i].key, cases[_i].value);
	snprintf(text, sizeof(text), "kernel log: %s", cases[_i].text);
	assert_fails(&m, STATUS_DAMAGED, text);
	made_log_free(&m);
}
END_TEST

START_TEST(test_no_log)
{
	struct made_log m;

	made_log_init(&m, EM_X86_64, "PAGESIZE=4096\nSYMBOL(log_buf)=ffffffff80100000\n");
	assert_fails(&m, STATUS_USAGE, "kernel log: not found with VMCOREINFO; the kernel was "
		     "built without it, or its form is not supported");
	made_log_free(&m);
}
END_TEST

/* --- records ---------------------------------------------------------------------- */

enum { RECORDS = 4096 };	/* bytes of the buffer */

static void records_init_as(struct made_log *m, const char *info, uint32_t first, uint32_t next)
{
	made_log_init(m, EM_X86_64, info);
	made_log_poke64(m, made_variable(MADE_LOG_BUF), MADE_LOG_MAP + MADE_LOG_TEXT);
	made_log_poke32(m, made_variable(MADE_LOG_BUF_LEN), RECORDS);
	made_log_poke32(m, made_variable(MADE_LOG_FIRST), first);
	made_log_poke32(m, made_variable(MADE_LOG_NEXT), next);
	made_log_poke32(m, made_variable(MADE_LOG_CLEAR), first);
}

static void records_init(struct made_log *m, uint32_t first, uint32_t next)
{
	records_init_as(m, made_records_info, first, next);
}

START_TEST(test_records)
{
	struct made_log m;
	uint32_t at;

	records_init(&m, 0, 0);
	assert_log(&m, "", NULL);
	at = made_record_put(&m, 0, 1000, "one");
	at = made_record_put(&m, at, 123456789999, "two\nlines");
	at = made_record_put(&m, at, 0, "");
	made_log_poke32(&m, made_variable(MADE_LOG_NEXT), at);
	assert_log(&m, "[    0.000001] one\n[  123.456789] two\n               lines\n"
		   "[    0.000000] \n", NULL);
	made_log_free(&m);
}
END_TEST

/* Linux 3.5 to 3.10 call it struct log. */
START_TEST(test_records_first)
{
	struct made_log m;
	char info[2048] = "";
	const char *line = made_records_info, *name;

	while ((name = strstr(line, "(printk_log"))) {
		strncat(info, line, (size_t)(name - line));
		strcat(info, "(log");
		line = name + strlen("(printk_log");
	}
	strcat(info, line);
	records_init_as(&m, info, 0, 0);
	made_log_poke32(&m, made_variable(MADE_LOG_NEXT), made_record_put(&m, 0, 1000, "one"));
	assert_log(&m, "[    0.000001] one\n", NULL);
	made_log_free(&m);
	/* The message if VMCOREINFO has neither. */
	name = strstr(info, "SIZE(log)");
	info[name - info] = 'X';
	records_init_as(&m, info, 0, 0);
	assert_fails(&m, STATUS_DAMAGED, "kernel log: VMCOREINFO has no SIZE(printk_log)");
	made_log_free(&m);
}
END_TEST

/* The last record that fits is followed by a mark, and the next one is at the beginning. */
START_TEST(test_records_wrap)
{
	struct made_log m;
	uint32_t at;

	records_init(&m, 4000, 0);
	at = made_record_put(&m, 4000, 0, "before the end");
	made_log_poke64(&m, MADE_LOG_TEXT + at, 0);
	made_log_poke64(&m, MADE_LOG_TEXT + at + 8, 0);
	at = made_record_put(&m, 0, 0, "at the beginning");
	made_log_poke32(&m, made_variable(MADE_LOG_NEXT), at);
	assert_log(&m, "[    0.000000] before the end\n[    0.000000] at the beginning\n", NULL);
	/* Or the buffer simply ends. */
	made_log_poke32(&m, made_variable(MADE_LOG_FIRST), 4064);
	ck_assert_uint_eq(made_record_put(&m, 4064, 0, "16 bytes, filled"), RECORDS);
	assert_log(&m, "[    0.000000] 16 bytes, filled\n[    0.000000] at the beginning\n", NULL);
	made_log_free(&m);
}
END_TEST

START_TEST(test_hostile_records)
{
	struct made_log m;
	uint32_t second, end;
	char text[256];

	records_init(&m, 0, 0);
	second = made_record_put(&m, 0, 0, "one");
	end = made_record_put(&m, second, 0, "two");
	made_log_poke32(&m, made_variable(MADE_LOG_NEXT), end);
	/* Lengths that lead to the record itself, into it, and beyond the last one. */
	made_log_poke16(&m, MADE_LOG_TEXT + second + 8, 0);
	assert_log(&m, "[    0.000000] one\n", "kernel log: the records from byte 20 of its "
		   "buffer are lost: unexpected end mark");
	made_log_poke16(&m, MADE_LOG_TEXT + second + 8, 18);
	assert_log(&m, "[    0.000000] one\n", "kernel log: the records from byte 20 of its "
		   "buffer are lost: the record there has an invalid length");
	made_log_poke16(&m, MADE_LOG_TEXT + second + 8, 24);
	assert_log(&m, "[    0.000000] one\n", "kernel log: the records from byte 20 of its "
		   "buffer are lost: the record there has an invalid length");
	made_log_poke16(&m, MADE_LOG_TEXT + second + 8, 20);
	made_log_poke16(&m, MADE_LOG_TEXT + second + 10, UINT16_MAX);
	assert_log(&m, "[    0.000000] one\n", "kernel log: the records from byte 20 of its "
		   "buffer are lost: the record there has an invalid length");
	/* Invalid variables of the buffer. */
	made_log_poke32(&m, made_variable(MADE_LOG_NEXT), RECORDS + 1);
	assert_fails(&m, STATUS_DAMAGED, "kernel log: its records are from byte 0 to 4097 of a "
		     "buffer of 4096 bytes");
	made_log_poke32(&m, made_variable(MADE_LOG_FIRST), UINT32_MAX);
	assert_fails(&m, STATUS_DAMAGED, "kernel log: its records are from byte 4294967295 to "
		     "4097 of a buffer of 4096 bytes");
	made_log_poke32(&m, made_variable(MADE_LOG_FIRST), RECORDS - 8);
	made_log_poke32(&m, made_variable(MADE_LOG_NEXT), 20);
	assert_log(&m, "[    0.000000] one\n", "kernel log: the records from byte 4088 of its "
		   "buffer are lost: no record fits there");
	made_log_poke32(&m, made_variable(MADE_LOG_BUF_LEN), 4095);
	assert_fails(&m, STATUS_DAMAGED, "kernel log: invalid buffer size: 4095 bytes");
	made_log_poke32(&m, made_variable(MADE_LOG_BUF_LEN), 1 << 20);
	snprintf(text, sizeof(text), "kernel log: an array of 1048576 bytes at kernel address "
		 "0xffffffff80110008 is larger than the core (%u bytes)", (unsigned)m.core.size);
	assert_fails(&m, STATUS_DAMAGED, text);
	made_log_poke32(&m, made_variable(MADE_LOG_BUF_LEN), 0x80000001);
	assert_fails(&m, STATUS_DAMAGED, "kernel log: invalid buffer size: 2147483649 bytes");
	made_log_free(&m);
}
END_TEST

/* Records behind a hole cannot be found, but those at the beginning of the buffer can. */
START_TEST(test_records_hole)
{
	const uint32_t page = 4096 - MADE_LOG_TEXT % 4096;	/* the beginning of its second page */
	struct made_log m;
	uint32_t at, hidden = 0;
	char want[16384] = "", lost[256];

	records_init(&m, 1000, 0);
	made_log_poke32(&m, made_variable(MADE_LOG_BUF_LEN), 4 * RECORDS);
	for (at = 1000; at < 3 * RECORDS; ) {
		uint32_t next = made_record_put(&m, at, 0, "one of many");

		if (next <= page)
			strcat(want, "[    0.000000] one of many\n");
		if (!hidden && at + MADE_RECORD > page)
			hidden = at;
		at = next;
	}
	strcat(want, "[    0.000000] at the beginning\n");
	at = made_record_put(&m, 0, 0, "at the beginning");
	made_log_poke32(&m, made_variable(MADE_LOG_NEXT), at);
	made_log_lose(&m, MADE_LOG_TEXT + page);
	snprintf(lost, sizeof(lost), "kernel log: the records from byte %u of its buffer are lost: "
		 "kernel address 0xffffffff80110ff8: byte %u is not in any member", (unsigned)hidden,
		 (unsigned)m.core.missing);
	assert_log(&m, want, lost);
	made_log_free(&m);
}
END_TEST

/* A log in each form. */
static void init_any(struct made_log *m, int form)
{
	if (form == 0) {
		made_ring_init(m, EM_X86_64, 4, 10, 0);
		add(m, 0, "one");
	} else {
		records_init(m, 0, 0);
		made_log_poke32(m, made_variable(MADE_LOG_NEXT), made_record_put(m, 0, 0, "one"));
	}
}

/* --- since the last clear ----------------------------------------------------------- */

/* Expects this text since the last clear, or the whole log for the reason in whole. */
static void assert_part(const struct made_log *m, const char *text, const char *whole)
{
	const struct printed *p = print_part(m, LOG_SINCE_CLEAR);
	char want[512] = "";

	if (whole)
		snprintf(want, sizeof(want), "kernel log: %s; the whole log is written", whole);
	ck_assert_msg(p->status == STATUS_OK, "%s", p->e.text);
	ck_assert_str_eq(p->text, text);
	ck_assert_str_eq(p->result.whole.text, want);
	ck_assert((p->result.whole.status != STATUS_OK) == (whole != NULL));
}

static void assert_lost(const struct made_log *m, const char *lost)
{
	ck_assert_str_eq(print_part(m, LOG_SINCE_CLEAR)->result.lost.text, lost);
}

/* After each number of records, each number of them is cleared, also ones that are gone. */
START_TEST(test_clear_laps)
{
	enum { COUNT = 16, RECORDS_MAX = 40 };
	struct made_log m;

	made_ring_init(&m, EM_X86_64, 4, 10, ((uint64_t)1 << 62) - COUNT - 1);
	for (unsigned n = 0; n <= RECORDS_MAX; n++) {
		for (unsigned clear = 0; clear <= n; clear++) {
			unsigned first = n > COUNT && clear < n - COUNT ? n - COUNT : clear;
			char want[RECORDS_MAX * 32] = "", line[32];

			for (unsigned k = first; k < n; k++) {
				snprintf(line, sizeof(line), "[    0.%06u] %u\n", k, k);
				strcat(want, line);
			}
			made_ring_clear(&m, clear);
			assert_part(&m, want, NULL);
		}
		char text[16];

		snprintf(text, sizeof(text), "%u", n);
		add(&m, n * 1000, text);
	}
	made_log_free(&m);
}
END_TEST

static void init_three(struct made_log *m, const char *info)
{
	made_ring_init_as(m, info);
	add(m, 0, "one");
	add(m, 0, "two");
	add(m, 0, "three");
}

static const char three[] = "[    0.000000] one\n[    0.000000] two\n[    0.000000] three\n";
static const char last_two[] = "[    0.000000] two\n[    0.000000] three\n";

/* A copy of this VMCOREINFO, which may be such a copy, with other text at one place. */
static const char *changed(const char *info, const char *from, const char *to)
{
	static char copy[4096];
	const char *at = strstr(info, from);
	char text[sizeof(copy)];

	ck_assert_ptr_nonnull(at);
	snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - info), info, to, at + strlen(from));
	return memcpy(copy, text, sizeof(text));
}

/* Linux 5.10 to 5.12: not latched. */
START_TEST(test_clear_not_latched)
{
	struct made_log m;

	init_three(&m, changed(changed(made_ring_info, "SIZE(latched_seq)", "X"),
			       "OFFSET(latched_seq.val)", "X"));
	made_log_poke64(&m, made_variable(MADE_LOG_CLEAR), 1);
	assert_part(&m, last_two, NULL);
	assert_log(&m, three, NULL);
	made_log_poke64(&m, made_variable(MADE_LOG_CLEAR), 3);
	assert_part(&m, "", NULL);
	made_log_free(&m);
}
END_TEST

/* The machine crashed while the number was written: the other copy is intact. */
START_TEST(test_clear_torn)
{
	const uint64_t at = made_variable(MADE_LOG_CLEAR);
	struct made_log m;

	init_three(&m, made_ring_info);
	made_ring_clear(&m, 1);
	made_log_poke32(&m, at, 0xffffffff);
	made_log_poke64(&m, at + 8, 0x12345678);
	assert_part(&m, last_two, NULL);
	made_log_poke32(&m, at, 4);
	made_log_poke64(&m, at + 8, 2);
	assert_part(&m, "[    0.000000] three\n", NULL);
	made_log_free(&m);
	/* A debug kernel, in which the counter is larger. */
	init_three(&m, changed(made_ring_info, "val)=8", "val)=64"));
	made_ring_clear(&m, 2);
	made_log_poke64(&m, at + 64, 1);
	assert_part(&m, last_two, NULL);
	made_log_free(&m);
}
END_TEST

START_TEST(test_clear_hostile_ring)
{
	static const uint64_t beyond[] = { 4, 19, (uint64_t)1 << 62, UINT64_MAX };
	struct made_log m;
	char whole[128];

	init_three(&m, made_ring_info);
	for (size_t i = 0; i < sizeof(beyond) / sizeof(beyond[0]); i++) {
		made_ring_clear(&m, beyond[i]);
		snprintf(whole, sizeof(whole), "it was last cleared before sequence number %" PRIu64
			 ", but its last record has 2", beyond[i]);
		assert_part(&m, three, whole);
	}
	/* Numbers of records that cannot be right, lower and higher than that of the clear. */
	made_ring_clear(&m, UINT64_MAX);
	made_log_poke64(&m, MADE_LOG_INFOS + m.head * MADE_INFO, UINT64_MAX);
	assert_part(&m, "[    0.000000] three\n", NULL);
	made_ring_clear(&m, 0);
	assert_part(&m, three, NULL);
	/* Each record has its own number, whatever the ends of the ring are. */
	made_log_poke64(&m, MADE_LOG_INFOS + m.head * MADE_INFO, 0);
	made_ring_clear(&m, 1);
	assert_part(&m, "[    0.000000] two\n", NULL);
	made_log_poke64(&m, MADE_LOG_RING + 24, (uint64_t)1 << 61);
	assert_part(&m, "[    0.000000] two\n", NULL);
	made_log_free(&m);
}
END_TEST

/* VMCOREINFO lacks a key, or has an absurd one, or the variable cannot be read. */
START_TEST(test_clear_keys)
{
	static const struct {
		const char *from, *to, *text;
	} cases[] = {
		{ "SYMBOL(clear_seq)", "X", "VMCOREINFO has no SYMBOL(clear_seq)" },
		{ "OFFSET(printk_info.seq)", "X", "VMCOREINFO has no OFFSET(printk_info.seq)" },
		{ "OFFSET(latched_seq.val)", "X", "VMCOREINFO has no OFFSET(latched_seq.val)" },
		{ "val)=8", "val)=-8", "VMCOREINFO has an invalid OFFSET(latched_seq.val): "
		  "18446744073709551608" },
		{ "val)=8", "val)=257", "VMCOREINFO has an invalid OFFSET(latched_seq.val): 257" },
		{ "seq)=0", "seq)=81", "VMCOREINFO has an invalid OFFSET(printk_info.seq): 81" },
		{ "SYMBOL(clear_seq)=ffffffff80", "SYMBOL(clear_seq)=ffffffff90", "kernel address "
		  "0xffffffff90100020: physical address 0x10100020 is not in the core" },
		{ "SYMBOL(clear_seq)=ffffffff80100020", "SYMBOL(clear_seq)=1234", "cannot translate "
		  "kernel address 0x1234" },
	};
	struct made_log m;

	init_three(&m, changed(made_ring_info, cases[_i].from, cases[_i].to));
	made_ring_clear(&m, 2);
	assert_part(&m, three, cases[_i].text);
	assert_log(&m, three, NULL);
	made_log_free(&m);
}
END_TEST

START_TEST(test_clear_records)
{
	struct made_log m;
	uint32_t second, third, end;
	char whole[256];

	records_init(&m, 0, 0);
	assert_part(&m, "", NULL);
	second = made_record_put(&m, 0, 0, "one");
	third = made_record_put(&m, second, 0, "two");
	end = made_record_put(&m, third, 0, "three");
	made_log_poke32(&m, made_variable(MADE_LOG_NEXT), end);
	assert_part(&m, three, NULL);
	made_log_poke32(&m, made_variable(MADE_LOG_CLEAR), second);
	assert_part(&m, last_two, NULL);
	assert_log(&m, three, NULL);
	made_log_poke32(&m, made_variable(MADE_LOG_CLEAR), end);
	assert_part(&m, "", NULL);
	/* Offsets at which there is no record. */
	for (int i = 0; i < 4; i++) {
		const uint32_t wrong[] = { second + 4, end + 4, RECORDS, UINT32_MAX };

		made_log_poke32(&m, made_variable(MADE_LOG_CLEAR), wrong[i]);
		snprintf(whole, sizeof(whole), "it was last cleared at byte %u of its buffer, where no "
			 "record begins", (unsigned)wrong[i]);
		assert_part(&m, three, whole);
	}
	/* Before the first record. */
	made_log_poke32(&m, made_variable(MADE_LOG_FIRST), second);
	made_log_poke32(&m, made_variable(MADE_LOG_CLEAR), 0);
	assert_part(&m, last_two, "it was last cleared at byte 0 of its buffer, where no record begins");
	/* A damaged record before it does not matter. */
	made_log_poke16(&m, MADE_LOG_TEXT + second + 8, UINT16_MAX);
	made_log_poke32(&m, made_variable(MADE_LOG_CLEAR), third);
	assert_part(&m, "[    0.000000] three\n", NULL);
	assert_lost(&m, "");
	made_log_free(&m);
}
END_TEST

START_TEST(test_clear_records_wrap)
{
	const char *both = "[    0.000000] before the end\n[    0.000000] one\n[    0.000000] two\n";
	struct made_log m;
	uint32_t mark, second, end;
	char whole[128];

	records_init(&m, 4000, 0);
	mark = made_record_put(&m, 4000, 0, "before the end");
	made_log_poke64(&m, MADE_LOG_TEXT + mark, 0);
	made_log_poke64(&m, MADE_LOG_TEXT + mark + 8, 0);
	second = made_record_put(&m, 0, 0, "one");
	end = made_record_put(&m, second, 0, "two");
	made_log_poke32(&m, made_variable(MADE_LOG_NEXT), end);
	for (int i = 0; i < 5; i++) {
		const uint32_t at[] = { 4000, mark, 0, second, end };
		const char *part = i == 0 ? both : i < 3 ? strstr(both, "\n") + 1 :
				   i == 3 ? strstr(both, "two") - strlen("[    0.000000] ") : "";

		made_log_poke32(&m, made_variable(MADE_LOG_CLEAR), at[i]);
		assert_part(&m, part, NULL);
	}
	for (int i = 0; i < 5; i++) {
		const uint32_t wrong[] = { 4004, mark + 16, second - 4, end + 4, RECORDS + 4 };

		made_log_poke32(&m, made_variable(MADE_LOG_CLEAR), wrong[i]);
		snprintf(whole, sizeof(whole), "it was last cleared at byte %u of its buffer, where no "
			 "record begins", (unsigned)wrong[i]);
		assert_part(&m, both, whole);
	}
	made_log_free(&m);
}
END_TEST

/* --- the end before the end --------------------------------------------------------- */

/* Reads a core, and returns STATUS_STOPPED after some reads. */
struct stopping {
	struct core_bytes bytes;
	unsigned reads, allowed;
};

static enum status read_or_stop(void *arg, uint64_t offset, size_t len, uint8_t *dst,
				struct error *e)
{
	struct stopping *s = arg;

	if (s->reads++ >= s->allowed)
		return error_set(e, STATUS_STOPPED, "stopped");
	return s->bytes.read(s->bytes.arg, offset, len, dst, e);
}

/* Being stopped ends the log at any point, and is not reported as missing data. */
START_TEST(test_stopped)
{
	enum { OPENING = 3 };	/* ELF header, program headers, notes */
	struct stopping s = { .allowed = UINT_MAX };
	enum log_part part = _i < 2 ? LOG_WHOLE : LOG_SINCE_CLEAR;
	struct made_log m;
	unsigned all;

	init_any(&m, _i % 2);
	s.bytes = m.core.source;
	m.core.source.read = read_or_stop;
	m.core.source.arg = &s;
	ck_assert_int_eq(print_part(&m, part)->status, STATUS_OK);
	all = s.reads;
	ck_assert_uint_gt(all, OPENING + 1);
	for (s.allowed = OPENING; s.allowed < all; s.allowed++) {
		const struct printed *p;

		s.reads = 0;
		p = print_part(&m, part);
		ck_assert_int_eq(p->status, STATUS_STOPPED);
		ck_assert_int_eq(p->result.lost.status, STATUS_OK);
	}
	made_log_free(&m);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("log");
	TCase *ring = tcase_create("ring"), *older = tcase_create("older");
	TCase *clear = tcase_create("clear");

	tcase_add_test(ring, test_ring);
	tcase_add_loop_test(ring, test_escapes, 0, 2);
	tcase_add_loop_test(ring, test_laps, 0, 2);
	tcase_add_loop_test(ring, test_perfect_fit, 0, 2);
	tcase_add_test(ring, test_torn);
	tcase_add_test(ring, test_ring_holes);
	tcase_add_test(ring, test_hostile_ring);
	tcase_add_test(ring, test_hostile_ids);
	tcase_add_test(ring, test_hostile_ids_and_holes);
	tcase_add_test(ring, test_hostile_blocks);
	tcase_add_loop_test(ring, test_hostile_keys, 0, 7);
	tcase_add_test(ring, test_no_log);
	tcase_add_test(older, test_records);
	tcase_add_test(older, test_records_first);
	tcase_add_test(older, test_records_wrap);
	tcase_add_test(older, test_hostile_records);
	tcase_add_test(older, test_records_hole);
	tcase_add_loop_test(older, test_stopped, 0, 4);
	tcase_add_test(clear, test_clear_laps);
	tcase_add_test(clear, test_clear_not_latched);
	tcase_add_test(clear, test_clear_torn);
	tcase_add_test(clear, test_clear_hostile_ring);
	tcase_add_loop_test(clear, test_clear_keys, 0, 8);
	tcase_add_test(clear, test_clear_records);
	tcase_add_test(clear, test_clear_records_wrap);
	suite_add_tcase(suite, ring);
	suite_add_tcase(suite, older);
	suite_add_tcase(suite, clear);
	return helper_run(suite);
}
