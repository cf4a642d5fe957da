-- SPDX-License-Identifier: Apache-2.0
-- Leases of the pool's lines (fpga/model/pool/tsu.h), with requests and answers as messages, for rumur: caches load, store with their
-- time, store without one and acquire; the table evicts entries, loses all, and its times overflow into a next epoch.
-- A time is one number: its epoch is time / SPAN.
-- PLANT: 0, as specified; 1..6, an error each that must be found (check-leases).
const
  PLANT:  0;
  CACHES: 2;
  LINES:  1;
  SPAN:   4;  -- times of an epoch
  EPOCHS: 2;
  LEASE:  2;
type
  cache: scalarset(CACHES);
  line:  scalarset(LINES);
  time:  0..SPAN * EPOCHS - 1;
  phase: enum { idle, asked, told };
  copy:  record held: boolean; wts: time; rts: time; version: time; end;
  request: record
    state: phase; write: boolean; l: line; at: time;
    had: boolean; old: time;                          -- a read's: the cache has a copy with that wts
    same: boolean; wts: time; rts: time; version: time; -- the answer
  end;
var
  copies: array [cache] of array [line] of copy;
  now:    array [cache] of time;                      -- of loads and stores
  ask:    array [cache] of request;
  posted: array [cache] of record some: boolean; l: line; end; -- a store without a time, on its way
  known:  array [line] of record valid: boolean; wts: time; rts: time; end; -- the table
  floor:  time;
  origin: time;                                       -- begin of the table's epoch
  clock:  time;
  last:   array [line] of time;                       -- ghost: when it was written last
  seen:   array [cache] of array [line] of time;      -- ghost: the same at the cache's last acquire
  over:   boolean;                                    -- all times are used up: no more writes

function later(a: time; b: time): time;
begin if a > b then return a; else return b; end; end;

function begin_of(t: time): time;
begin return t - t % SPAN; end;

function lease_end(begins: time; length: 0..SPAN): time;
begin
  if begins + length > begin_of(begins) + SPAN - 1 then return begin_of(begins) + SPAN - 1; else return begins + length; end;
end;

procedure forget_table();
begin for l: line do undefine known[l]; known[l].valid := false; end; end;

procedure table_epoch(begins: time);
begin origin := begins; floor := begins; forget_table(); end;

procedure cache_epoch(c: cache; t: time);
begin
  if begin_of(t) > now[c] then
    for l: line do undefine copies[c][l]; copies[c][l].held := false; end;
    now[c] := begin_of(t);
  end;
end;

procedure entry(l: line);
begin if !known[l].valid then known[l].valid := true; known[l].wts := floor; known[l].rts := floor; end; end;

-- A write at t or later.
procedure stamp(l: line; t: time);
begin
  entry(l);
  if known[l].rts = origin + SPAN - 1 & PLANT != 3 then
    if origin + SPAN > SPAN * EPOCHS - 1 then over := true;
    else table_epoch(origin + SPAN); entry(l); end;
  end;
  if !over then
    if PLANT = 3 & known[l].rts = origin + SPAN - 1 then known[l].wts := origin;          -- begins again
    elsif PLANT = 2 then known[l].wts := later(known[l].rts, later(t, origin));
    else known[l].wts := later(known[l].rts + 1, later(t, origin)); end;
    known[l].rts := known[l].wts;
    last[l] := known[l].wts;
    clock := later(clock, known[l].wts);
  end;
end;

