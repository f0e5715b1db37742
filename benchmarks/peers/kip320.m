-- Kafka replication of one partition under KIP-320 fencing, for rumur (Murphi).
--
-- The runner writes its own values over these four constants.
-- One rule for each action and one rule set element for each binding of it.

const
  REPLICAS: 3;
  LOG_SIZE: 2;
  MAX_RECORDS: 2;
  MAX_LEADER_EPOCH: 2;

  NONE: REPLICAS; -- no leader
  NIL: 0;         -- no epoch yet, and the record of an empty offset
  EPOCHS: MAX_LEADER_EPOCH + 1;

type
  Replica: 0 .. REPLICAS - 1;
  ReplicaOrNone: 0 .. NONE;
  Offset: 0 .. LOG_SIZE - 1;
  EndOffset: 0 .. LOG_SIZE;
  -- Epoch e is written e + 1; record (id, epoch) is written 1 + id * EPOCHS + epoch.
  Epoch: 1 .. EPOCHS;
  EpochOrNil: 0 .. EPOCHS;
  LogRecord: 0 .. MAX_RECORDS * EPOCHS;
  Isr: array[Replica] of boolean;

var
  log: array[Replica] of array[Offset] of LogRecord;
  log_end: array[Replica] of EndOffset;
  hw: array[Replica] of EndOffset;
  epoch: array[Replica] of EpochOrNil;
  leader: array[Replica] of ReplicaOrNone;
  isr: array[Replica] of Isr;

  -- LeaderAndIsr requests are never consumed; that of epoch e is sent once e <= issued_epochs.
  request_leader: array[Epoch] of ReplicaOrNone;
  request_isr: array[Epoch] of Isr;

  -- The epoch of the quorum is always the last epoch issued, so it has no variable of its own.
  quorum_leader: ReplicaOrNone;
  quorum_isr: Isr;
  issued_epochs: EpochOrNil;
  issued_ids: 0 .. MAX_RECORDS;

function presumes_leadership(l: Replica): boolean;
begin
  return leader[l] = l;
end;

function follows_epoch(l: Replica; f: Replica): boolean;
begin
  return leader[l] = l & leader[f] = l & epoch[f] = epoch[l];
end;

function is_true_leader(l: Replica): boolean;
begin
  return quorum_leader = l & leader[l] = l & epoch[l] = issued_epochs;
end;

function is_alone(r: Replica): boolean;
begin
  return forall other: Replica do quorum_isr[other] -> other = r end;
end;

-- One more than the last offset at which both logs hold the same record, else 0.
function diverges_at(l: Replica; f: Replica): EndOffset;
var point: EndOffset;
begin
  point := 0;
  for o: Offset do
    if log[l][o] != NIL & log[l][o] = log[f][o] then
      point := o + 1;
    end;
  end;
  return point;
end;

-- A leader that is not in its own epoch yet cannot let followers in.
function reached_epoch(l: Replica): boolean;
begin
  if hw[l] = log_end[l] then
    return true;
  end;
  return (log[l][hw[l]] - 1) % EPOCHS + 1 = epoch[l];
end;

-- Every replica of the ISR holds the leader's record at each offset below the leader's hw.
function agrees_below_hw(l: Replica; f: Replica): boolean;
begin
  return forall o: Offset do
    o < hw[l] -> (log[l][o] != NIL & log[l][o] = log[f][o])
  end;
end;

-- The caller has set quorum_leader and quorum_isr.
procedure issue_epoch();
begin
  issued_epochs := issued_epochs + 1;
  request_leader[issued_epochs] := quorum_leader;
  for r: Replica do
    request_isr[issued_epochs][r] := quorum_isr[r];
  end;
end;

startstate
begin
  for r: Replica do
    for o: Offset do
      log[r][o] := NIL;
    end;
    log_end[r] := 0;
    hw[r] := 0;
    epoch[r] := NIL;
    leader[r] := NONE;
    for member: Replica do
      isr[r][member] := false;
    end;
    quorum_isr[r] := true;
  end;
  for e: Epoch do
    request_leader[e] := NONE;
    for r: Replica do
      request_isr[e][r] := false;
    end;
  end;
  quorum_leader := NONE;
  issued_epochs := NIL;
  issued_ids := 0;
