// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Walks over the pages of a range of a registration: reads their addresses from the page list, and requests the bytes of each.
//
// The last page and the last table of pages are cached until a table of the card is written. Then the registration is checked
// again, once the accesses in flight have been issued.
module glk_ring_pages #(
  parameter int DATA_W = 512
) (
  input  logic              clk,
  input  logic              idle,      // between entries

  // Registration, and its check
  input  logic [60:0]       list,      // page list address, bits 63:3
  input  logic [20:0]       first,
  input  logic              wide,
  input  logic              tables,
  input  logic              registration_changed,
  output logic              asks,
  input  logic              registration_answered,
  input  logic [3:0]        registration_status,

  // Next range, behind the last one or from `start_at`
  input  logic              load,
  input  logic              checked,   // the registration is
  input  logic [16:0]       bytes,
  input  logic [15:0]       place,     // in the data buffer, of data for host memory
  input  logic              start,
  input  logic [40:0]       start_at,  // from the start of the first page

  // Walk, while `run`; `run` may end early unless `waits`
  input  logic              run,
  input  logic              fetches,   // host memory is read into the buffer, otherwise written from it
  output logic              waits,
  output logic              over,
  output logic [4:0]        status,    // of a failure, in one clock
  output logic              looks,     // at `dirty`
  input  logic              dirty,     // a table has changed
  input  logic              settled,   // no accesses are in flight

  // Requests
  output logic              reads,     // an entry of the list, or data
  output logic              writes,
  output logic              fills,     // data is being read, not an entry
  output logic [63:0]       address,
  output logic [12:0]       length,
  output logic [15:0]       at,        // place in the data buffer: of data that is read
  output logic [15:0]       from,      // of data that is written
  input  logic              reader_busy,
  input  logic              reader_failed,
  input  logic [DATA_W-1:0] read_data,
  input  logic              read_valid,
  input  logic              range_ready
);
  localparam int LB = $clog2(DATA_W / 8);

  typedef enum logic [2:0] {RECHECK, RECHECK_WAIT, PAGE, PAGE_WAIT, PIECE, PIECE_WAIT} state_t;
  state_t state;

  logic [22:0]  begun;       // tables, wide and first, by which `next` was computed
  logic [40:0]  next;        // from the start of the first page
  logic [16:0]  left;
  logic [12:0]  piece;       // bytes within the page
  wire  [12:0]  in_page  = 13'd4096 - {1'b0, next[11:0]};
  logic         page_known;
  logic [28:0]  page_index;
  logic [51:0]  page;
  wire          page_hit = page_known && page_index == next[40:12];
  logic         table_known;
  logic [19:0]  table_index;
  logic [51:0]  table_page;
  wire  [28:0]  index    = wide ? {9'b0, next[40:21]} : next[40:12]; // of the page
  wire          in_table = table_known && table_index == index[28:9];
  logic         reads_table;
  // Bits 63:3 of the address of the entry to read: of the page, or of its table.
  wire  [60:0]  page_at  = in_table ? {table_page, index[8:0]} : list + (tables ? {41'b0, index[28:9]} : {32'b0, index});
  logic [LB-4:0] page_word;
  wire  [51:0]  read_page = read_data[32'(page_word) * 64 + 12 +: 52];
  wire          read      = (state == PAGE_WAIT || state == PIECE_WAIT) && !reader_busy;
  wire          moved     = (state == PIECE && !fetches && range_ready) || (state == PIECE_WAIT && read);

  assign asks    = state == RECHECK;
  assign waits   = state != PAGE && state != PIECE;
  assign over    = state == PAGE && left == 17'd0;
  assign looks   = state == PAGE && left != 17'd0;
  assign reads   = (looks && !dirty && !page_hit) || (state == PIECE && fetches);
  assign writes  = state == PIECE && !fetches;
  assign fills   = state == PIECE_WAIT;
  assign address = (state == PAGE) ? {page_at, 3'b000} : {page, next[11:0]};
  assign length  = (state == PAGE) ? 13'd8 : piece;
  assign at      = next[15:0];
  // Another shape: a registration has replaced that of the entry, and `next` could be beyond its list.
  assign status  = (read && reader_failed) ? 5'(glk_regs::ST_DMA) : (state != RECHECK_WAIT || !registration_answered) ? 5'd0 :
                   (registration_status == 4'd0 && {tables, wide, first} != begun) ? 5'(glk_regs::ST_REGISTRATION) :
                       {1'b0, registration_status};

  always_ff @(posedge clk) begin
    if (run)
      unique case (state)
        RECHECK: state <= RECHECK_WAIT;
        RECHECK_WAIT:
          if (registration_answered)
            state <= PAGE;
        PAGE: begin
          page_word   <= page_at[LB-4:0];
          reads_table <= tables && !in_table;
          piece       <= (left > 17'(in_page)) ? in_page : left[12:0];
          if (looks && dirty) begin
            page_known  <= 1'b0;
            table_known <= 1'b0;
            if (settled)
              state <= RECHECK;
          end else if (looks)
            state <= page_hit ? PIECE : PAGE_WAIT;
        end
        PAGE_WAIT: begin
          if (read_valid && reads_table)
            table_page <= read_page;
          else if (read_valid) begin
            page       <= wide ? {read_page[51:9], next[20:12]} : read_page;
            page_index <= next[40:12];
          end
          if (read) begin
            table_index <= index[28:9];
            table_known <= tables;
            page_known  <= !reads_table;
            state       <= reads_table ? PAGE : PIECE;
          end
        end
        PIECE:
          if (fetches)
            state <= PIECE_WAIT;
          else if (range_ready)
            state <= PAGE;
        PIECE_WAIT:
          if (read)
            state <= PAGE;
        default: state <= RECHECK;
      endcase
    if (run && moved) begin
      next <= next + 41'(piece);
      left <= left - 17'(piece);
      from <= from + 16'(piece);
    end
    if (registration_changed || idle) begin
      page_known  <= 1'b0;
      table_known <= 1'b0;
    end
    if (start) begin
      begun <= {tables, wide, first};
      next  <= start_at;
    end
    if (load) begin
      left  <= bytes;
      from  <= place;
      state <= checked ? PAGE : RECHECK;
    end
  end

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst(idle), .on(checks));
  always_ff @(posedge clk)
    if (checks && run) begin
      begin : loads_when_over assert (!load || over); end
      begin : piece_within_page
        assert (state != PIECE || (page_index == next[40:12] && piece != 13'd0 && piece <= in_page && 17'(piece) <= left));
      end
    end
`endif
endmodule
`default_nettype wire
