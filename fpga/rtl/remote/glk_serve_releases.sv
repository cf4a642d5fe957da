// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Releases of the other card, one per partition at a time. Each names the number of posted packets sent to its partition
// since the session began, waits until these have arrived, then until all writes posted by then are visible, and reports
// whether any of them failed or was refused since the previous release. Partitions are scanned round robin.
module glk_serve_releases #(
  parameter int PARTITIONS = 16,
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1
) (
  input  logic              clk,
  input  logic              rst,
  input  logic              session,
  output logic              ready, // a session has begun and all counts are cleared

  // Arrived posted packets: completed by the receiver; not open to the link; write requests refused
  input  logic [3:0]        done_partition,
  input  logic              done_write,
  input  logic              done_refused,
  input  logic              done_valid,
  input  logic [3:0]        denied_partition,
  input  logic              denied_valid,
  output logic              denied_ready,
  input  logic [3:0]        arrived_partition,
  input  logic              arrived_valid,
  output logic              arrived_ready,

  input  logic              fail_valid,
  input  logic [PW-1:0]     fail_partition,

  // New release; its partition must have none
  input  logic [3:0]        s_partition,
  input  logic [15:0]       s_tag,
  input  logic [31:0]       s_count,
  input  logic              s_valid,
  output logic [15:0]       busy,

  output logic [PARTITIONS-1:0] each_take,
  input  logic [PARTITIONS-1:0] each_reached,

  output logic [31:0]       answer_data,
  output logic              answer_valid,
  input  logic              answer_ready
);
  // --- packet counts, at most one arrival per clock; cleared row by row ---
  (* ram_style = "distributed" *) logic [31:0] received [0:15];
  logic [4:0] swept;
  wire        arrives = done_valid || denied_valid || arrived_valid;
  wire  [3:0] arrived = done_valid ? done_partition : denied_valid ? denied_partition : arrived_partition;
  wire  [3:0] count_at = ready ? arrived : swept[3:0];

  assign ready         = swept[4];
  assign denied_ready  = ready && !done_valid;
  assign arrived_ready = denied_ready && !denied_valid;

  always_ff @(posedge clk) begin
    if (!ready || arrives)
      received[count_at] <= ready ? received[count_at] + 32'd1 : 32'd0;
    swept <= (rst || !session) ? '0 : ready ? swept : swept + 5'd1;
  end

  // --- failures since the previous release; also those reported by other responses, since responses are unordered ---
  typedef enum logic [1:0] {LOOK, SEE, ANSWER} state_t;
  state_t      state;
  logic [15:0] failed, refused, marked;
  logic [3:0]  at;
  logic        status;
  wire  [15:0] reaches = 16'(each_reached);
  wire         reached = reaches[at];
  wire         answers = state == SEE && marked[at] && reached;

  always_ff @(posedge clk) begin
    for (int p = 0; p < 16; p = p + 1) begin
      failed[p]  <= (failed[p] && !(answers && 32'(at) == p)) || (fail_valid && 32'(fail_partition) == p);
      refused[p] <= (refused[p] && !(answers && 32'(at) == p)) ||
                    (done_valid && done_refused && !done_write && 32'(done_partition) == p) ||
                    (denied_valid && denied_ready && 32'(denied_partition) == p);
    end
    if (rst || !session) begin
      failed  <= '0;
      refused <= '0;
    end
  end

  // --- release slots, round robin ---
  (* ram_style = "distributed" *) logic [47:0] slots [0:15]; // {tag, count}
  logic [31:0] difference; // packets arrived beyond the count of the release
  logic [15:0] tag;
  wire  [47:0] slot    = slots[at];
  wire         come    = state == SEE && !marked[at] && !difference[31];
  wire  [15:0] takes   = come ? 16'd1 << at : 16'd0;

  assign each_take    = takes[PARTITIONS-1:0];
  assign answer_data  = {tag, 2'b0, status, 1'b0, 8'b0, 4'(glk_flit::RELEASED)};
  assign answer_valid = state == ANSWER;

  always_ff @(posedge clk) begin
    if (s_valid)
      slots[s_partition] <= {s_tag, s_count};
    difference <= received[at] - slot[31:0];
    tag        <= slot[47:32];
    unique case (state)
      LOOK:
        if (busy[at])
          state <= SEE;
        else
          at <= at + 4'd1;
      SEE: begin
        if (come)
          marked[at] <= 1'b1;
        status <= failed[at] || refused[at];
        if (answers)
          state <= ANSWER;
        else begin
          at    <= at + 4'd1;
          state <= LOOK;
        end
      end
      default: // ANSWER
        if (answer_ready) begin
          busy[at]   <= 1'b0;
          marked[at] <= 1'b0;
          at         <= at + 4'd1;
          state      <= LOOK;
        end
    endcase
    if (s_valid)
      busy[s_partition] <= 1'b1;
    if (rst || !session) begin
      busy   <= '0;
      marked <= '0;
      at     <= '0;
      state  <= LOOK;
    end
  end
  wire unused = &{1'b0, takes, difference[30:0]};
endmodule
`default_nettype wire
