// SPDX-License-Identifier: Apache-2.0
// raii DEVICE: the library from C++, with handles that close themselves; stores to the next process, if there are several.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

#include <gpulink.h>

namespace {

constexpr std::uint64_t timeout = 60000000000;

void check(int code)
{
	if (code < 0)
		throw std::runtime_error(gpulink_error_text(code));
}

using device_handle = std::unique_ptr<gpulink, decltype(&gpulink_close)>;
using window_handle = std::unique_ptr<gpulink_window, decltype(&gpulink_window_close)>;

device_handle open_device(const char *name)
{
	gpulink *device = nullptr;

	check(gpulink_open(name, &device));
	return {device, &gpulink_close};
}

window_handle open_window(gpulink *device, unsigned partition, std::uint64_t bytes)
{
	gpulink_window *window = nullptr;

	check(gpulink_window_open(device, partition, 0, bytes, GPULINK_READ | GPULINK_WRITE, &window));
	return {window, &gpulink_window_close};
}

// Returns when all processes have come: nobody needs another's memory any more.
void meet(gpulink *device, const std::vector<window_handle> &windows, const gpulink_info &info)
{
	void *memory = nullptr;
	std::size_t bytes = 0;

	for (const auto &window : windows)
		check(gpulink_fetch_add(window.get(), 0, 8, 1, nullptr, 0, GPULINK_NO_TAG));
	check(gpulink_release(device, timeout));
	check(gpulink_endpoint_memory(device, info.process, &memory, &bytes));
	check(gpulink_wait_until(memory, GPULINK_COMPARE_GE, info.processes, timeout, nullptr));
}

} // namespace

int main(int argc, char **argv)
try {
	auto device = open_device(argc > 1 ? argv[1] : "soft:");
	std::vector<window_handle> windows;
	std::uint64_t seen = 0;
	gpulink_info info;

	check(gpulink_get_info(device.get(), &info, sizeof(info)));
	for (unsigned process = 0; process < info.processes; process++)
		windows.push_back(open_window(device.get(), process, 65536));

	auto *next = windows[(info.process + 1) % info.processes].get();
	std::uint64_t value = 7 + info.process;

	check(gpulink_store(next, 128, &value, sizeof(value)));
	check(gpulink_release(device.get(), timeout));
	check(gpulink_load(next, 128, &seen, sizeof(seen)));
	meet(device.get(), windows, info);
	std::printf("raii: %llu\n", static_cast<unsigned long long>(seen));
	return seen != value;
} catch (const std::exception &error) {
	std::fprintf(stderr, "raii: %s\n", error.what());
	return 1;
}
