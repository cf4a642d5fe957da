#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# plug.sh LOOPS [KIND...]: in the guest: hot-unplug and hot-plug of the card, with MSI.
loops=$1
shift
[ $# -gt 0 ] || set -- unplug replace button:1 reset:5 sleep-test:5 fatal:5
exec sh /suite/life.sh "$loops" "$@"
