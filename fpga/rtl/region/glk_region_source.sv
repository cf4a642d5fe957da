// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Reads up to 4096 bytes of a registration into the buffer of glk_region_engine: check, page list, data. Buffer lines keep the
// lanes of the registered memory.
//
// When the registration table changes, reads checked against the old entry may be in flight: `stale` is high until they are
// complete, and then the check is repeated.
module glk_region_source #(
  parameter int DATA_W         = 512,
  parameter int REGISTRATIONS  = 1024,
  parameter int READ_BYTES     = 512,
  parameter int READ_TAGS      = 8,
  parameter int REGISTRATION_W = 133,
  parameter int HW             = (REGISTRATIONS > 1) ? $clog2(REGISTRATIONS) : 1,
  parameter int TW             = (READ_TAGS > 1) ? $clog2(READ_TAGS) : 1,
  parameter int LANES          = DATA_W / 8,
  parameter int LINE_W         = 16 - $clog2(LANES)
) (
  input  logic                      clk,
  input  logic                      rst,

  // Request, stable until `done`
  input  logic                      start,
  input  logic [4:0]                context_number,
  input  logic [15:0]               handle,
  input  logic [47:0]               offset,
  input  logic [12:0]               length,
  input  logic                      abandon, // no further requests; done when the outstanding ones are

  // Result, valid from `done` until the next start
  output logic                      done,
  output logic [3:0]                status,
  output logic [12:0]               place,   // buffer position of the first byte
  output logic                      stale,
  output logic                      e_dma,

  // Registration table
  input  logic                      registration_changed,
  output logic                      registration_valid,
  input  logic                      registration_ready,
  output logic [HW-1:0]             registration_row,
  input  logic                      registration_done,
  input  logic [REGISTRATION_W-1:0] registration_q,

  // Reads of host memory
  output logic [63:0]               mem_address,
  output logic [12:0]               mem_length,
  output logic [TW-1:0]             mem_tag,
  output logic                      mem_valid,
  input  logic                      mem_ready,
  input  logic [TW-1:0]             rd_tag,
  input  logic                      rd_error,
  input  logic [DATA_W-1:0]         rd_data,
  input  logic                      rd_last,
  input  logic                      rd_valid,

  // Buffer
  output logic                      buffer_valid,
  output logic [LINE_W-1:0]         buffer_line,
  output logic [DATA_W-1:0]         buffer_data
);
  localparam int LB = $clog2(LANES);

  typedef enum logic [2:0] {IDLE, CHECK, CHECK_WAIT, PAGE, PAGE_WAIT, PIECE, PIECE_WAIT} state_t;
  state_t state;

  // --- check ---
  logic         answered;
  logic [3:0]   check_status;
  logic [60:0]  list;
  logic [20:0]  first;
  logic         wide, tables;
  logic         begun;       // at and left are set
  logic [22:0]  shape;       // tables, wide and first, by which they were computed
  glk_ring_registration #(.REGISTRATIONS(REGISTRATIONS), .REGISTRATION_W(REGISTRATION_W)) registrations (
    .clk, .rst, .start(state == CHECK), .context_number, .handle, .offset, .length(32'(length)), .need_read(1'b1),
    .need_write(1'b0), .done(answered), .status(check_status), .list, .first, .wide, .tables, .registration_changed,
    .registration_valid, .registration_ready, .registration_row, .registration_done, .registration_q);

  // --- pages ---
  logic [40:0]  at;          // relative to the start of the first page
  logic [12:0]  left, piece;
  logic         page_known, table_known, reads_table;
  logic [28:0]  page_index;
  logic [19:0]  table_index;
  logic [51:0]  page, table_page;
  logic [LB-4:0] page_word;
  logic         dirty;       // the registration table has changed since the check
  wire  [12:0]  in_page  = 13'd4096 - {1'b0, at[11:0]};
  wire  [28:0]  index    = wide ? {9'b0, at[40:21]} : at[40:12];
  wire          in_table = table_known && table_index == index[28:9];
  wire  [60:0]  page_at  = in_table ? {table_page, index[8:0]} : list + (tables ? {41'b0, index[28:9]} : {32'b0, index});
  wire          page_hit = page_known && page_index == at[40:12];
  wire          asks     = state == PAGE && !abandon && !dirty && left != 13'd0 && !page_hit;

  // --- reads ---
  logic              reader_busy, reader_failed, line_valid;
  logic [LINE_W-1:0] reader_line;
  logic [DATA_W-1:0] line_data;
  wire  [51:0]       read_page = line_data[32'(page_word) * 64 + 12 +: 52];
  glk_ring_reader #(.DATA_W(DATA_W), .READ_BYTES(READ_BYTES), .TAGS(READ_TAGS)) reader (
    .clk, .rst, .start(asks || (state == PIECE && !abandon)), .address(state == PAGE ? {page_at, 3'b000} : {page, at[11:0]}),
    .length(state == PAGE ? 13'd8 : piece), .line(at[15:LB]), .busy(reader_busy), .failed(reader_failed),
    .mem_address, .mem_length, .mem_tag, .mem_valid, .mem_ready, .rd_tag, .rd_error, .rd_data, .rd_last, .rd_valid,
    .read_line(reader_line), .read_data(line_data), .read_valid(line_valid));

  assign stale = dirty;
  always_ff @(posedge clk) begin
    buffer_valid <= line_valid && state == PIECE_WAIT;
    buffer_line  <= reader_line;
    buffer_data  <= line_data;
    if (rst)
      buffer_valid <= 1'b0;
  end

  always_ff @(posedge clk) begin
    done  <= 1'b0;
    e_dma <= 1'b0;
    case (state)
      IDLE: begin
        begun       <= 1'b0;
        page_known  <= 1'b0;
        table_known <= 1'b0;
        if (start)
          state <= CHECK;
      end
      CHECK:
        state <= CHECK_WAIT;
      CHECK_WAIT:
        if (answered) begin
          begun  <= 1'b1;
          state  <= PAGE;
          status <= check_status;
          if (!begun) begin
            at    <= {1'b0, offset[39:0]} + 41'(first);
            left  <= length;
            shape <= {tables, wide, first};
            place <= offset[12:0] + first[12:0];
          end
          if (check_status != 4'd0) begin
            done  <= 1'b1;
            state <= IDLE;
          end else if (begun && {tables, wide, first} != shape) begin // `at` could be beyond the list of another registration
            status <= 4'(glk_regs::ST_REGISTRATION);
            done   <= 1'b1;
            state  <= IDLE;
          end
        end
      PAGE: begin
        page_word   <= page_at[LB-4:0];
        reads_table <= tables && !in_table;
        piece       <= (left > in_page) ? in_page : left;
        if (abandon || left == 13'd0) begin
          done  <= 1'b1;
          state <= IDLE;
        end else if (dirty) begin
          page_known  <= 1'b0;
          table_known <= 1'b0;
          state       <= CHECK;
        end else
          state <= page_hit ? PIECE : PAGE_WAIT;
      end
      PAGE_WAIT: begin
        if (line_valid && reads_table)
          table_page <= read_page;
        else if (line_valid) begin
          page       <= wide ? {read_page[51:9], at[20:12]} : read_page;
          page_index <= at[40:12];
        end
        if (!reader_busy) begin
          table_index <= index[28:9];
          table_known <= tables;
          page_known  <= !reads_table;
          state       <= PAGE;
        end
      end
      PIECE: begin
        state <= PIECE_WAIT;
        if (abandon) begin
          done  <= 1'b1;
          state <= IDLE;
        end
      end
      PIECE_WAIT:
        if (!reader_busy) begin
          at    <= at + 41'(piece);
          left  <= left - piece;
          state <= PAGE;
        end
      default: state <= IDLE;
    endcase
    if ((state == PAGE_WAIT || state == PIECE_WAIT) && !reader_busy && reader_failed) begin
      status <= 4'(glk_regs::ST_DMA);
      e_dma  <= !abandon;
      done   <= 1'b1;
      state  <= IDLE;
    end

    if (registration_changed && state != IDLE)
      dirty <= 1'b1;
    else if (state == IDLE || state == PAGE)
      dirty <= 1'b0;
    if (rst) begin
      state <= IDLE;
      done  <= 1'b0;
      e_dma <= 1'b0;
      dirty <= 1'b0;
    end
  end
endmodule
`default_nettype wire
