// SPDX-License-Identifier: Apache-2.0
/* Configuration space as seen by software: BAR sizing, capabilities, reset. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../pci/pci_config.h"

/* Offsets and bits as linux/pci_regs.h has them; the code under test has its own. */
#include <linux/pci_regs.h>

#define BYTES_0 0x100000u
#define BYTES_2 (UINT64_C(1) << 34) /* more than its lower register can hold */
#define VECTORS 33u

static struct pci_config config;

static int setup(void **state)
{
	pci_config_init(&config, 0x1234, 0x5678, 0x120000);
	pci_config_add_bar(&config, 0, BYTES_0, false);
	pci_config_add_bar(&config, 2, BYTES_2, true);
	pci_config_add_express(&config);
	pci_config_add_msix(&config, VECTORS, 0, 0xf0000, 0xf8000);
	*state = &config;
	return 0;
}

static uint32_t get(const struct pci_config *c, uint64_t offset, size_t len)
{
	uint32_t value = 0;

	assert_int_equal(pci_config_read(c, offset, &value, len), 0);
	return value;
}

/* Returns whether it initiates a reset. */
static bool set(struct pci_config *c, uint64_t offset, size_t len, uint32_t value)
{
	bool reset = true;

	assert_int_equal(pci_config_write(c, offset, &value, len, &reset), 0);
	return reset;
}

static unsigned find(const struct pci_config *c, unsigned id)
{
	unsigned at = get(c, PCI_CAPABILITY_LIST, 1);

	assert_true(get(c, PCI_STATUS, 2) & PCI_STATUS_CAP_LIST);
	for (unsigned i = 0; at && i < 48; i++) {
		assert_true(at >= 0x40 && at % 4 == 0);
		if (get(c, at, 1) == id)
			return at;
		at = get(c, at + 1, 1);
	}
	return 0;
}

static void header(void **state)
{
	const struct pci_config *c = *state;

	assert_int_equal(get(c, PCI_VENDOR_ID, 2), 0x1234);
	assert_int_equal(get(c, PCI_DEVICE_ID, 2), 0x5678);
	assert_int_equal(get(c, PCI_CLASS_REVISION, 4) >> 8, 0x120000);
	assert_int_equal(get(c, PCI_HEADER_TYPE, 1), PCI_HEADER_TYPE_NORMAL);
	assert_int_equal(get(c, PCI_COMMAND, 2), 0);
	assert_int_equal(get(c, PCI_SUBSYSTEM_VENDOR_ID, 2), 0x1234);
	assert_int_equal(get(c, PCI_INTERRUPT_PIN, 1), 0);
	assert_int_equal(get(c, PCI_ROM_ADDRESS, 4), 0);
}

static uint64_t size_bar(struct pci_config *c, unsigned bar)
{
	unsigned at = PCI_BASE_ADDRESS_0 + 4 * bar;
	uint64_t mask;

	set(c, at, 4, UINT32_MAX);
	set(c, at + 4, 4, UINT32_MAX);
	mask = get(c, at, 4) & (uint32_t)PCI_BASE_ADDRESS_MEM_MASK;
	mask |= (uint64_t)get(c, at + 4, 4) << 32;
	return ~mask + 1;
}

static void bar_sizing(void **state)
{
	struct pci_config *c = *state;

	assert_int_equal(get(c, PCI_BASE_ADDRESS_0, 4), PCI_BASE_ADDRESS_MEM_TYPE_64);
	assert_int_equal(get(c, PCI_BASE_ADDRESS_2, 4), PCI_BASE_ADDRESS_MEM_TYPE_64 | PCI_BASE_ADDRESS_MEM_PREFETCH);
	assert_true(size_bar(c, 0) == BYTES_0);
	assert_true(size_bar(c, 2) == BYTES_2);
	assert_true(size_bar(c, 4) == 0); /* not there: all zero */
	/* The kind of the BAR does not change. */
	assert_int_equal(get(c, PCI_BASE_ADDRESS_0, 4) & 0xf, PCI_BASE_ADDRESS_MEM_TYPE_64);
	set(c, PCI_BASE_ADDRESS_0, 4, 0);
	assert_int_equal(get(c, PCI_BASE_ADDRESS_0, 4), PCI_BASE_ADDRESS_MEM_TYPE_64);
}

static void bar_addresses(void **state)
{
	struct pci_config *c = *state;

	set(c, PCI_BASE_ADDRESS_0, 4, 0xfe300000);
	set(c, PCI_BASE_ADDRESS_1, 4, 0x12);
	assert_true(pci_config_bar_address(c, 0) == 0x12fe300000);
	set(c, PCI_BASE_ADDRESS_0, 4, 0xfe3fffff); /* not aligned to its size */
	assert_true(pci_config_bar_address(c, 0) == 0x12fe300000);
	set(c, PCI_BASE_ADDRESS_0 + 3, 1, 0x80); /* one byte */
	assert_true(pci_config_bar_address(c, 0) == 0x1280300000);
}

