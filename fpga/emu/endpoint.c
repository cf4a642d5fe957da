// SPDX-License-Identifier: Apache-2.0
/*
 * gpulink-endpoint: an emulated GPU endpoint, a PCI function with memory behind BAR 0. The virtual machine maps the memory;
 * cards connected to its fabric socket write to it.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../common/close_output.h"
#include "../../common/number.h"
#include "pci/fabric.h"
#include "pci/pci_config.h"
#include "process/server.h"

#define NAME	      "gpulink-endpoint"
#define VENDOR	      0x1234
#define DEVICE	      0x6c65
#define CLASS	      0x030200u /* 3D controller */
#define DEFAULT_BYTES (UINT64_C(64) << 20)
#define LEAST_BYTES   (UINT64_C(1) << 20)
#define MOST_BYTES    (UINT64_C(1) << 34)
#define CARDS_MAX     16u

struct endpoint {
	struct pci_config config;
	struct fabric_memory memory;
	struct vfu_function vfu;
	int fabric; /* listening */
	int cards[CARDS_MAX];
	unsigned card_count;
};

static const char help[] =
	"Usage: " NAME " --socket PATH --fabric PATH [OPTION...]\n"
	"\n"
	"Emulate a GPU endpoint, a PCI function with memory, as a vfio-user server for QEMU's vfio-user-pci device.\n"
	"\n"
	"Options:\n"
	"  -s, --socket PATH  Unix socket to listen on; a stale socket is replaced\n"
	"  -f, --fabric PATH  Unix socket for gpulink-card\n"
	"  -b, --size BYTES   memory size, a power of two from 1048576 to 17179869184 (default 67108864)\n"
	"  -V, --version      show version and exit\n"
	"  -h, --help         show this help and exit\n";

static void endpoint_place(struct endpoint *e)
{
	fabric_memory_place(&e->memory, pci_config_bar_address(&e->config, 0), pci_config_memory_enabled(&e->config));
}

static int on_region_read(void *device, unsigned region, uint64_t offset, void *data, size_t len)
{
	struct endpoint *e = device;

	if (region == VFU_REGION_CONFIG)
		return pci_config_read(&e->config, offset, data, len);
	memcpy(data, e->memory.memory + offset, len);
	return 0;
}

static void on_reset(void *device)
{
	struct endpoint *e = device;

	pci_config_reset(&e->config);
	endpoint_place(e);
}

static int on_region_write(void *device, unsigned region, uint64_t offset, const void *data, size_t len)
{
	struct endpoint *e = device;
	bool flr;
	int error;

	if (region != VFU_REGION_CONFIG) {
		memcpy(e->memory.memory + offset, data, len);
		return 0;
	}
	error = pci_config_write(&e->config, offset, data, len, &flr);
	if (flr)
		on_reset(e);
	endpoint_place(e);
	return error;
}

/* The endpoint performs no DMA: it ignores guest memory. */
static int on_dma_map(void *device, const struct vfu_dma_map *map, int fd)
{
	(void)device;
	(void)map;
	(void)fd;
	return 0;
}

static int on_dma_unmap(void *device, uint64_t address, uint64_t size)
{
	(void)device;
	(void)address;
	(void)size;
	return 0;
}

static void on_dma_unmap_all(void *device)
{
	(void)device;
}

static int on_set_vectors(void *device, unsigned start, unsigned count, const int *fds)
{
	(void)device;
	(void)start;
	for (unsigned i = 0; fds && i < count; i++)
		close(fds[i]);
	return 0;
}

static const struct vfu_ops ops = {
	.region_read = on_region_read,
	.region_write = on_region_write,
	.dma_map = on_dma_map,
	.dma_unmap = on_dma_unmap,
	.dma_unmap_all = on_dma_unmap_all,
	.set_vectors = on_set_vectors,
	.reset = on_reset,
};

static int create(struct endpoint *e, uint64_t bytes)
{
	int error = fabric_memory_create(&e->memory, bytes);

	if (error)
		return error;
	e->vfu = (struct vfu_function){ .ops = &ops, .device = e };
	e->vfu.regions[0] = (struct vfu_region){ .size = bytes, .mappable = true, .fd = e->memory.memory_fd };
	e->vfu.regions[VFU_REGION_CONFIG].size = PCI_CONFIG_BYTES;
	pci_config_init(&e->config, VENDOR, DEVICE, CLASS);
	pci_config_add_bar(&e->config, 0, bytes, true);
	pci_config_add_express(&e->config);
	return 0;
}

