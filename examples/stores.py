#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""stores.py [DEVICE]: stores of Python, by the binding of libclient/python; of one process, or of each to the next one."""
import struct
import sys
import time

import gpulink

ARRIVED = 65528  # a word that counts those that are done


def meet(device, windows, info):
    """Returns when all processes have come: nobody needs another's memory any more."""
    for window in windows:
        window.fetch_add(ARRIVED, 1)
    device.release()
    own = device.memory(info["process"])
    while struct.unpack_from("<Q", own, ARRIVED)[0] < info["processes"]:
        time.sleep(0.001)


def main(name):
    """Returns the exit status."""
    with gpulink.Device(name) as device:
        info = device.info()
        windows = [device.window(process, bytes=65536) for process in range(info["processes"])]
        window = windows[(info["process"] + 1) % info["processes"]]
        for row in range(100):
            window.store(8 * row, struct.pack("<d", row / 2))
        device.release()
        last = struct.unpack("<d", window.load(8 * 99, 8))[0]
        try:
            window.store(65536, b"beyond")
            refused = False
        except gpulink.Error as error:
            refused = error.code == -gpulink.lib.GPULINK_ERANGE
        meet(device, windows, info)
        print(f"stores.py: the last row has {last}")
        return int(last != 49.5 or not refused)


sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "soft:"))
