// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Checks a context's access to a range of a registration, and returns its page list. The last row is cached until the table
// is written.
module glk_ring_registration #(
  parameter int REGISTRATIONS  = 1024,
  parameter int REGISTRATION_W = 133,
  parameter int HW             = (REGISTRATIONS > 1) ? $clog2(REGISTRATIONS) : 1
) (
  input  logic                      clk,
  input  logic                      rst,

  // Request, stable until `done`
  input  logic                      start,
  input  logic [4:0]                context_number,
  input  logic [15:0]               handle,
  input  logic [47:0]               offset,
  input  logic [31:0]               length,
  input  logic                      need_read,
  input  logic                      need_write,

  // Result, valid from `done` until the next start
  output logic                      done,
  output logic [3:0]                status,
  output logic [60:0]               list,  // page list address, bits 63:3
  output logic [20:0]               first, // offset of the registration in its first page
  output logic                      wide, // pages of 2 MiB
  output logic                      tables, // the list has tables of pages

  input  logic                      registration_changed, // table is being written
  output logic                      registration_valid,
  input  logic                      registration_ready,
  output logic [HW-1:0]             registration_row,
  input  logic                      registration_done,
  input  logic [REGISTRATION_W-1:0] registration_q
);
  typedef enum logic [2:0] {IDLE, LOOK, WAIT, JUDGE, ANSWER} state_t;
  state_t state;

  logic                      row_known, spoiled;
  logic [HW-1:0]             row;
  logic [REGISTRATION_W-1:0] entry;
  logic [48:0]               range_end;
  logic                      bad_handle, bad_bounds, bad_rights;

  assign registration_row = handle[HW-1:0];
  assign list             = entry[109:49];
  assign {tables, wide, first} = entry[132:110];

  always_ff @(posedge clk) begin
    done <= 1'b0;
    if (registration_changed)
      row_known <= 1'b0;
    unique case (state)
      IDLE:
        if (start) begin
          range_end <= 49'(offset) + 49'(length);
          spoiled   <= registration_changed;
          if (32'(handle) >= REGISTRATIONS) begin
            status <= 4'(glk_regs::ST_REGISTRATION);
            done   <= 1'b1;
          end else if (row_known && row == handle[HW-1:0] && !registration_changed)
            state <= JUDGE;
          else begin
            registration_valid <= 1'b1;
            state              <= LOOK;
          end
        end
      LOOK: begin
        spoiled <= spoiled || registration_changed;
        if (registration_ready) begin
          registration_valid <= 1'b0;
          state              <= WAIT;
        end
      end
      WAIT: begin
        spoiled <= spoiled || registration_changed;
        if (registration_done) begin
          entry     <= registration_q;
          row       <= handle[HW-1:0];
          row_known <= !spoiled && !registration_changed;
          state     <= JUDGE;
        end
      end
      JUDGE: begin
        bad_handle <= !entry[0] || entry[7:3] != context_number;
        bad_bounds <= range_end > 49'(entry[48:8]);
        bad_rights <= (need_read && !entry[1]) || (need_write && !entry[2]);
        state      <= ANSWER;
      end
      ANSWER: begin
        status <= bad_handle ? 4'(glk_regs::ST_REGISTRATION) : bad_bounds ? 4'(glk_regs::ST_REGISTRATION_BOUNDS) :
                  bad_rights ? 4'(glk_regs::ST_PERMISSION) : 4'(glk_regs::ST_OK);
        done   <= 1'b1;
        state  <= IDLE;
      end
      default: state <= IDLE;
    endcase
    if (rst) begin
      state              <= IDLE;
      done               <= 1'b0;
      registration_valid <= 1'b0;
      row_known          <= 1'b0;
    end
  end
endmodule
`default_nettype wire