static void accept_card(struct endpoint *e)
{
	int card = accept4(e->fabric, NULL, NULL, SOCK_CLOEXEC);

	if (card < 0)
		return;
	if (e->card_count == CARDS_MAX || fabric_memory_share(&e->memory, card)) {
		server_log(NAME, "cannot accept a card: must be at most %u cards", CARDS_MAX);
		close(card);
		return;
	}
	e->cards[e->card_count++] = card;
}

static void endpoint_run(struct endpoint *e, struct server *server)
{
	struct pollfd fds[2 + CARDS_MAX];

	do {
		fds[0] = server_pollfd(server);
		fds[1] = (struct pollfd){ .fd = e->fabric, .events = POLLIN };
		for (unsigned i = 0; i < e->card_count; i++)
			fds[2 + i] = (struct pollfd){ .fd = e->cards[i], .events = POLLIN };
		if (!server_poll(fds, 2 + e->card_count, UINT64_MAX))
			return;
		for (unsigned i = e->card_count; i-- > 0;)
			if (fds[2 + i].revents) {
				close(e->cards[i]);
				e->cards[i] = e->cards[--e->card_count];
			}
		if (fds[1].revents)
			accept_card(e);
		if (fds[0].revents)
			server_serve(server);
	} while (true);
}

static bool parse_size(const char *text, uint64_t *bytes)
{
	return glk_number(text, 0, MOST_BYTES, bytes) && *bytes >= LEAST_BYTES && (*bytes & (*bytes - 1)) == 0;
}

static int parse(int argc, char **argv, const char **socket, const char **fabric, uint64_t *bytes)
{
	static const struct option options[] = {
		{ "socket", required_argument, NULL, 's' }, { "fabric", required_argument, NULL, 'f' },
		{ "size", required_argument, NULL, 'b' },   { "version", no_argument, NULL, 'V' },
		{ "help", no_argument, NULL, 'h' },	     { 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "s:f:b:Vh", options, NULL)) != -1) {
		switch (option) {
		case 's':
			*socket = optarg;
			break;
		case 'f':
			*fabric = optarg;
			break;
		case 'b':
			if (parse_size(optarg, bytes))
				break;
			server_log(NAME, "--size %s: must be a power of two from 1048576 to 17179869184", optarg);
			return 2;
		case 'V':
			puts(NAME " " GLK_VERSION);
			exit(0);
		case 'h':
			fputs(help, stdout);
			exit(0);
		default:
			return 2;
		}
	}
	if (optind != argc)
		server_log(NAME, "unexpected argument '%s'; see " NAME " --help", argv[optind]);
	else if (!*socket || !*fabric)
		server_log(NAME, "missing option --%s; see " NAME " --help", *socket ? "fabric" : "socket");
	else
		return 0;
	return 2;
}

int main(int argc, char **argv)
{
	static struct endpoint endpoint;
	struct server server = { .name = NAME, .function = &endpoint.vfu, .disconnected = on_reset };
	const char *fabric = NULL;
	uint64_t bytes = DEFAULT_BYTES;
	int error;

	close_output_at_exit();
	error = parse(argc, argv, &server.path, &fabric, &bytes);
	if (error)
		return error;
	error = create(&endpoint, bytes);
	if (error) {
		server_log(NAME, "cannot allocate %llu bytes of memory: %s", (unsigned long long)bytes, strerror(-error));
		return 1;
	}
	/* The fabric first: once the function's socket exists, both are available. */
	endpoint.fabric = vfu_listen(fabric);
	if (endpoint.fabric < 0) {
		server_log(NAME, "cannot listen on %s: %s", fabric, strerror(-endpoint.fabric));
		return 1;
	}
	error = server_open(&server);
	if (error) {
		server_log(NAME, "cannot listen on %s: %s", server.path, strerror(-error));
		unlink(fabric);
		return 1;
	}
	endpoint_run(&endpoint, &server);
	server_close(&server);
	unlink(fabric);
	return 0;
}
