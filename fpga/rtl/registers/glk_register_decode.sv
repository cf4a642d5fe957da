// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Address decoder of BAR 0: block, array element, and word within the element. One clock of latency.
module glk_register_decode #(
  parameter int PARTITIONS    = 16,
  parameter int CONTEXTS      = 32,
  parameter int SLICES        = 1024,
  parameter int REGISTRATIONS = 1024,
  parameter int REGIONS       = 64, // 0: no blocks REGION and CHUNK
  parameter int CHUNKS        = 16384
) (
  input  logic        clk,
  input  logic        link,        // block LINK exists
  input  logic        leases,      // block TSU exists
  input  logic [19:0] offset,
  output logic [3:0]  place,       // TYPE of the block; 0: no register at this offset
  output logic [13:0] element,
  output logic [8:0]  word,
  output logic        header,      // HEADER of a block; its value is 0 if the block is absent
  output logic [63:0] header_value
);
  wire in_card         = offset < 20'(glk_regs::BLOCK_PARTITION);
  wire in_partition    = offset[19:13] == 7'(glk_regs::PARTITION_ARRAY >> 13);
  wire in_window       = offset[19:15] == 5'(glk_regs::WINDOW_ARRAY >> 15);
  wire in_registration = offset[19:15] == 5'(glk_regs::REGISTRATION_ARRAY >> 15);
  wire in_context      = offset[19:13] == 7'(glk_regs::CONTEXT_ARRAY >> 13);
  wire in_link         = link && offset[19:12] == 8'(glk_regs::BLOCK_LINK >> 12);
  wire in_tsu          = leases && offset[19:12] == 8'(glk_regs::BLOCK_TSU >> 12);
  wire in_region       = offset[19:15] == 5'(glk_regs::REGION_ARRAY >> 15);
  wire in_chunk        = offset[19:17] == 3'(glk_regs::CHUNK_ARRAY >> 17);
  wire in_doorbell     = offset[19:17] == 3'(glk_regs::DOORBELL_ARRAY >> 17);

  // Array sizes match the address slices above.
  initial if (glk_regs::PARTITION_STRIDE * glk_regs::PARTITION_COUNT != 1 << 13 ||
              glk_regs::WINDOW_STRIDE * glk_regs::WINDOW_COUNT != 1 << 15 ||
              glk_regs::REGISTRATION_STRIDE * glk_regs::REGISTRATION_COUNT != 1 << 15 ||
              glk_regs::CONTEXT_STRIDE * glk_regs::CONTEXT_COUNT != 1 << 13 ||
                  glk_regs::DOORBELL_STRIDE * glk_regs::DOORBELL_COUNT != 1 << 17 ||
              glk_regs::PARTITION_STRIDE != 1 << 9 || glk_regs::WINDOW_STRIDE != 1 << 5 ||
                  glk_regs::REGISTRATION_STRIDE != 1 << 5 ||
              glk_regs::CONTEXT_STRIDE != 1 << 8 || glk_regs::DOORBELL_STRIDE != 1 << 12 ||
              glk_regs::REGION_STRIDE * glk_regs::REGION_COUNT != 1 << 15 || glk_regs::REGION_STRIDE != 1 << 9 ||
              glk_regs::CHUNK_STRIDE * glk_regs::CHUNK_COUNT != 1 << 17 || glk_regs::CHUNK_STRIDE != 1 << 3) $fatal;

  wire [19:0] whole = {offset[19:3], 3'b0};
  wire unused = &{1'b0, offset[2:0]};
  wire [31:0] tsu_next  = leases ? 32'(glk_regs::BLOCK_TSU) : 32'd0;
  wire [31:0] last_next = (REGIONS != 0) ? 32'(glk_regs::BLOCK_REGION) : tsu_next; // behind the last block of any card

  always_ff @(posedge clk) begin
    place   <= 4'd0;
    element <= '0;
    word    <= '0;
    if (in_card) begin
      place <= 4'(glk_regs::BLOCK_CARD_TYPE);
      word  <= offset[11:3];
    end
    if (in_link) begin
      place <= 4'(glk_regs::BLOCK_LINK_TYPE);
      word  <= offset[11:3];
    end
    if (in_tsu) begin
      place <= 4'(glk_regs::BLOCK_TSU_TYPE);
      word  <= offset[11:3];
    end
    if (in_partition) begin
      place   <= (32'(offset[12:9]) < PARTITIONS) ? 4'(glk_regs::BLOCK_PARTITION_TYPE) : 4'd0;
      element <= 14'(offset[12:9]);
      word    <= 9'(offset[8:3]);
    end
    if (in_window) begin
      place   <= (32'(offset[14:5]) < SLICES) ? 4'(glk_regs::BLOCK_WINDOW_TYPE) : 4'd0;
      element <= 14'(offset[14:5]);
      word    <= 9'(offset[4:3]);
    end
    if (in_registration) begin
      place   <= (32'(offset[14:5]) < REGISTRATIONS) ? 4'(glk_regs::BLOCK_REGISTRATION_TYPE) : 4'd0;
      element <= 14'(offset[14:5]);
      word    <= 9'(offset[4:3]);
    end
    if (in_context) begin
      place   <= (32'(offset[12:8]) < CONTEXTS) ? 4'(glk_regs::BLOCK_CONTEXT_TYPE) : 4'd0;
      element <= 14'(offset[12:8]);
      word    <= 9'(offset[7:3]);
    end
    if (in_doorbell) begin
      place   <= (32'(offset[16:12]) < CONTEXTS) ? 4'(glk_regs::BLOCK_DOORBELL_TYPE) : 4'd0;
      element <= 14'(offset[16:12]);
      word    <= offset[11:3];
    end

    if (in_region) begin
      place   <= (32'(offset[14:9]) < REGIONS) ? 4'(glk_regs::BLOCK_REGION_TYPE) : 4'd0;
      element <= 14'(offset[14:9]);
      word    <= 9'(offset[8:3]);
    end
    if (in_chunk) begin
      place   <= (REGIONS != 0 && 32'(offset[16:3]) < CHUNKS) ? 4'(glk_regs::BLOCK_CHUNK_TYPE) : 4'd0;
      element <= offset[16:3];
    end

    header <= 1'b1;
    case (whole)
      20'(glk_regs::BLOCK_CARD):
        header_value <= {32'(glk_regs::BLOCK_CARD_NEXT), 16'(glk_regs::BLOCK_CARD_VERSION), 16'(glk_regs::BLOCK_CARD_TYPE)};
      20'(glk_regs::BLOCK_PARTITION):
        header_value <= {32'(glk_regs::BLOCK_PARTITION_NEXT), 16'(glk_regs::BLOCK_PARTITION_VERSION),
            16'(glk_regs::BLOCK_PARTITION_TYPE)};
      20'(glk_regs::BLOCK_WINDOW):
        header_value <= {32'(glk_regs::BLOCK_WINDOW_NEXT), 16'(glk_regs::BLOCK_WINDOW_VERSION),
            16'(glk_regs::BLOCK_WINDOW_TYPE)};
      20'(glk_regs::BLOCK_REGISTRATION):
        header_value <= {32'(glk_regs::BLOCK_REGISTRATION_NEXT), 16'(glk_regs::BLOCK_REGISTRATION_VERSION),
            16'(glk_regs::BLOCK_REGISTRATION_TYPE)};
      20'(glk_regs::BLOCK_CONTEXT):
        header_value <= {32'(glk_regs::BLOCK_CONTEXT_NEXT), 16'(glk_regs::BLOCK_CONTEXT_VERSION),
            16'(glk_regs::BLOCK_CONTEXT_TYPE)};
      20'(glk_regs::BLOCK_DOORBELL):
        header_value <= {link ? 32'(glk_regs::BLOCK_LINK) : last_next, 16'(glk_regs::BLOCK_DOORBELL_VERSION),
                         16'(glk_regs::BLOCK_DOORBELL_TYPE)};
      20'(glk_regs::BLOCK_LINK):
        header_value <= link ? {last_next, 16'(glk_regs::BLOCK_LINK_VERSION), 16'(glk_regs::BLOCK_LINK_TYPE)} : '0;
      20'(glk_regs::BLOCK_REGION):
        header_value <= (REGIONS != 0) ? {32'(glk_regs::BLOCK_CHUNK), 16'(glk_regs::BLOCK_REGION_VERSION),
            16'(glk_regs::BLOCK_REGION_TYPE)} : '0;
      20'(glk_regs::BLOCK_CHUNK):
        header_value <= (REGIONS != 0) ? {tsu_next, 16'(glk_regs::BLOCK_CHUNK_VERSION), 16'(glk_regs::BLOCK_CHUNK_TYPE)} : '0;
      20'(glk_regs::BLOCK_TSU):
        header_value <= leases ? {32'd0, 16'(glk_regs::BLOCK_TSU_VERSION), 16'(glk_regs::BLOCK_TSU_TYPE)} : '0;
      default: begin
        header       <= 1'b0;
        header_value <= '0;
      end
    endcase
  end
endmodule
`default_nettype wire
