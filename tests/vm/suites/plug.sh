#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# plug.sh LOOPS [KIND...]: in the guest: the card with MSI, which can be taken out of its slot and put in again.
loops=$1
shift
[ $# -gt 0 ] || set -- unplug replace button:1 reset:5 sleep-test:5 fatal:5
exec sh /suite/life.sh "$loops" "$@"
