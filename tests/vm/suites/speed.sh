#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In the guest: the table of docs/performance.md.
. /suite/lib.sh

name_endpoints || { echo "no endpoints"; exit 1; }
ring-speed /dev/gpulink0 "${1:-1}"
