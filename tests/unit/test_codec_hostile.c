// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every codec of this build, unpacking untrusted bytes.  The cases loop over codec_entries(); _i is
 * the entry, and one that was left out of the build is skipped.
 */
#include "config.h"

#include <string.h>

#include "codec_bench.h"
#include "helper.h"

START_TEST(test_truncated)
{
	const struct codec *codec = bench_codec(_i);
	unsigned char src[BENCH_BLOCK], *packed;
	struct bench b;
	size_t packed_len, len;
	int kind;

	if (!codec)
		return;
	bench_set_up(&b, codec, codec->level_default, BENCH_BLOCK);
	for (kind = 0; kind < CORPUS_KINDS; kind++) {
		corpus_fill((enum corpus_kind)kind, 3, src, BENCH_BLOCK);
		packed_len = bench_pack(&b, src, BENCH_BLOCK, &packed);
		for (len = packed_len; len-- > 1;) {
			/* Up to the guard page again. */
			memmove(b.packed.end - len, b.packed.end - len - 1, len);
			if (bench_unpack(&b, b.packed.end - len, len, BENCH_BLOCK))
				ck_abort_msg("%s took the first %zu bytes of %zu",
					     codec->name, len, packed_len);
		}
	}
	bench_take_down(&b);
}
END_TEST

/* The extra byte may have a meaning in the format, so all values are tried. */
START_TEST(test_trailing_byte)
{
	const struct codec *codec = bench_codec(_i);
	unsigned char src[BENCH_BLOCK], *packed;
	struct bench b;
	size_t packed_len;
	int kind, byte;

	/* That of zlib has an end and a checksum of its own, and readers of dumps accept bytes behind it. */
	if (!codec || codec->id == CODEC_ZLIB)
		return;
	bench_set_up(&b, codec, codec->level_default, BENCH_BLOCK);
	for (kind = 0; kind < CORPUS_KINDS; kind++) {
		corpus_fill((enum corpus_kind)kind, 4, src, BENCH_BLOCK);
		packed_len = bench_pack(&b, src, BENCH_BLOCK, &packed);
		if (!packed_len)
			continue;
		memmove(packed - 1, packed, packed_len);
		for (byte = 0; byte < 256; byte++) {
			packed[packed_len - 1] = (unsigned char)byte;
			if (bench_unpack(&b, packed - 1, packed_len + 1, BENCH_BLOCK))
				ck_abort_msg("%s took a byte %d too many", codec->name,
					     byte);
		}
	}
	bench_take_down(&b);
}
END_TEST

/*
 * A codec may miss a flipped bit, since the checksum of the record detects it.  This tests that no
 * byte outside the buffers is touched, and that the unpacker still works afterwards.
 */
START_TEST(test_flipped_bits)
{
	static const enum corpus_kind kinds[] = {
		CORPUS_ZERO, CORPUS_TEXT, CORPUS_POINTERS
	};
	const struct codec *codec = bench_codec(_i);
	unsigned char src[BENCH_BLOCK], *packed;
	struct bench b;
	size_t packed_len, k, bit;

	if (!codec)
		return;
	bench_set_up(&b, codec, codec->level_default, BENCH_BLOCK);
	for (k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		corpus_fill(kinds[k], 5, src, BENCH_BLOCK);
		packed_len = bench_pack(&b, src, BENCH_BLOCK, &packed);
		for (bit = 0; bit < packed_len * 8; bit++) {
			packed[bit / 8] ^= (unsigned char)(1 << bit % 8);
			bench_unpack(&b, packed, packed_len, BENCH_BLOCK);
			packed[bit / 8] ^= (unsigned char)(1 << bit % 8);
		}
		ck_assert(bench_unpack(&b, packed, packed_len, BENCH_BLOCK));
		ck_assert_mem_eq(b.back.end - BENCH_BLOCK, src, BENCH_BLOCK);
	}
	bench_take_down(&b);
}
END_TEST

/* Input that zstd's decoder accepts but that is not one plain frame. */
START_TEST(test_zstd_other_frames)
{
#ifdef HAVE_ZSTD
	static const unsigned char skippable[8] = { 0x50, 0x2a, 0x4d, 0x18 };
	unsigned char two[512], src[BENCH_BLOCK], back[2 * BENCH_BLOCK];
	void *packer = bench_packer_new(&codec_zstd, 1, BENCH_BLOCK);
	void *unpacker = bench_unpacker_new(&codec_zstd);
	size_t len;

	corpus_fill(CORPUS_SAME8, 1, src, BENCH_BLOCK);
	ck_assert_uint_le(codec_zstd.bound(BENCH_BLOCK), sizeof(back));
	len = codec_zstd.pack(packer, src, BENCH_BLOCK, back);
	ck_assert_uint_le(2 * len + sizeof(skippable), sizeof(two));
	memcpy(two, back, len);
	memcpy(two + len, back, len);
	ck_assert(codec_zstd.unpack(unpacker, two, len, back, BENCH_BLOCK));
	ck_assert(!codec_zstd.unpack(unpacker, two, 2 * len, back, 2 * BENCH_BLOCK));
	memcpy(two + len, skippable, sizeof(skippable));
	ck_assert(!codec_zstd.unpack(unpacker, two, len + sizeof(skippable), back, BENCH_BLOCK));
	memmove(two + sizeof(skippable), two, len);
	memcpy(two, skippable, sizeof(skippable));
	ck_assert(!codec_zstd.unpack(unpacker, two, len + sizeof(skippable), back, BENCH_BLOCK));
	bench_packer_free(&codec_zstd, packer);
	bench_unpacker_free(&codec_zstd, unpacker);
#endif
}
END_TEST

/* unpack() fails unless a block has the length that it claims. */
START_TEST(test_claims)
{
	const struct codec *codec = bench_codec(_i);
	unsigned char src[BENCH_BLOCK], *packed;
	struct bench b;
	size_t len;

	if (!codec || !codec->claims)
		return;
	bench_set_up(&b, codec, codec->level_default, BENCH_BLOCK);
	for (int kind = 0; kind < CORPUS_KINDS; kind++) {
		corpus_fill((enum corpus_kind)kind, 6, src, BENCH_BLOCK);
		len = bench_pack(&b, src, BENCH_BLOCK, &packed);
		ck_assert(codec->claims(packed, len, BENCH_BLOCK));
		ck_assert(!codec->claims(packed, len, BENCH_BLOCK - 1));
		ck_assert(!codec->claims(packed, len, BENCH_BLOCK + 1));
		ck_assert(!codec->claims(packed, 1, BENCH_BLOCK));
	}
	bench_take_down(&b);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("each codec");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, test_truncated, 0, bench_codecs());
	tcase_add_loop_test(tcase, test_trailing_byte, 0, bench_codecs());
	tcase_add_loop_test(tcase, test_flipped_bits, 0, bench_codecs());
	tcase_add_test(tcase, test_zstd_other_frames);
	tcase_add_loop_test(tcase, test_claims, 0, bench_codecs());
	return helper_run_case("codec_hostile", tcase);
}
