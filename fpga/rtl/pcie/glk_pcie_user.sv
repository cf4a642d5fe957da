// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Sideband signals (tuser) of the PCIe hard block's four streams to and from the fields that the adapter uses. Only here their
// positions depend on the width of the interfaces (PG213: tables of the sideband signals for 64/128/256 bits, and for 512
// bits). With 256 bits no field marks the end of a packet, and the sequence number of RQ is in two parts. All other fields stay
// 0: no straddling, no discontinue, no parity, no TPH hints of the card's requests, and no address offset. Combinational.
module glk_pcie_user #(
  parameter int DATA_W = 512, // 256 or 512
  parameter int LB     = $clog2(DATA_W / 32),
  parameter int CQ_W   = DATA_W == 512 ? 183 : 88,
  parameter int CC_W   = DATA_W == 512 ? 81 : 33,
  parameter int RQ_W   = DATA_W == 512 ? 137 : 62,
  parameter int RC_W   = DATA_W == 512 ? 161 : 75
) (
  input  logic [CQ_W-1:0] cq_tuser,
  output logic [7:0]      cq_enables,     // {last, first}
  output logic [10:0]     cq_hint,        // {TPH tag, TPH type, TPH present}
  output logic            cq_discontinue,

  input  logic            cc_first,
  input  logic            cc_last,
  input  logic [LB-1:0]   cc_end,         // lane of the last DW, in the last beat
  output logic [CC_W-1:0] cc_tuser,

  input  logic            rq_first,
  input  logic            rq_last,
  input  logic [LB-1:0]   rq_end,
  input  logic [7:0]      rq_enables,
  input  logic [5:0]      rq_seq,
  output logic [RQ_W-1:0] rq_tuser,

  input  logic [RC_W-1:0] rc_tuser,
  output logic            rc_discontinue
);
  initial if (DATA_W != 256 && DATA_W != 512) $fatal;
  localparam bit WIDE           = DATA_W == 512;
  localparam int LAST_BE        = WIDE ? 8 : 4; // of CQ and RQ; first_be is at 0
  localparam int CQ_DISCONTINUE = WIDE ? 96 : 41;
  localparam int CQ_TPH_PRESENT = WIDE ? 97 : 42;
  localparam int CQ_TPH_TYPE    = WIDE ? 99 : 43;
  localparam int CQ_TPH_TAG     = WIDE ? 103 : 45;
  localparam int RQ_SEQ_LOW     = WIDE ? 61 : 24; // seq_num[3:0]
  localparam int RQ_SEQ_HIGH    = WIDE ? 65 : 60; // seq_num[5:4]
  localparam int RC_DISCONTINUE = WIDE ? 96 : 42;
  localparam int CC_IS_SOP = 0, CC_IS_EOP = 6, CC_EOP_PTR = 8, RQ_IS_SOP = 20, RQ_IS_EOP = 26, RQ_EOP_PTR = 28; // WIDE

  wire unused = &{1'b0, cq_tuser, rc_tuser};
  assign cq_enables     = {cq_tuser[LAST_BE +: 4], cq_tuser[3:0]};
  assign cq_hint        = {cq_tuser[CQ_TPH_TAG +: 8], cq_tuser[CQ_TPH_TYPE +: 2], cq_tuser[CQ_TPH_PRESENT]};
  assign cq_discontinue = cq_tuser[CQ_DISCONTINUE];
  assign rc_discontinue = rc_tuser[RC_DISCONTINUE];

  wire [LB-1:0] cc_ptr = cc_last ? cc_end : '0;
  wire [LB-1:0] rq_ptr = rq_last ? rq_end : '0;
  wire [CC_W-1:0] cc_marks = CC_W'(cc_first) << CC_IS_SOP | CC_W'(cc_last) << CC_IS_EOP | CC_W'(cc_ptr) << CC_EOP_PTR;
  wire [RQ_W-1:0] rq_marks = RQ_W'(rq_first) << RQ_IS_SOP | RQ_W'(rq_last) << RQ_IS_EOP | RQ_W'(rq_ptr) << RQ_EOP_PTR;
  assign cc_tuser = WIDE ? cc_marks : '0;
  assign rq_tuser = (WIDE ? rq_marks : '0) | RQ_W'(rq_enables[3:0]) | RQ_W'(rq_enables[7:4]) << LAST_BE |
                    RQ_W'(rq_seq[3:0]) << RQ_SEQ_LOW | RQ_W'(rq_seq[5:4]) << RQ_SEQ_HIGH;
endmodule
`default_nettype wire
