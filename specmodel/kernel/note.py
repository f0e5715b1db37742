"""The kernel functions that note states, keeping the least: no report depends on an order.

    note(record, columns, stride, first, lanes, binding, words)

For every lane set in `lanes`, the state at `first` + lane replaces the record's if there is none
yet, or if it comes before it (words compared unsigned, the first most significant; then the
binding).

    note_block(record, columns, stride, first, mask, binding, words)

The same for the states of a block (`specmodel.kernel.blocks`) that a mask in memory has.
"""

NOTE_ELSEWHERE = "declare hidden void @note(ptr, ptr, i64, i64, i64, i64, i64)\n"
"""For modules that use `note` of another."""

NOTE = """\
declare i64 @llvm.cttz.i64(i64, i1)

define hidden void @note(
    ptr %record, ptr %base, i64 %stride, i64 %first, i64 %lanes, i64 %binding, i64 %words)
    noinline cold {
entry:
  %found_at = getelementptr i64, ptr %record, i64 1
  %binding_at = getelementptr i64, ptr %record, i64 2
  %words_at = getelementptr i64, ptr %record, i64 3
  br label %lane
lane:
  %todo = phi i64 [ %lanes, %entry ], [ %rest, %next ]
  %bit = call i64 @llvm.cttz.i64(i64 %todo, i1 false)
  %less_one = sub i64 %todo, 1
  %rest = and i64 %todo, %less_one
  %at = add i64 %first, %bit
  %state = getelementptr i64, ptr %base, i64 %at
  %found = load i64, ptr %found_at, align 8
  %none = icmp eq i64 %found, 0
  br i1 %none, label %store, label %compare
compare:
  %i = phi i64 [ 0, %lane ], [ %i_next, %same ]
  %past = icmp eq i64 %i, %words
  br i1 %past, label %tied, label %word
word:
  %offset = mul i64 %i, %stride
  %new_at = getelementptr i64, ptr %state, i64 %offset
  %new = load i64, ptr %new_at, align 8
  %old_at = getelementptr i64, ptr %words_at, i64 %i
  %old = load i64, ptr %old_at, align 8
  %before = icmp ult i64 %new, %old
  br i1 %before, label %store, label %not_before
not_before:
  %equal = icmp eq i64 %new, %old
  br i1 %equal, label %same, label %next
same:
  %i_next = add i64 %i, 1
  br label %compare
tied:
  %noted = load i64, ptr %binding_at, align 8
  %earlier = icmp slt i64 %binding, %noted
  br i1 %earlier, label %store, label %next
store:
  store i64 1, ptr %found_at, align 8
  store i64 %binding, ptr %binding_at, align 8
  br label %copy
copy:
  %k = phi i64 [ 0, %store ], [ %k_next, %copy ]
  %from_offset = mul i64 %k, %stride
  %from = getelementptr i64, ptr %state, i64 %from_offset
  %value = load i64, ptr %from, align 8
  %to = getelementptr i64, ptr %words_at, i64 %k
  store i64 %value, ptr %to, align 8
  %k_next = add i64 %k, 1
  %copied = icmp eq i64 %k_next, %words
  br i1 %copied, label %next, label %copy
next:
  %over = icmp eq i64 %rest, 0
  br i1 %over, label %done, label %lane
done:
  ret void
}

define internal void @note_block(
    ptr %record, ptr %base, i64 %stride, i64 %first, ptr %mask, i64 %binding, i64 %words)
    noinline cold {
entry:
  br label %word
word:
  %w = phi i64 [ 0, %entry ], [ %w_next, %next ]
  %lanes_at = getelementptr i64, ptr %mask, i64 %w
  %lanes = load i64, ptr %lanes_at, align 8
  %none = icmp eq i64 %lanes, 0
  br i1 %none, label %next, label %some
some:
  %before = shl i64 %w, 6
  %from = add i64 %first, %before
  call void @note(ptr %record, ptr %base, i64 %stride, i64 %from, i64 %lanes, i64 %binding,
                  i64 %words)
  br label %next
next:
  %w_next = add i64 %w, 1
  %over = icmp eq i64 %w_next, 8
  br i1 %over, label %done, label %word
done:
  ret void
}
"""
