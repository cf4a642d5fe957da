// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Selects the next piece to stitch into the parent: with sequencing, the lowest latency-critical kind that fits; else the
// largest piece that fits, lowest kind first. Pieces have 4, 6, 8, 10 or 12 bytes: whole packets, whose size is fixed by
// their kind except for read responses; and tails of read responses and FinePack packets including their 2-byte prefix.
// Tails of write and atomic requests would have 14 bytes and never fit. Combinational.
module glk_piece_find (
  input  logic [6:2]  room,       // thermometer code, bit n: room for 2 n bytes
  input  logic        sequencing,
  input  logic [11:1] offered,    // kinds with a candidate that is in order and has a credit
  input  logic [1:0]  response_words, // length of the read response's candidate
  input  logic        response_tail,
  input  logic [1:0]  finepack_words,
  output logic        found,
  output logic [11:1] piece,      // one-hot
  output logic [5:2]  size        // one-hot: 2 n bytes; 0: 12 bytes
);
  localparam logic [11:0] CRITICAL = 12'(glk_flit::CRITICAL);
  localparam logic [11:0] TWELVE   = 12'(glk_flit::TWELVE);
  localparam logic [11:0] FOUR     = 12'(glk_flit::FOUR);

  // Kinds that fit, by size; a kind has at most one size.
  logic [5*11-1:0] fits; // five groups, sizes 12, 10, 8, 6, 4; each kinds 1..11
  always_comb begin
    fits = '0;
    for (int k = 1; k <= 11; k = k + 1) begin
      fits[k-1]    = offered[k] && TWELVE[k] && room[6];
      fits[44+k-1] = offered[k] && FOUR[k] && room[2];
    end
    fits[glk_flit::READ_RESPONSE-1]    = offered[2] && !response_tail && response_words == 2'd3 && room[6];
    fits[22+glk_flit::READ_RESPONSE-1] = offered[2] && !response_tail && response_words == 2'd2 && room[4];
    fits[33+glk_flit::READ_RESPONSE-1] = offered[2] && response_tail && response_words == 2'd1 && room[3];
    fits[44+glk_flit::READ_RESPONSE-1] = offered[2] && !response_tail && response_words == 2'd1 && room[2];
    fits[11+glk_flit::FINEPACK-1]      = offered[7] && finepack_words == 2'd2 && room[5];
    fits[33+glk_flit::FINEPACK-1]      = offered[7] && finepack_words == 2'd1 && room[3];
  end

  // First fit; and the first latency-critical kind, whose packets have 12 or 4 bytes.
  logic [54:0] first;
  logic [11:1] critical, first_critical;
  always_comb begin
    for (int n = 0; n < 55; n = n + 1)
      first[n] = fits[n] && ~|(fits & 55'((56'd1 << n) - 56'd1));
    for (int k = 1; k <= 11; k = k + 1)
      critical[k] = sequencing && CRITICAL[k] && (fits[k-1] || fits[44+k-1]);
    for (int k = 1; k <= 11; k = k + 1)
      first_critical[k] = critical[k] && ~|(critical & 11'((12'd1 << (k - 1)) - 12'd1));
  end

  always_comb begin
    found = |fits;
    for (int k = 1; k <= 11; k = k + 1)
      if (|critical)
        piece[k] = first_critical[k];
      else
        piece[k] = first[k-1] || first[11+k-1] || first[22+k-1] || first[33+k-1] || first[44+k-1];
    size = '0;
    for (int n = 2; n <= 5; n = n + 1)
      size[n] = !(|critical) && |first[11*(6-n) +: 11];
    for (int k = 1; k <= 11; k = k + 1)
      size[2] = size[2] || (first_critical[k] && FOUR[k]);
  end
endmodule
`default_nettype wire