static void command_register(void **state)
{
	struct pci_config *c = *state;

	assert_false(pci_config_memory_enabled(c) || pci_config_bus_master(c));
	set(c, PCI_COMMAND, 2, PCI_COMMAND_MEMORY);
	assert_true(pci_config_memory_enabled(c));
	assert_false(pci_config_bus_master(c));
	set(c, PCI_COMMAND, 1, PCI_COMMAND_MASTER);
	assert_false(pci_config_memory_enabled(c));
	assert_true(pci_config_bus_master(c));
	set(c, PCI_COMMAND, 2, 0xffff);
	assert_int_equal(get(c, PCI_COMMAND, 2), PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_PARITY |
							 PCI_COMMAND_SERR | PCI_COMMAND_INTX_DISABLE);
}

/* A driver may save and restore it as one block. */
static void read_only_bits(void **state)
{
	struct pci_config *c = *state;
	uint8_t before[PCI_CONFIG_BYTES], ones[PCI_CONFIG_BYTES], after[PCI_CONFIG_BYTES];
	unsigned msix = find(c, PCI_CAP_ID_MSIX), express = find(c, PCI_CAP_ID_EXP), power = find(c, PCI_CAP_ID_PM);
	bool reset;

	memset(ones, 0xff, sizeof(ones));
	assert_int_equal(pci_config_read(c, 0, before, sizeof(before)), 0);
	assert_int_equal(pci_config_write(c, 0, ones, sizeof(ones), &reset), 0);
	assert_true(reset);
	assert_int_equal(pci_config_read(c, 0, after, sizeof(after)), 0);
	for (unsigned i = 0; i < PCI_CONFIG_BYTES; i++) {
		bool may = (i >= PCI_COMMAND && i < PCI_COMMAND + 2) ||
			   (i >= PCI_BASE_ADDRESS_0 && i < PCI_BASE_ADDRESS_4) || i == PCI_INTERRUPT_LINE ||
			   i == msix + PCI_MSIX_FLAGS + 1 || i == power + PCI_PM_CTRL ||
			   (i >= express + PCI_EXP_DEVCTL && i < express + PCI_EXP_DEVCTL + 2) ||
			   i == express + PCI_EXP_LNKCTL || i == express + PCI_EXP_DEVCTL2;

		if (!may)
			assert_int_equal(after[i], before[i]);
		assert_int_equal(after[i] & before[i], before[i]);
	}
	assert_int_equal(get(c, msix + PCI_MSIX_FLAGS, 2), 0xc000 | (VECTORS - 1));
}

static void capabilities(void **state)
{
	const struct pci_config *c = *state;
	unsigned power = find(c, PCI_CAP_ID_PM), msix = find(c, PCI_CAP_ID_MSIX), express = find(c, PCI_CAP_ID_EXP);

	assert_true(power && msix && express);
	assert_int_equal(find(c, PCI_CAP_ID_MSI), 0);
	assert_int_equal(get(c, power + PCI_PM_PMC, 2) & PCI_PM_CAP_VER_MASK, 3);
	assert_true(get(c, power + PCI_PM_CTRL, 2) & PCI_PM_CTRL_NO_SOFT_RESET);
	assert_int_equal((get(c, msix + PCI_MSIX_FLAGS, 2) & PCI_MSIX_FLAGS_QSIZE) + 1, VECTORS);
	assert_int_equal(get(c, msix + PCI_MSIX_TABLE, 4), 0xf0000);
	assert_int_equal(get(c, msix + PCI_MSIX_PBA, 4), 0xf8000);
	assert_int_equal(get(c, express + PCI_EXP_FLAGS, 2) & PCI_EXP_FLAGS_VERS, 2);
	assert_int_equal((get(c, express + PCI_EXP_FLAGS, 2) & PCI_EXP_FLAGS_TYPE) >> 4, PCI_EXP_TYPE_ENDPOINT);
	assert_true(get(c, express + PCI_EXP_DEVCAP, 4) & PCI_EXP_DEVCAP_FLR);
	assert_false(get(c, express + PCI_EXP_DEVCTL, 2) & PCI_EXP_DEVCTL_BCR_FLR);
}

