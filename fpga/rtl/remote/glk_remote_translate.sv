// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Size queries of remote partitions (REMOTE_BYTES): on request, and for all of them when a session begins. A response to a
// query that was repeated since is a stray. REMOTE_BYTES reads as 0 without a response.
module glk_remote_translate #(
  parameter int PARTITIONS = 16,
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1
) (
  input  logic                    clk,
  input  logic                    rst,
  input  logic                    session,
  input  logic [PARTITIONS*4-1:0] remote_partition,
  input  logic [PARTITIONS-1:0]   is_remote,

  input  logic                    ask_valid,
  input  logic [PW-1:0]           ask_partition,
  input  logic [PW-1:0]           look_partition,
  output logic [63:0]             look_remote_bytes, // one clock of latency

  // Requests
  output logic [95:0]             m_data,
  output logic                    m_valid,
  input  logic                    m_ready,

  // Translation response; `known` reports two clocks later whether it was expected
  input  logic [95:0]             s_data,
  input  logic                    s_valid,
  output logic                    known
);
  localparam int P = PARTITIONS;

  logic [P-1:0] ask, asking, answered; // to be sent; in flight; response received
  (* ram_style = "distributed" *) logic [49:0] there [0:(1<<PW)-1]; // {writable, readable, bytes}
  (* ram_style = "distributed" *) logic [11:0] turn  [0:(1<<PW)-1]; // sequence number in the last tag

  // --- requests: partitions round robin ---
  logic          was_session;
  logic [PW-1:0] at, m_partition;
  logic [3:0]    m_remote, at_remote;
  logic [11:0]   m_turn;
  wire           begins = session && !was_session;
  wire           pick   = !m_valid && ask[at] && session;
  wire           goes   = m_valid && m_ready;
  wire [11:0]    next   = turn[at] + 12'd1;

  always_comb begin
    at_remote = '0;
    for (int p = 0; p < P; p = p + 1)
      if (at == PW'(p))
        at_remote = remote_partition[p*4 +: 4];
  end
  assign m_data = {64'b0, m_turn, 4'(m_partition), m_remote, 12'b0};

  // --- responses ---
  logic          a_valid, a_good;
  logic [PW-1:0] a_partition;
  logic [49:0]   a_there;
  wire [PW-1:0]  s_partition = s_data[16 +: PW];
  wire           fits = a_valid && asking[a_partition] && !(ask_valid && ask_partition == a_partition);

  always_ff @(posedge clk) begin
    was_session <= session;
    at <= (at == PW'(P - 1)) ? '0 : at + PW'(1);
    if (pick) begin
      m_valid     <= 1'b1;
      m_partition <= at;
      m_remote       <= at_remote;
      m_turn      <= next;
      ask[at]     <= 1'b0;
    end
    if (!session || pick)
      turn[at] <= session ? next : 12'd0;
    if (goes) begin
      m_valid             <= 1'b0;
      asking[m_partition] <= !ask[m_partition]; // unless queried again meanwhile
    end

    a_valid     <= s_valid && 32'(s_data[19:16]) < P && s_data[31:20] == turn[s_partition];
    a_partition <= s_partition;
    a_good      <= s_data[15:12] == 4'd0;
    a_there     <= s_data[81:32];
    known       <= fits;
    if (fits) begin
      asking[a_partition]   <= 1'b0;
      answered[a_partition] <= 1'b1;
      there[a_partition]    <= a_good ? a_there : '0;
    end
    look_remote_bytes <= '0;
    if (answered[look_partition] && is_remote[look_partition])
      look_remote_bytes <= {1'b1, 13'b0, there[look_partition]};

    if (ask_valid) begin
      ask[ask_partition]      <= 1'b1;
      asking[ask_partition]   <= 1'b0;
      answered[ask_partition] <= 1'b0;
    end
    if (begins)
      ask <= is_remote;
    if (rst || !session) begin
      ask      <= '0;
      asking   <= '0;
      answered <= '0;
      m_valid  <= 1'b0;
      a_valid  <= 1'b0;
      known    <= 1'b0;
    end
    if (rst) begin
      at          <= '0;
      was_session <= 1'b0;
    end
  end
  wire unused = &{1'b0, s_data[95:82], s_data[11:0]};
endmodule
`default_nettype wire
