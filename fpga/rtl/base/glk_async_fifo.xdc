# SPDX-License-Identifier: Apache-2.0
# For all instances of glk_async_fifo (read_xdc -ref): a word is read from the memory when its pointer has crossed, which takes two
# clocks and more. The pointers cross in glk_synchronizer.
set_max_delay -datapath_only -from [get_cells {memory_reg*}] -to [get_pins {m_data_reg*/D}] 3.000
