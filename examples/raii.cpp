// SPDX-License-Identifier: Apache-2.0
// raii DEVICE: the library from C++, with handles that close themselves.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>

#include <gpulink.h>

namespace {

void check(int code)
{
	if (code < 0)
		throw std::runtime_error(gpulink_strerror(code));
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

} // namespace

int main(int argc, char **argv)
try {
	auto device = open_device(argc > 1 ? argv[1] : "soft:");
	auto window = open_window(device.get(), 0, 65536);
	std::uint64_t value = 7, seen = 0;

	check(gpulink_store(window.get(), 128, &value, sizeof(value)));
	check(gpulink_release(device.get(), 1000000000));
	check(gpulink_load(window.get(), 128, &seen, sizeof(seen)));
	std::printf("raii: %llu\n", static_cast<unsigned long long>(seen));
	return seen != value;
} catch (const std::exception &error) {
	std::fprintf(stderr, "raii: %s\n", error.what());
	return 1;
}
