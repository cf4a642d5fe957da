// SPDX-License-Identifier: Apache-2.0
/* The configuration port: its registers, and streams that are complete, cut, wrong, too long or abandoned. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "../pci/mcap.h"

enum { STATUS = MCAP_OFFSET + 0x10, CONTROL = MCAP_OFFSET + 0x14, DATA = MCAP_OFFSET + 0x18 };
enum { ERROR = 1, EOS = 2, OVERFLOW = 0x100, OPEN = 0x10101, RESETS = 0x131 };

static struct mcap mcap;
static struct pci_config config;

static int set_up(void **state)
{
	(void)state;
	memset(&mcap, 0, sizeof(mcap));
	pci_config_init(&config, 0x1234, 0x6c6b, 0x120000);
	mcap_add(&config);
	return 0;
}

static uint32_t get(unsigned offset)
{
	uint32_t value;

	assert_int_equal(pci_config_read(&config, offset, &value, sizeof(value)), 0);
	return value;
}

static enum mcap_event put(unsigned offset, const void *value, unsigned len)
{
	bool reset;

	assert_int_equal(pci_config_write(&config, offset, value, len, &reset), 0);
	return mcap_written(&mcap, &config, offset, len);
}

static enum mcap_event put_word(unsigned offset, uint32_t value)
{
	return put(offset, &value, sizeof(value));
}

/* Words, the first byte of each the most significant. Returns the last event that is not NONE. */
static enum mcap_event stream(const char *text)
{
	enum mcap_event last = MCAP_NONE;
	size_t count = strlen(text);

	assert_int_equal(count % 4, 0);
	for (size_t i = 0; i < count; i += 4) {
		uint32_t word = 0;
		enum mcap_event event;

		for (unsigned b = 0; b < 4; b++)
			word = word << 8 | (unsigned char)text[i + b];
		event = put_word(DATA, word);
		last = event ? event : last;
	}
	return last;
}

static void begin(void)
{
	assert_int_equal(put_word(CONTROL, OPEN), MCAP_NONE);
	assert_int_equal(put_word(DATA, 0xffffffff), MCAP_NONE);
	assert_int_equal(put_word(DATA, 0xaa995566), MCAP_CLEARED);
	assert_int_equal(get(STATUS), 0);
}

static void registers(void **state)
{
	(void)state;
	assert_int_equal(get(MCAP_OFFSET), 0x0001000b);
	assert_int_equal(get(MCAP_OFFSET + 4), 0x02c00001);
	assert_int_equal(get(STATUS), EOS);
	put_word(STATUS, 0);
	assert_int_equal(get(STATUS), EOS);
}

static void complete(void **state)
{
	(void)state;
	begin();
	assert_int_equal(stream("gpulink emulated logic 1\npartitions 7\nqueue_entries 32\n\nlogic rtl\n\n\nend\n"),
			 MCAP_LOADED);
	assert_int_equal(get(STATUS), EOS);
	assert_true(mcap.image.rtl && !mcap.image.dead && mcap.image.partitions == 7 && mcap.image.queue_entries == 32);
	mcap_failed(&config);
	assert_int_equal(get(STATUS), ERROR);
	assert_int_equal(put_word(CONTROL, RESETS), MCAP_NONE);
	assert_int_equal(get(STATUS), 0);
	begin();
	assert_int_equal(stream("gpulink emulated logic 1\nlogic dead\nend\n"), MCAP_LOADED);
	assert_true(!mcap.image.rtl && mcap.image.dead && !mcap.image.partitions && !mcap.image.no_packing);
	begin();
	assert_int_equal(stream("gpulink emulated logic 1\npacking 0\n\nend\n"), MCAP_LOADED);
	assert_true(mcap.image.no_packing);
}

static void wrong(void **state)
{
	static const char *const texts[] = {
		"gpulink emulated logic 2\n\n\n\nend\n",	     "gpulink emulated logic 1\npartitions 17\n\nend\n",
		"gpulink emulated logic 1\npartitions 0\n\n\nend\n", "gpulink emulated logic 1\nlogic gpu \nend\n",
		"gpulink emulated logic 1\npartitions 8x\n\nend\n",  "gpulink emulated logic 1\nqueue_entries 17\n\n\nend\n",
		"gpulink emulated logic 1 \n\n\nend\n",		     "gpulink emulated logic 1\npacking 1\n\nend\n",
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		set_up(NULL);
		begin();
		assert_int_equal(stream(texts[i]), MCAP_NONE);
		assert_int_equal(get(STATUS), ERROR);
	}
}

static void too_long(void **state)
{
	(void)state;
	begin();
	for (unsigned i = 0; i < MCAP_IMAGE_BYTES / 4; i++)
		assert_int_equal(put_word(DATA, 0x20202020), MCAP_NONE);
	assert_int_equal(get(STATUS), 0);
	assert_int_equal(put_word(DATA, 0x656e640a), MCAP_NONE);
	assert_int_equal(get(STATUS), ERROR | OVERFLOW);
}

/* Without the control bits, of another width, elsewhere: no stream. An abandoned one does not go on. */
static void not_open(void **state)
{
	const uint16_t half = 0x5566;

	(void)state;
	assert_int_equal(put_word(DATA, 0xaa995566), MCAP_NONE);
	put_word(CONTROL, 0x00101);
	assert_int_equal(put_word(DATA, 0xaa995566), MCAP_NONE);
	put_word(CONTROL, OPEN);
	assert_int_equal(put(DATA, &half, sizeof(half)), MCAP_NONE);
	assert_int_equal(put_word(STATUS, 0xaa995566), MCAP_NONE);
	begin();
	assert_int_equal(stream("gpulink emulated logic 1"), MCAP_NONE);
	put_word(CONTROL, 0);
	put_word(CONTROL, OPEN);
	assert_int_equal(stream("\n\n\n\nend\n"), MCAP_NONE);
	assert_int_equal(get(STATUS), 0);
	begin();
	assert_int_equal(stream("gpulink emulated logic 1\n\n\n\nend\n"), MCAP_LOADED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(registers, set_up), cmocka_unit_test_setup(complete, set_up),
		cmocka_unit_test_setup(wrong, set_up),	   cmocka_unit_test_setup(too_long, set_up),
		cmocka_unit_test_setup(not_open, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
