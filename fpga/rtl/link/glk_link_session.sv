// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Session state machine: handshake with hello and ready, link up or down. A session is identified by two numbers, one
// chosen by each card. A card resumes only if the other card names both numbers; a card that lost its state takes a new
// number. Reference model: fpga/model/link/link_session.c.
module glk_link_session #(
  parameter int W = 32 // width of timer settings
) (
  input  logic         clk,
  input  logic         rst,

  input  logic [15:0]  cfg_session, // initial session number
  input  logic [W-1:0] cfg_hello,

  // Received data blocks, and the link word of a hello or ready with valid CRC
  input  logic [127:0] received_data,
  input  logic         received_flit,
  input  logic [3:0]   received_index,
  input  logic         received_hello,
  input  logic [3:0]   received_flits,
  input  logic         received_ready, // it is a ready, not a hello
  input  logic         received_plain,
  input  logic         received_cut,
  input  logic         received_reset,
  input  logic         received_refused,
  input  logic         received_wrong, // a valid word of the session is a protocol error

  input  logic         greet,       // a hello or ready is being sent
  input  logic         lost,        // 17th replay without progress

  output logic         up,          // state at the beginning of this clock
  output logic         begun,       // a session exists, up or down
  output logic         answer,      // a ready is pending
  output logic         hello_due,
  output logic [15:0]  own,
  output logic [15:0]  other,

  // Transitions at the end of this clock
  output logic         stop,        // link goes down
  output logic         clear,       // session ends
  output logic         comes_up,    // link comes up, unless the signal is lost
  output logic         resumes,     // with the previous session

  // Identity of the peer, captured when the session began
  output logic [63:0]  peer_serial,
  output logic [7:0]   peer_cluster,
  output logic         peer_compact, // accepts the compact form
  output logic [3*12-1:0] room,     // from the hello being received

  output logic         e_protocol,
  output logic         e_version
);
  // --- payload of a hello ---
  logic [63:0] serial;
  logic [7:0]  version, cluster;
  logic        compact;
  logic [15:0] session, names;
  logic        right0, right1;
  logic [2:0]  room_right;
  always_comb begin
    room_right[0] = received_data[15:0] >= 16'd388 && received_data[15:0] <= 16'd2048;
    room_right[1] = received_data[31:16] >= 16'd2 && received_data[31:16] <= 16'd2048;
    room_right[2] = received_data[47:32] >= 16'd132 && received_data[47:32] <= 16'd2048;
  end
  always_ff @(posedge clk) begin
    if (received_flit && received_index == 4'd0) begin
      {compact, names, session, cluster, version, serial} <= received_data[112:0];
      right0 <= received_data[95:80] != '0 && received_data[127:113] == '0;
    end
    if (received_flit && received_index == 4'd1) begin
      room   <= {received_data[43:32], received_data[27:16], received_data[11:0]};
      right1 <= received_data[127:48] == '0 && room_right == '1;
    end
  end

  // --- validation ---
  wire two      = received_flits == 4'd2;
  wire known    = version == 8'd1;
  wire accept   = received_hello && two && known && right0 && right1 && received_plain;
  wire strange  = received_hello && two && !known;
  wire bad      = received_hello && (!two || (known && !(right0 && right1 && received_plain)));
  wire another  = session != other;

  wire [15:0] own_next = (own == '1) ? 16'd1 : own + 16'd1;
  wire was_up   = up && !lost;
  wire replaced = accept && another && begun;
  wire over     = (was_up && (received_wrong || bad || strange)) || received_reset || received_refused;

  assign clear    = over || replaced;
  assign stop     = lost || clear || received_cut;
  assign comes_up = accept && (!was_up || replaced) && names == (replaced ? own_next : own);
  assign resumes  = comes_up && begun && !replaced;
  assign e_protocol = received_wrong || bad || received_refused;
  assign e_version  = strange;

  glk_link_timer #(.W(W)) hello (
    .clk, .set(greet && !up), .clocks(cfg_hello), .finish(stop || rst), .over(hello_due));

  always_ff @(posedge clk) begin
    up     <= (was_up && !clear) || comes_up;
    begun  <= (begun && !clear) || comes_up;
    answer <= (answer && !greet && !stop) || (accept && !received_ready) || comes_up;
    if (clear)
      own <= own_next;
    if (over)
      other <= '0;
    else if (accept)
      other <= session;
    if (received_cut) begin
      up     <= 1'b0;
      answer <= 1'b0;
    end
    if (comes_up && !resumes) begin
      peer_serial  <= serial;
      peer_cluster <= cluster;
      peer_compact <= compact;
    end
    if (rst) begin
      peer_compact <= 1'b0;
      up     <= 1'b0;
      begun  <= 1'b0;
      answer <= 1'b0;
      own    <= cfg_session;
      other  <= '0;
    end
  end
endmodule
`default_nettype wire
