#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In the guest: rings in user space, and what hostile processes may try.
. /guest-lib.sh

check "endpoints named" name_endpoints
tap "user ring" /bin/user-ring-test /dev/gpulink0 $class
check "traffic after it" traffic /dev/gpulink0 1 ok
check "the module unloads" rmmod gpulink
finish
