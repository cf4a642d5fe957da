#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""stores.py LIBRARY DEVICE: the library from Python, by ctypes."""
import ctypes
import sys

READ_WRITE = 3
gpulink = ctypes.CDLL(sys.argv[1] if len(sys.argv) > 1 else "libgpulink.so.0")
gpulink.gpulink_strerror.restype = ctypes.c_char_p


def check(code):
    if code < 0:
        raise OSError(gpulink.gpulink_strerror(code).decode())


device, window = ctypes.c_void_p(), ctypes.c_void_p()
check(gpulink.gpulink_open((sys.argv[2] if len(sys.argv) > 2 else "soft:").encode(), ctypes.byref(device)))
check(gpulink.gpulink_window_open(device, 0, ctypes.c_uint64(0), ctypes.c_uint64(65536), READ_WRITE, ctypes.byref(window)))
for row in range(100):
    value = ctypes.c_double(row / 2)
    check(gpulink.gpulink_store(window, ctypes.c_uint64(8 * row), ctypes.byref(value), ctypes.c_size_t(8)))
check(gpulink.gpulink_release(device, ctypes.c_uint64(1000000000)))
last = ctypes.c_double()
check(gpulink.gpulink_load(window, ctypes.c_uint64(8 * 99), ctypes.byref(last), ctypes.c_size_t(8)))
gpulink.gpulink_close(device)
print(f"stores.py: the last row has {last.value}")
sys.exit(last.value != 49.5)
