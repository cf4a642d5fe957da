// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// ERRORS counters of the contexts: failed accesses and releases since a context was started. Two events may coincide and
// cannot be stalled, so there are two counts per context, added on read; rare ones wait.
module glk_context_errors #(
  parameter int CONTEXTS = 32,
  parameter int CW       = (CONTEXTS > 1) ? $clog2(CONTEXTS) : 1
) (
  input  logic          clk,
  input  logic          rst,

  // Events: aperture access refused; load failed, rare; doorbell of a region rejected, not in consecutive clocks; release
  // failed, counted immediately
  input  logic          refused_valid,
  input  logic [CW-1:0] refused_context,
  input  logic          load_failed_valid,
  input  logic [CW-1:0] load_failed_context,
  input  logic          reject_valid,
  input  logic [CW-1:0] reject_context,
  input  logic          release_failed_valid,
  input  logic [CW-1:0] release_failed_context,

  input  logic          clear_all,
  input  logic          clear,
  input  logic [CW-1:0] clear_context,

  // Read ports: valid three clocks after the last change of the context or its errors
  input  logic [CW-1:0] errors_of,
  output logic [63:0]   errors_shown,
  input  logic [CW-1:0] record_context,
  output logic [63:0]   record_errors
);
  (* ram_style = "distributed" *) logic [63:0] refused [0:(1<<CW)-1];
  (* ram_style = "distributed" *) logic [63:0] failed  [0:(1<<CW)-1];
  logic [CONTEXTS-1:0] some_refused, some_failed; // otherwise the count is 0, whatever the RAM holds

  logic          n_valid, l_waits, g_waits;
  logic [CW-1:0] n_context, l_kept, g_kept;

  function bit_of(input [CONTEXTS-1:0] bits, input [CW-1:0] context_);
    integer i;
    bit_of = 1'b0;
    for (i = 0; i < CONTEXTS; i = i + 1)
      if (context_ == CW'(i))
        bit_of = bits[i];
  endfunction

  wire          f_valid   = release_failed_valid || l_waits || g_waits;
  wire [CW-1:0] f_context = release_failed_valid ? release_failed_context : l_waits ? l_kept : g_kept;
  wire [63:0]   n_before  = refused[n_context] & {64{bit_of(some_refused, n_context)}};
  wire [63:0]   f_before  = failed[f_context] & {64{bit_of(some_failed, f_context)}};

  integer c;
  always_ff @(posedge clk) begin
    n_valid   <= refused_valid;
    n_context <= refused_context;
    if (load_failed_valid) begin
      l_waits <= 1'b1;
      l_kept  <= load_failed_context;
    end else if (!release_failed_valid) begin
      l_waits <= 1'b0;
    end
    if (reject_valid) begin
      g_waits <= 1'b1;
      g_kept  <= reject_context;
    end else if (!release_failed_valid && !l_waits) begin
      g_waits <= 1'b0;
    end
    if (n_valid)
      refused[n_context] <= n_before + 64'd1;
    if (f_valid)
      failed[f_context] <= f_before + 64'd1;
    for (c = 0; c < CONTEXTS; c = c + 1) begin
      if (n_valid && n_context == CW'(c))
        some_refused[c] <= 1'b1;
      if (f_valid && f_context == CW'(c))
        some_failed[c] <= 1'b1;
      if (clear_all || (clear && clear_context == CW'(c)))
        {some_refused[c], some_failed[c]} <= 2'b00;
    end
    if (rst) begin
      n_valid      <= 1'b0;
      l_waits      <= 1'b0;
      g_waits      <= 1'b0;
      some_refused <= '0;
      some_failed  <= '0;
    end
  end

  logic [63:0] a_refused, a_failed, b_refused, b_failed;
  always_ff @(posedge clk) begin
    a_refused     <= refused[errors_of] & {64{bit_of(some_refused, errors_of)}};
    a_failed      <= failed[errors_of] & {64{bit_of(some_failed, errors_of)}};
    b_refused     <= refused[record_context] & {64{bit_of(some_refused, record_context)}};
    b_failed      <= failed[record_context] & {64{bit_of(some_failed, record_context)}};
    errors_shown  <= a_refused + a_failed;
    record_errors <= b_refused + b_failed;
  end
endmodule
`default_nettype wire