end;

ruleset r: Replica do

  rule "ControllerElectLeader"
    issued_epochs < EPOCHS & quorum_isr[r] & quorum_leader != r
  ==>
  begin
    quorum_leader := r;
    issue_epoch();
  end;

  -- A leader that leaves takes the leadership with it; the last member stays in the ISR.
  rule "ControllerShrinkIsr"
    issued_epochs < EPOCHS & (quorum_leader = r | quorum_isr[r])
  ==>
  begin
    if quorum_leader = r then
      if !is_alone(r) then
        quorum_isr[r] := false;
      end;
      quorum_leader := NONE;
    else
      quorum_isr[r] := false;
    end;
    issue_epoch();
  end;

  rule "LeaderWrite"
    presumes_leadership(r) & issued_ids < MAX_RECORDS & log_end[r] < LOG_SIZE
  ==>
  begin
    log[r][log_end[r]] := issued_ids * EPOCHS + epoch[r];
    log_end[r] := log_end[r] + 1;
    issued_ids := issued_ids + 1;
  end;

  rule "FencedLeaderIncHighWatermark"
    presumes_leadership(r) & hw[r] < log_end[r]
    & forall f: Replica do isr[r][f] -> (follows_epoch(r, f) & hw[r] < log_end[f]) end
  ==>
  begin
    hw[r] := hw[r] + 1;
  end;

end;

ruleset e: Epoch do

  rule "BecomeLeader"
    request_leader[e] != NONE & epoch[request_leader[e]] < e
  ==>
  var l: Replica;
  begin
    l := request_leader[e];
    epoch[l] := e;
    leader[l] := l;
    for member: Replica do
      isr[l][member] := request_isr[e][member];
    end;
  end;

end;

ruleset e: Epoch; f: Replica do

  rule "FencedBecomeFollowerAndTruncate"
    request_leader[e] != NONE & request_leader[e] != f & epoch[f] < e
    & presumes_leadership(request_leader[e]) & epoch[request_leader[e]] = e
  ==>
  var point: EndOffset;
  begin
    point := diverges_at(request_leader[e], f);
    for o: Offset do
      if o >= point then
        log[f][o] := NIL;
      end;
    end;
    log_end[f] := point;
    if hw[f] > point then
      hw[f] := point;
    end;
    epoch[f] := e;
    leader[f] := request_leader[e];
    for member: Replica do
      isr[f][member] := request_isr[e][member];
    end;
  end;

end;

ruleset l: Replica; f: Replica do

  rule "FencedFollowerFetch"
    f != l & follows_epoch(l, f) & log_end[f] < log_end[l]
  ==>
  begin
    log[f][log_end[f]] := log[l][log_end[f]];
    log_end[f] := log_end[f] + 1;
    if hw[l] < log_end[f] then
      hw[f] := hw[l];
    else
      hw[f] := log_end[f];
    end;
  end;

  rule "FencedLeaderShrinkIsr"
    f != l & is_true_leader(l) & isr[l][f]
    & (!follows_epoch(l, f) | log_end[f] < log_end[l])
  ==>
  begin
    isr[l][f] := false;
    for member: Replica do
      quorum_isr[member] := isr[l][member];
    end;
  end;

  rule "FencedLeaderExpandIsr"
    f != l & is_true_leader(l) & !isr[l][f] & follows_epoch(l, f)
    & log_end[f] >= hw[l] & reached_epoch(l)
  ==>
  begin
    isr[l][f] := true;
    for member: Replica do
      quorum_isr[member] := isr[l][member];
    end;
  end;

end;

invariant "WeakIsr"
  forall l: Replica do
    presumes_leadership(l) ->
      forall f: Replica do isr[l][f] -> agrees_below_hw(l, f) end
  end;

invariant "StrongIsr"
  forall l: Replica do
    presumes_leadership(l) ->
      forall f: Replica do quorum_isr[f] -> agrees_below_hw(l, f) end
  end;
