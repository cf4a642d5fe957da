#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# guest-plug.sh LOOPS: in the guest: the card with MSI, which can be taken out of its slot and put in again.
exec sh /guest-life.sh "$1" unplug replace button:1 reset sleep-test fatal
