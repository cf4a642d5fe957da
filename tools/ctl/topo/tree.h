/* SPDX-License-Identifier: Apache-2.0 */
/* The PCI functions of a machine as a tree, and the facts of its system that decide who reaches whom. Plain data. */
#ifndef GPULINKCTL_TOPO_TREE_H
#define GPULINKCTL_TOPO_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONFIG_BYTES   4096
#define FUNCTION_LIMIT 8192
#define NO_NUMA_NODE   (-1)

enum answer { NOT_KNOWN, NO, YES };

enum function_kind { KIND_OTHER, KIND_BRIDGE, KIND_CARD, KIND_GPU, KIND_NIC };

/** Device/port type of the PCI Express capability; PORT_NONE: no such capability, or not readable. */
enum port_type {
	PORT_NONE = -1,
	PORT_ENDPOINT = 0x0,
	PORT_LEGACY_ENDPOINT = 0x1,
	PORT_ROOT = 0x4,
	PORT_UPSTREAM = 0x5,
	PORT_DOWNSTREAM = 0x6,
	PORT_INTEGRATED = 0x9,
};

/** A link's speed as PCIe generation 1 to 6, and its lanes; 0: not known. */
struct link_rate {
	unsigned generation, lanes;
};

struct bar {
	bool memory, prefetchable;
	uint64_t address;
	uint64_t bytes; /**< 0: not known */
	uint64_t sizes; /**< resizable: bit n stands for 2^n bytes; 0: not resizable */
};

/** ACS bits, as in its registers. */
enum acs { ACS_REQUEST_REDIRECT = 0x04, ACS_COMPLETION_REDIRECT = 0x08, ACS_EGRESS_CONTROL = 0x20 };

struct aer {
	bool present;			     /**< the registers are readable */
	uint32_t uncorrectable, correctable; /**< status registers */
	bool counted;			     /**< the kernel's counts are known */
	uint64_t correctable_count, nonfatal_count, fatal_count;
};

/** What only the running system knows about a function. */
struct system_facts {
	int numa_node;	       /**< or NO_NUMA_NODE */
	int iommu_group;       /**< -1: none, or not known */
	char iommu_type[16];   /**< of the group: identity, DMA, DMA-FQ; empty: not known */
	char driver[32];       /**< empty: none, or not known */
	char card_name[16];    /**< gpulinkN; empty: none */
	char card_state[16];   /**< docs/recovery.md; empty: not known */
	enum answer node_open; /**< a card's device file opens for this user */
	enum answer unchecked_peers;
};

struct function {
	unsigned domain;
	uint8_t bus, slot, number;
	char address[24]; /**< DDDD:BB:SS.F */
	char name[96];	  /**< from pci.ids */
	enum function_kind kind;
	int parent;  /**< index of the bridge above, or -1 */
	bool useful; /**< a card, GPU or NIC, or a bridge above one */

	uint8_t config[CONFIG_BYTES];
	unsigned config_bytes; /**< readable ones: 64, 256 or 4096 */

	uint16_t vendor, device, class_code;
	bool has_windows; /**< a PCI-to-PCI bridge: the next five are valid */
	uint8_t secondary, subordinate;
	bool caps_known, extended_known; /**< the configuration space was read far enough */
	bool decodes_memory, bus_master;
	struct {
		uint64_t first, last; /**< first > last: closed */
	} windows[2];		      /**< not prefetchable, prefetchable */
	enum port_type port;
	struct link_rate rate, rate_most;
	unsigned payload, payload_most, read_request; /**< bytes; 0: not known */
	bool relaxed_ordering;
	bool atomics_routed, atomics_blocked, atomics_request, atomics_complete;
	bool tags10_request, tags10_complete, tags10_enabled;
	bool has_acs;
	unsigned acs_capable, acs_enabled;
	struct bar bars[6];
	struct aer aer;
	struct system_facts system;
};

struct machine {
	bool described; /**< live, or a dump of gpulinkctl: otherwise all is unknown */
	char kernel[80];
	enum answer p2pdma;
	char cpu_vendor[16];
	unsigned cpu_family;
	enum answer module_loaded, module_unsigned, signatures_required;
	enum answer memlock_known;
	uint64_t memlock; /**< bytes; UINT64_MAX: no limit */
};

struct tree {
	struct machine machine;
	struct function *functions; /**< in the order of addresses after tree_complete() */
	size_t count;
};

/** Adds a function without data. Returns NULL if memory or FUNCTION_LIMIT is exhausted, or if the address is taken. */
struct function *tree_add(struct tree *tree, unsigned domain, unsigned bus, unsigned slot, unsigned number);

/** Finds a function by address, or returns NULL. */
struct function *tree_find(const struct tree *tree, unsigned domain, unsigned bus, unsigned slot, unsigned number);

/** Decodes all configuration spaces, sorts, and links the functions to their bridges. Once, after all were added. */
void tree_complete(struct tree *tree);

/** Frees what the tree owns. */
void tree_free(struct tree *tree);

/** The bridge above, or NULL. Chains end: a bridge has a lower bus number than what is below it. */
const struct function *function_above(const struct tree *tree, const struct function *function);

/** Fills the fields that follow from the configuration space. Any contents are accepted. */
void function_decode(struct function *function);

/** The BAR that an endpoint is made of: the largest memory BAR, a prefetchable one first. -1: none. */
int function_endpoint_bar(const struct function *function);

/** Whether its memory can be an endpoint: a GPU or accelerator, not a card, with a memory BAR. */
bool function_is_endpoint(const struct function *function);

/** The endpoint's name, as set-endpoint accepts it: "DDDD:BB:SS.F BAR". */
void function_endpoint_name(const struct function *function, char name[32]);

/** gpulinkN if the driver named the card, else its address. */
const char *function_card_name(const struct function *function);

/** Payload and headers a direction of a link carries, in MB/s (10^6); 0: not known. */
unsigned link_rate_mbytes(struct link_rate rate);

#endif /* GPULINKCTL_TOPO_TREE_H */
