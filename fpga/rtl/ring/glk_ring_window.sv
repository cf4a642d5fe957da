// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Checks a context's access to a range of a window, slice by slice, and returns the part in the first slice.
//
// With `all`: checks the handle, then every slice of the range. Otherwise only the slice of the first byte, which has been
// checked before but may have changed since. The last row is cached until the table is written.
module glk_ring_window #(
  parameter int PARTITIONS  = 16,
  parameter int SLICES      = 1024,
  parameter int SLICE_SHIFT = 20,
  parameter int WINDOW_W    = 89,
  parameter int PW          = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1,
  parameter int SW          = (SLICES > 1) ? $clog2(SLICES) : 1
) (
  input  logic                     clk,
  input  logic                     rst,
  input  logic [PARTITIONS*2-1:0]  ep_kind,
  input  logic [PARTITIONS*37-1:0] ep_bytes,

  // Request, stable until `done`
  input  logic                     start,
  input  logic                     all,
  input  logic [4:0]               context_number,
  input  logic [15:0]              handle,
  input  logic [63:0]              offset,
  input  logic [31:0]              length, // nonzero
  input  logic                     need_read,
  input  logic                     need_write,

  // Result, valid from `done` until the next start
  output logic                     done,
  output logic [3:0]               status,
  output logic [31:0]              part,   // bytes in the slice
  output logic [PW-1:0]            partition,
  output logic [47:0]              target,

  input  logic                     window_changed, // table is being written
  output logic                     window_valid,
  input  logic                     window_ready,
  output logic [SW-1:0]            window_row,
  input  logic                     window_done,
  input  logic [WINDOW_W-1:0]      window_q
);
  typedef enum logic [2:0] {IDLE, ROW, FIND, LOOK, WAIT, JUDGE, BOUNDS} state_t;
  state_t state;

  // --- current slice ---
  logic        at_handle;  // checking the handle's own row
  logic        same;       // which is also the row of the first byte
  logic [63:0] at;
  logic [31:0] left;
  logic [36:0] want;       // row
  logic        exists;
  logic [32:0] sum;        // end of the range, from the start of the slice
  logic [30:0] in_slice;
  logic [31:0] slice_end;  // end of the part in this slice
  logic        more;       // further slices

  // --- row cache ---
  logic                row_known, spoiled;
  logic [SW-1:0]       row;
  logic [WINDOW_W-1:0] entry;
  wire                 entry_valid     = entry[0];
  wire                 entry_read      = entry[1];
  wire                 entry_write     = entry[2];
  wire [3:0]           entry_partition = entry[6:3];
  wire [4:0]           entry_context   = entry[11:7];
  wire [9:0]           entry_first     = entry[21:12];
  wire [35:0]          entry_q1        = entry[57:22]; // in units of 4 KiB
  wire [30:0]          entry_q2        = entry[88:58];
  wire                 entry_mine      = entry_valid && entry_context == context_number && 16'(entry_first) == handle;

  logic        bad_bounds, bad_rights, ep_there;
  logic [48:0] target_end;
  logic [36:0] ep_end;

  wire [36:0] slice = 37'(handle) + (at_handle ? 37'd0 : 37'(at[47:SLICE_SHIFT]));

  assign window_row = want[SW-1:0];

  always_ff @(posedge clk) begin
    done <= 1'b0;
    if (window_changed)
      row_known <= 1'b0;
    unique case (state)
      IDLE:
        if (start) begin
          at        <= offset;
          left      <= length;
          at_handle <= all;
          state     <= ROW;
        end
      ROW: begin
        want     <= slice;
        exists   <= slice < 37'(SLICES);
        same     <= at[47:SLICE_SHIFT] == '0;
        in_slice <= 31'(at[SLICE_SHIFT-1:0]);
        sum      <= 33'(at[SLICE_SHIFT-1:0]) + 33'(left);
        state    <= FIND;
      end
      FIND: begin
        more      <= sum > (33'd1 << SLICE_SHIFT);
        slice_end <= (sum > (33'd1 << SLICE_SHIFT)) ? 32'd1 << SLICE_SHIFT : sum[31:0];
        part      <= (sum > (33'd1 << SLICE_SHIFT)) ? (32'd1 << SLICE_SHIFT) - 32'(in_slice) : left;
        spoiled   <= window_changed;
        if (!exists) begin
          status <= at_handle ? 4'(glk_regs::ST_WINDOW) : 4'(glk_regs::ST_WINDOW_BOUNDS);
          done   <= 1'b1;
          state  <= IDLE;
        end else if (row_known && row == want[SW-1:0] && !window_changed)
          state <= JUDGE;
        else begin
          window_valid <= 1'b1;
          state        <= LOOK;
        end
      end
      LOOK: begin
        spoiled <= spoiled || window_changed;
        if (window_ready) begin
          window_valid <= 1'b0;
          state        <= WAIT;
        end
      end
      WAIT: begin
        spoiled <= spoiled || window_changed;
        if (window_done) begin
          entry     <= window_q;
          row       <= want[SW-1:0];
          row_known <= !spoiled && !window_changed;
          state     <= JUDGE;
        end
      end
      JUDGE: begin
        bad_bounds <= !entry_mine || slice_end > 32'(entry_q2);
        bad_rights <= (need_read && !entry_read) || (need_write && !entry_write);
        partition  <= entry_partition[PW-1:0];
        target     <= {entry_q1, 12'b0} + 48'(in_slice);
        target_end <= {1'b0, entry_q1, 12'b0} + 49'(slice_end);
        ep_there   <= ep_kind[32'(entry_partition[PW-1:0])*2 +: 2] != 2'(glk_regs::EP_NONE);
        ep_end     <= ep_bytes[32'(entry_partition[PW-1:0])*37 +: 37];
        at_handle  <= 1'b0;
        state      <= (at_handle && !same) ? ROW : BOUNDS;
        if (at_handle && (!entry_mine || |at[63:48])) begin
          status <= entry_mine ? 4'(glk_regs::ST_WINDOW_BOUNDS) : 4'(glk_regs::ST_WINDOW);
          done   <= 1'b1;
          state  <= IDLE;
        end
      end
      BOUNDS: begin
        status <= bad_bounds ? 4'(glk_regs::ST_WINDOW_BOUNDS) :
                  bad_rights ? 4'(glk_regs::ST_PERMISSION) :
                  (!ep_there || target_end > {ep_end, 12'b0}) ? 4'(glk_regs::ST_ENDPOINT) : 4'(glk_regs::ST_OK);
        if (all && more && !bad_bounds && !bad_rights && ep_there && target_end <= {ep_end, 12'b0}) begin
          at    <= at + 64'(part);
          left  <= left - part;
          state <= ROW;
        end else begin
          done  <= 1'b1;
          state <= IDLE;
        end
      end
      default: state <= IDLE;
    endcase
    if (rst) begin
      state        <= IDLE;
      done         <= 1'b0;
      window_valid <= 1'b0;
      row_known    <= 1'b0;
    end
  end
endmodule
`default_nettype wire
