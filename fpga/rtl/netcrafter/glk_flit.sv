// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Packet kinds on the link (docs/link-format.md, "Packets") and sets of kinds, one bit per kind.
package glk_flit;
  localparam int READ_REQUEST         = 1;
  localparam int READ_RESPONSE        = 2;
  localparam int WRITE_REQUEST        = 3;
  localparam int WRITE_RESPONSE       = 4;
  localparam int TRANSLATION_REQUEST  = 5;
  localparam int TRANSLATION_RESPONSE = 6;
  localparam int FINEPACK             = 7;
  localparam int RELEASE              = 8;
  localparam int RELEASED             = 9;
  localparam int ATOMIC_REQUEST       = 10;
  localparam int ATOMIC_RESPONSE      = 11;

  localparam int POSTED   = 1 << WRITE_REQUEST | 1 << FINEPACK;
  localparam int REQUEST  = 1 << READ_REQUEST | 1 << TRANSLATION_REQUEST | 1 << RELEASE | 1 << ATOMIC_REQUEST;
  localparam int RESPONSE = 1 << READ_RESPONSE | 1 << WRITE_RESPONSE | 1 << TRANSLATION_RESPONSE | 1 << RELEASED |
                            1 << ATOMIC_RESPONSE;
  localparam int CRITICAL = 1 << TRANSLATION_REQUEST | 1 << TRANSLATION_RESPONSE | 1 << RELEASE | 1 << RELEASED;
  // Kinds whose packets may exceed one flit.
  localparam int LONG     = 1 << READ_RESPONSE | 1 << WRITE_REQUEST | 1 << FINEPACK | 1 << ATOMIC_REQUEST;
  // Kinds whose packets always have 12 bytes, or 4 bytes.
  localparam int TWELVE   = 1 << READ_REQUEST | 1 << TRANSLATION_REQUEST | 1 << TRANSLATION_RESPONSE | 1 << RELEASE |
                            1 << ATOMIC_RESPONSE;
  localparam int FOUR     = 1 << WRITE_RESPONSE | 1 << RELEASED;
endpackage
`default_nettype wire