ruleset c: cache do
  ruleset l: line do
    rule "hit" copies[c][l].held & now[c] <= copies[c][l].rts & !(ask[c].state != idle & ask[c].write & ask[c].l = l) ==>
    begin
      assert "a load sees what was stored before its acquire" copies[c][l].version >= seen[c][l];
      now[c] := later(now[c], copies[c][l].wts);
    end;
    rule "miss" ask[c].state = idle & (!copies[c][l].held | now[c] > copies[c][l].rts) ==>
    begin
      ask[c].state := asked; ask[c].write := false; ask[c].l := l; ask[c].at := now[c];
      ask[c].had := copies[c][l].held; if copies[c][l].held then ask[c].old := copies[c][l].wts; else ask[c].old := 0; end;
    end;
    rule "store" ask[c].state = idle & !over ==>
    begin
      ask[c].state := asked; ask[c].write := true; ask[c].l := l; ask[c].at := now[c];
      undefine copies[c][l]; copies[c][l].held := false;
    end;
    rule "store without a time" !posted[c].some & ask[c].state = idle & !over ==>
    begin
      posted[c].some := true; posted[c].l := l;
      undefine copies[c][l]; copies[c][l].held := false;
    end;
    rule "drop" copies[c][l].held & !(ask[c].state != idle & ask[c].l = l) ==>
    begin undefine copies[c][l]; copies[c][l].held := false; end;
  end;

  rule "acquire" ask[c].state = idle ==>
  begin
    if PLANT != 4 then cache_epoch(c, clock); now[c] := later(now[c], clock); end;
    for l: line do seen[c][l] := last[l]; end;
  end;

  rule "tick" now[c] < SPAN * EPOCHS - 1 & (exists l: line do known[l].valid & now[c] <= known[l].rts end) ==>
  begin now[c] := now[c] + 1; cache_epoch(c, now[c]); end;

  rule "table reads" ask[c].state = asked & !ask[c].write ==>
  var l: line; t: time;
  begin
    l := ask[c].l;
    if begin_of(ask[c].at) > origin then table_epoch(begin_of(ask[c].at)); end;
    if PLANT = 5 then t := origin; else t := later(ask[c].at, origin); end;
    entry(l);
    known[l].rts := later(known[l].rts, lease_end(later(t, known[l].wts), LEASE));
    ask[c].same := ask[c].had & ask[c].old = known[l].wts;
    if PLANT = 6 then ask[c].same := ask[c].had & ask[c].old % SPAN = known[l].wts % SPAN; end;
    ask[c].wts := known[l].wts; ask[c].rts := known[l].rts; ask[c].version := last[l];
    ask[c].state := told;
  end;

  rule "table writes" ask[c].state = asked & ask[c].write ==>
  var l: line;
  begin
    l := ask[c].l;
    if begin_of(ask[c].at) > origin then table_epoch(begin_of(ask[c].at)); end;
    if PLANT = 5 then stamp(l, origin); else stamp(l, ask[c].at); end;
    if over then undefine ask[c]; ask[c].state := idle;
    else
      assert "a store is not before what its cache has seen" known[l].wts >= ask[c].at;
      ask[c].wts := known[l].wts; ask[c].rts := known[l].rts; ask[c].version := last[l]; ask[c].state := told;
    end;
  end;

  rule "table writes what carries no time" posted[c].some ==>
  var l: line;
  begin
    l := posted[c].l;
    undefine posted[c]; posted[c].some := false;
    stamp(l, clock);
  end;

  rule "answer" ask[c].state = told ==>
  var l: line;
  begin
    l := ask[c].l;
    cache_epoch(c, ask[c].rts);
    if ask[c].rts >= begin_of(now[c]) then -- else it is of an earlier epoch, and not kept
      if ask[c].write then now[c] := later(now[c], ask[c].wts);
      elsif ask[c].same & copies[c][l].held then
        assert "a renewed copy is the last version" copies[c][l].version = ask[c].version;
        copies[c][l].rts := later(copies[c][l].rts, ask[c].rts);
      elsif !ask[c].same & !posted[c].some then -- what the own store changes is not kept
        copies[c][l].held := true; copies[c][l].wts := ask[c].wts; copies[c][l].rts := ask[c].rts;
        copies[c][l].version := ask[c].version;
      end;
    end;
    undefine ask[c]; ask[c].state := idle;
  end;
end;

ruleset l: line do
  rule "table evicts" known[l].valid ==>
  begin
    if PLANT != 1 then floor := later(floor, known[l].rts); end;
    undefine known[l]; known[l].valid := false;
  end;
end;

rule "table loses all" origin + SPAN < SPAN * EPOCHS ==>
begin table_epoch(origin + SPAN); end;

startstate begin
  undefine copies; undefine ask; undefine posted; undefine known;
  for c: cache do
    for l: line do copies[c][l].held := false; seen[c][l] := 0; end;
    now[c] := 0; ask[c].state := idle; posted[c].some := false;
  end;
  for l: line do known[l].valid := false; last[l] := 0; end;
  floor := 0; origin := 0; clock := 0; over := false;
end;

invariant "no write in a lease"
  forall c: cache do forall l: line do
    copies[c][l].held -> copies[c][l].version = last[l] | copies[c][l].rts < last[l]
  end end;
invariant "no version is seen before it is written"
  forall c: cache do forall l: line do copies[c][l].held -> copies[c][l].wts >= copies[c][l].version end end;
