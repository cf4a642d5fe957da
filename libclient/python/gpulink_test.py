#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python binding: closed objects raise, views of memory end with the device, large stores, errors."""
import gc
import os
import unittest

import gpulink

SOFT = "soft:endpoints=2,memory=1M"
LOCAL = f"local:python-{os.getpid()},endpoints=1,memory=1M"
SIZE = 65536


class Closed(unittest.TestCase):
    """Nothing that is closed reaches the library."""

    def test_device(self):
        """Every method raises; closing again does nothing."""
        device = gpulink.Device(SOFT)
        window = device.window(0, SIZE)
        device.close()
        self.assertTrue(device.closed)
        for call in (
            device.info,
            device.release,
            lambda: device.counters(0),
            lambda: device.memory(0),
            lambda: device.window(0, SIZE),
            lambda: device.handle,
            lambda: window.store(0, b"12345678"),
            lambda: window.load(0, 8),
            lambda: window.fetch_add(0, 1),
            lambda: window.handle,
        ):
            self.assertRaises(ValueError, call)
        window.close()
        device.close()

    def test_window(self):
        """A closed window raises, the device goes on."""
        with gpulink.Device(SOFT) as device:
            with device.window(0, SIZE) as window:
                window.store(0, b"x")
            self.assertRaises(ValueError, window.store, 0, b"x")
            window.close()
            device.release()

    def test_holds(self):
        """A window and a memoryview keep the device, which nobody else has."""
        window = gpulink.Device(SOFT).window(0, SIZE)
        view = gpulink.Device(SOFT).memory(0)
        gc.collect()
        window.store(8, b"12345678")
        self.assertEqual(window.load(8, 8), b"12345678")
        view[SIZE] = 7
        self.assertEqual(view[SIZE], 7)


class Views(unittest.TestCase):
    """A memoryview never reaches memory that is not mapped any more."""

    def test_released(self):
        """Closing the device releases what memory() returned."""
        for name in (SOFT, LOCAL):
            device = gpulink.Device(name)
            first, second = device.memory(0), device.memory(0)
            first[0] = 5
            self.assertEqual(second[0], 5)
            device.close()
            for view in (first, second):
                with self.assertRaises(ValueError):
                    view[0] = 1

    def test_derived(self):
        """A slice or another view of it keeps the device open, until it ends."""
        for derive in (lambda view: view[8:16], lambda view: view.cast("Q"), memoryview):
            device = gpulink.Device(SOFT)
            derived = derive(device.memory(0))
            self.assertRaises(BufferError, device.close)
            derived[0] = 3
            self.assertEqual(device.info()["kind"], "soft")
            derived.release()
            del derived
            device.close()
            self.assertTrue(device.closed)

    def test_exported(self):
        """So does an object that exports from the view."""
        device = gpulink.Device(SOFT)
        view = device.memory(0)
        exported = memoryview(view)
        self.assertRaises(BufferError, device.close)
        exported[0] = 3
        del exported
        device.close()

    def test_many(self):
        """Views that are gone are not kept."""
        with gpulink.Device(SOFT) as device:
            for _ in range(1000):
                device.memory(0)[0] = 1
            self.assertLess(len(device._memories), 3)  # pylint: disable=protected-access


class Stores(unittest.TestCase):
    """Sizes beyond one call of the library."""

    def test_split(self):
        """Any size arrives whole, and is loaded whole."""
        data = bytes(i * 7 % 251 for i in range(50000))
        with gpulink.Device(SOFT) as device:
            window = device.window(1, SIZE)
            for size in (1, 4095, 4096, 4097, 8192, 10000, 50000):
                window.store(3, bytearray(SIZE - 3))
                window.store(3, data[:size])
                device.release()
                with device.memory(1) as memory:
                    self.assertEqual(memory[3 : 3 + size].tobytes(), data[:size])
                    self.assertEqual(memory[3 + size], 0)
                self.assertEqual(window.load(3, size), data[:size])
            self.assertEqual(window.load(0, SIZE)[3:50003], data)

    def test_range(self):
        """What does not fit changes nothing."""
        with gpulink.Device(SOFT) as device:
            window = device.window(0, SIZE)
            for size in (8, 5000, SIZE):
                with self.assertRaises(gpulink.Error) as caught:
                    window.store(SIZE - size + 1, b"\xff" * size)
                self.assertEqual(caught.exception.name, "GPULINK_ERANGE")
                self.assertRaises(gpulink.Error, window.load, SIZE - size + 1, size)
            device.release()
            self.assertEqual(window.load(0, SIZE), bytes(SIZE))
            self.assertRaises(gpulink.Error, window.store, 0, b"")
            self.assertRaises(OverflowError, window.store, -1, b"x")


class Errors(unittest.TestCase):
    """What exceptions name."""

    def test_names(self):
        """Code, name, and the cause."""
        with self.assertRaises(gpulink.Error) as caught:
            gpulink.Device("soft:subheader=7")
        self.assertEqual(caught.exception.code, -gpulink.lib.GPULINK_EINVAL)
        self.assertEqual(caught.exception.name, "GPULINK_EINVAL")
        self.assertEqual(str(caught.exception), "option subheader=7: must be 2 to 6")
        self.assertEqual(gpulink.ERROR_NAMES[gpulink.lib.GPULINK_EFORK], "GPULINK_EFORK")
        self.assertEqual(gpulink.Error(-9999).name, "unknown")

    def test_version(self):
        """The binding and the library are of one version here."""
        self.assertEqual(gpulink.__version__, gpulink.ffi.string(gpulink.lib.gpulink_version()).decode())


if __name__ == "__main__":
    unittest.main()
