# SPDX-License-Identifier: Apache-2.0
# For all instances of glk_synchronizer (read_xdc -ref). The input is of another clock. Bits of a vector may be apart by less than a
# period of that clock and of the module's: no clock of a card is faster than 333 MHz.
set_max_delay -datapath_only -from [all_clocks] -to [get_pins {first_reg*/D}] 3.000