static void function_level_reset(void **state)
{
	struct pci_config *c = *state;
	unsigned power = find(c, PCI_CAP_ID_PM), msix = find(c, PCI_CAP_ID_MSIX), express = find(c, PCI_CAP_ID_EXP);
	uint32_t control = get(c, express + PCI_EXP_DEVCTL, 2);

	assert_false(set(c, PCI_COMMAND, 2, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER));
	assert_false(set(c, PCI_BASE_ADDRESS_0, 4, 0xfe300000));
	assert_false(set(c, PCI_BASE_ADDRESS_3, 4, 0x40));
	assert_false(set(c, msix + PCI_MSIX_FLAGS, 2, PCI_MSIX_FLAGS_ENABLE));
	assert_false(set(c, power + PCI_PM_CTRL, 2, 3));
	assert_false(set(c, express + PCI_EXP_DEVCTL, 1, 0xff)); /* the byte without the bit */
	assert_true(set(c, express + PCI_EXP_DEVCTL, 2, control | PCI_EXP_DEVCTL_BCR_FLR));
	assert_true(set(c, express + PCI_EXP_DEVCTL, 4, PCI_EXP_DEVCTL_BCR_FLR));
	assert_true(set(c, express + PCI_EXP_DEVCTL + 1, 1, PCI_EXP_DEVCTL_BCR_FLR >> 8));
	assert_false(get(c, express + PCI_EXP_DEVCTL, 2) & PCI_EXP_DEVCTL_BCR_FLR); /* reads 0 */
	pci_config_reset(c);
	assert_int_equal(get(c, PCI_COMMAND, 2), 0);
	assert_int_equal(get(c, msix + PCI_MSIX_FLAGS, 2), VECTORS - 1);
	assert_int_equal(get(c, power + PCI_PM_CTRL, 2), PCI_PM_CTRL_NO_SOFT_RESET);
	assert_int_equal(get(c, express + PCI_EXP_DEVCTL, 2), control);
	assert_true(pci_config_bar_address(c, 0) == 0xfe300000);
	assert_true(pci_config_bar_address(c, 2) == UINT64_C(0x4000000000));
}

static void bounds(void **state)
{
	struct pci_config *c = *state;
	uint32_t value = 0;
	bool reset;

	assert_int_equal(get(c, PCI_CONFIG_BYTES - 4, 4), 0);
	assert_int_equal(pci_config_read(c, PCI_CONFIG_BYTES - 3, &value, 4), -EINVAL);
	assert_int_equal(pci_config_read(c, PCI_CONFIG_BYTES, &value, 1), -EINVAL);
	assert_int_equal(pci_config_read(c, UINT64_MAX, &value, 4), -EINVAL);
	assert_int_equal(pci_config_write(c, PCI_CONFIG_BYTES - 3, &value, 4, &reset), -EINVAL);
	assert_int_equal(pci_config_write(c, UINT64_MAX - 1, &value, 4, &reset), -EINVAL);
	assert_false(reset);
}

static void msi(void **state)
{
	static const struct {
		unsigned vectors, granted;
	} cases[] = { { 1, 1 }, { 2, 2 }, { 3, 2 }, { 31, 16 }, { 32, 32 }, { 33, 32 }, { 200, 32 } };
	unsigned msi, flags;

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		pci_config_init(&config, 0x1234, 0x5678, 0x120000);
		pci_config_add_express(&config);
		assert_int_equal(pci_config_add_msi(&config, cases[i].vectors), cases[i].granted);
		msi = find(&config, PCI_CAP_ID_MSI);
		flags = get(&config, msi + PCI_MSI_FLAGS, 2);
		assert_int_equal(1u << ((flags & PCI_MSI_FLAGS_QMASK) >> 1), cases[i].granted);
		assert_int_equal(flags & ~(unsigned)PCI_MSI_FLAGS_QMASK, PCI_MSI_FLAGS_64BIT);
		assert_int_equal(find(&config, PCI_CAP_ID_MSIX), 0);
		assert_true(find(&config, PCI_CAP_ID_EXP) && find(&config, PCI_CAP_ID_PM));
	}
	set(&config, msi + PCI_MSI_FLAGS, 2, PCI_MSI_FLAGS_ENABLE);
	set(&config, msi + PCI_MSI_ADDRESS_LO, 4, 0xfee00003);
	set(&config, msi + PCI_MSI_ADDRESS_HI, 4, 0x12345678);
	set(&config, msi + PCI_MSI_DATA_64, 4, UINT32_MAX);
	assert_int_equal(get(&config, msi + PCI_MSI_FLAGS, 2), flags | PCI_MSI_FLAGS_ENABLE);
	assert_int_equal(get(&config, msi + PCI_MSI_ADDRESS_LO, 4), 0xfee00000);
	assert_int_equal(get(&config, msi + PCI_MSI_ADDRESS_HI, 4), 0x12345678);
	assert_int_equal(get(&config, msi + PCI_MSI_DATA_64, 4), 0xffff);
	pci_config_reset(&config);
	assert_int_equal(get(&config, msi + PCI_MSI_FLAGS, 2), flags);
	assert_int_equal(get(&config, msi + PCI_MSI_ADDRESS_LO, 4), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(header, setup),
		cmocka_unit_test_setup(bar_sizing, setup),
		cmocka_unit_test_setup(bar_addresses, setup),
		cmocka_unit_test_setup(command_register, setup),
		cmocka_unit_test_setup(read_only_bits, setup),
		cmocka_unit_test_setup(capabilities, setup),
		cmocka_unit_test_setup(function_level_reset, setup),
		cmocka_unit_test_setup(bounds, setup),
		cmocka_unit_test(msi),
	};

	return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
