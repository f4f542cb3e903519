// SPDX-License-Identifier: GPL-2.0-or-later
/* SHA-256 against the examples of FIPS 180, and the root of a member (doc/format.md, section 9). */
#include "config.h"

#include <string.h>

#include "base/digest.h"
#include "format/footer.h"
#include "helper.h"

static void assert_digest(const struct digest *d, const char *want)
{
	char text[DIGEST_TEXT_LENGTH + 1];
	uint8_t sum[DIGEST_LENGTH];

	digest_get(d, sum);
	digest_format(sum, text);
	ck_assert_str_eq(text, want);
}

static const char of_nothing[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
static const char of_abc[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

START_TEST(test_examples)
{
	struct digest d;

	digest_begin(&d);
	assert_digest(&d, of_nothing);
	digest_add(&d, "abc", 3);
	assert_digest(&d, of_abc);
	/* It can be asked again, and goes on. */
	assert_digest(&d, of_abc);
	digest_begin(&d);
	digest_add(&d, "abcdbcdecdefdefgefghfghi", 24);
	digest_add(&d, "ghijhijkijkljklmklmnlmnomnopnopq", 32);
	assert_digest(&d, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}
END_TEST

/* The root is that of the checksums as they are stored: little-endian, one after another. */
START_TEST(test_root)
{
	static const uint8_t stored[] = { 8, 7, 6, 5, 4, 3, 2, 1, 0xff, 0, 0, 0, 0, 0, 0, 0x80 };
	uint8_t want[ROOT_LENGTH], bytes[ROOT_LENGTH], empty[ROOT_LENGTH];
	struct digest d;
	struct root root;

	root_begin(&root);
	root_get(&root, empty);
	digest_begin(&d);
	digest_get(&d, want);
	ck_assert_mem_eq(empty, want, ROOT_LENGTH);
	root_add(&root, 0x0102030405060708);
	root_get(&root, bytes);
	root_add(&root, 0x80000000000000ff);
	digest_add(&d, stored, 8);
	digest_get(&d, want);
	ck_assert_mem_eq(bytes, want, ROOT_LENGTH);
	root_get(&root, bytes);
	digest_add(&d, stored + 8, 8);
	digest_get(&d, want);
	ck_assert_mem_eq(bytes, want, ROOT_LENGTH);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("digest");
	TCase *tcase = tcase_create("digest");

	if (!digest_supported())
		return helper_skip("this build has no SHA-256");
	tcase_add_test(tcase, test_examples);
	tcase_add_test(tcase, test_root);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
