// SPDX-License-Identifier: Apache-2.0
// The parent's next piece, of what the kinds have to offer: with sequencing the lowest latency-critical kind that fits, else
// what fills most, the lowest kind among equals. Pieces have 4, 6, 8, 10 or 12 bytes: whole packets, which of all kinds but
// read responses have a size of their own, and tails of read responses and FinePack packets, with the 2 bytes before them. Those of
// write and atomic requests have 14 and never fit. Combinational.
module glk_piece_find (
  input  logic [6:2]  room,       // bit n: there is room for 2 n bytes
  input  logic        sequencing,
  input  logic [11:1] offered,    // kinds that have one, in order, and a credit
  input  logic [1:0]  response_words, // of the read response's
  input  logic        response_tail,
  input  logic [1:0]  finepack_words,
  output logic        found,
  output logic [11:1] piece,      // one of the kinds
  output logic [5:2]  size        // one of them: 2 n bytes; none: 12
);
  localparam logic [11:0] CRITICAL = 12'(glk_flit::CRITICAL);
  localparam logic [11:0] TWELVE   = 12'(glk_flit::TWELVE);
  localparam logic [11:0] FOUR     = 12'(glk_flit::FOUR);

  // Which kinds fit with which size; of a kind one size at most.
  logic [5*11-1:0] fits; // size 12, 10, 8, 6, 4; of each kinds 1..11
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

  // The first of them; and of latency-critical kinds, which have 12 or 4 bytes, the first kind.
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
