"""Translates machine Python to LLVM IR text.

Locals become stack slots that LLVM's passes turn into registers, so the translation is a plain walk
over the syntax tree. Functions that others call are inlined into them; only the entries can be
called from outside.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from specmodel.machine import operations
from specmodel.machine.language import StructureField, is_machine, is_module, is_structure, signed
from specmodel.machine.operations import BOOL, I64, PTR, VOID, Kind, Pointer, name_of
from specmodel.machine.signatures import MachineError, signature
from specmodel.syntax import parsed

OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "shl",
    ast.RShift: "ashr",
}
COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "slt",
    ast.LtE: "sle",
    ast.Gt: "sgt",
    ast.GtE: "sge",
}
ATTRIBUTES = 'nounwind "no-builtins"'
"""No exceptions, and no loop replaced by a library call, which an image cannot have."""

Value = tuple[str, Kind]
"""An operand as IR text, and its type."""


def translate(entries: Sequence[Callable[..., Any]], constants: Mapping[str, int]) -> str:
    """The IR of a module in which `entries` can be called from outside, and all functions that they
    call.

    `constants` replace module-level names, so that one source can be specialised. Raises
    MachineError.
    """
    exported = [entry.__name__ for entry in entries]
    waiting: list[Callable[..., Any]] = list(entries)
    done: dict[str, str] = {}
    while waiting:
        function = waiting.pop(0)
        if function.__name__ in done:
            continue
        body = _FunctionTranslation(function, constants, function.__name__ in exported)
        done[function.__name__] = body.text()
        waiting += body.callees
    return "\n".join([operations.DEFINITIONS, *done.values()])


def declaration(function: Callable[..., Any]) -> str:
    """The line with which a module declares an entry of another module. Raises MachineError."""
    return _FunctionTranslation(function, {}, exported=True).declaration()


class _FunctionTranslation:
    """The translation of one function."""

    def __init__(
        self, function: Callable[..., Any], constants: Mapping[str, int], exported: bool
    ) -> None:
        self.file = inspect.getsourcefile(function) or "?"
        lines, self.first_line = inspect.getsourcelines(function)
        tree = parsed(textwrap.dedent("".join(lines))).body[0]
        assert isinstance(tree, ast.FunctionDef)
        self.tree = tree
        self.globals: dict[str, Any] = function.__globals__
        self.constants = constants
        self.exported = exported
        self.callees: list[Callable[..., Any]] = []
        self.locals: dict[str, Kind] = {}
        self.slots: list[str] = []
        self.lines: list[str] = []
        self.loops: list[tuple[str, str]] = []
        self.block = "entry"
        self.fresh = 0

    def text(self) -> str:
        """The definition of the function."""
        parameters, self.returns = signature(self.tree, self.globals, self.wrong)
        for name, kind in parameters:
            self._slot(name, kind, self.tree)
            self._line(f"store {kind} %{name}.in, ptr %{name}, align 8")
        self._statements(self.tree.body)
        if self.returns == VOID:
            self._line("ret void")
        else:
            self._line("unreachable")
        header = ", ".join(f"{kind} %{name}.in" for name, kind in parameters)
        linkage, inline = ("", "") if self.exported else ("internal ", "alwaysinline ")
        attributes = inline + ATTRIBUTES
        return "\n".join(
            [
                f"define {linkage}{self.returns} @{self.tree.name}({header}) {attributes} {{",
                "entry:",
                *self.slots,
                *self.lines,
                "}\n",
            ]
        )

    def declaration(self) -> str:
        """The declaration of the function, for other modules."""
        parameters, returns = signature(self.tree, self.globals, self.wrong)
        kinds = ", ".join(str(kind) for _, kind in parameters)
        return f"declare {returns} @{self.tree.name}({kinds})\n"

    def wrong(self, node: ast.AST, message: str) -> MachineError:
        """The error to raise at a place."""
        line = self.first_line + getattr(node, "lineno", 1) - 1
        return MachineError(f"{self.file}:{line}: {message}")

    # Writing

    def _new(self, text: str) -> str:
        self.fresh += 1
        self.lines.append(f"  %.{self.fresh} = {text}")
        return f"%.{self.fresh}"

    def _line(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def _label(self) -> str:
        self.fresh += 1
        return f"b{self.fresh}"

    def _start(self, label: str, fall: bool = True) -> None:
        """Starts a basic block; the block before falls into it unless it has ended."""
        if fall:
            self._line(f"br label %{label}")
        self.lines.append(f"{label}:")
        self.block = label

    def _end(self, text: str) -> None:
        """Ends a basic block; the code after it cannot be reached."""
        self._line(text)
        self._start(self._label(), fall=False)

    def _slot(self, name: str, kind: Kind, node: ast.AST) -> None:
        known = self.locals.setdefault(name, kind)
        if known != kind:
            raise self.wrong(node, f"`{name}` is {name_of(known)} and cannot hold {name_of(kind)}")
        slot = f"  %{name} = alloca {kind}, align 8"
        if slot not in self.slots:
            self.slots.append(slot)

    # Statements

    def _statements(self, body: Sequence[ast.stmt]) -> None:
        for statement in body:
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr(value=ast.Constant(value=str())) | ast.Pass():
                pass
            case ast.Expr(value=ast.Call() as called):
                self._call(called)
            case ast.Assign(targets=[target]):
                self._assign(target, self._value(node.value))
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._assign(target, self._value(value))
            case ast.AugAssign(target=target, op=op, value=value):
                left = self._value(ast.copy_location(_loading(target), target))
                self._assign(target, self._operate(node, op, left, self._value(value)))
            case ast.If():
                self._if(node)
            case ast.While(orelse=[]):
                self._while(node)
            case ast.For(target=ast.Name(id=name), orelse=[]):
                self._for(node, name)
            case ast.Break() | ast.Continue():
                if not self.loops:
                    raise self.wrong(node, "outside a loop")
                after, again = self.loops[-1]
                self._end(f"br label %{after if isinstance(node, ast.Break) else again}")
            case ast.Return(value=None):
                self._end("ret void")
            case ast.Return(value=ast.expr() as value):
                self._end(f"ret {self.returns} {self._as(self._value(value), self.returns, node)}")
            case _:
                raise self.wrong(node, f"machine Python has no {type(node).__name__} like this")

    def _assign(self, target: ast.expr, value: Value) -> None:
        match target:
            case ast.Name(id=name):
                kind = self.locals.get(name, value[1])
                self._slot(name, kind, target)
                self._line(f"store {kind} {self._as(value, kind, target)}, ptr %{name}, align 8")
            case ast.Subscript() | ast.Attribute():
                word = self._as(value, I64, target)
                self._line(f"store i64 {word}, ptr {self._place(target)}, align 8")
            case _:
                raise self.wrong(target, "assign to a name, to p[i] or to a field")

    def _if(self, node: ast.If) -> None:
        then, otherwise, after = self._label(), self._label(), self._label()
        self._branch(node.test, then, otherwise)
        self._start(then, fall=False)
        self._statements(node.body)
        self._line(f"br label %{after}")
        self._start(otherwise, fall=False)
        self._statements(node.orelse)
        self._start(after)

    def _while(self, node: ast.While) -> None:
        head, body, after = self._label(), self._label(), self._label()
        self._start(head)
        self._branch(node.test, body, after)
        self._start(body, fall=False)
        self.loops.append((after, head))
        self._statements(node.body)
        self.loops.pop()
        self._line(f"br label %{head}")
        self._start(after, fall=False)

    def _for(self, node: ast.For, name: str) -> None:
        match node.iter:
            case ast.Call(func=ast.Name(id="range"), args=arguments, keywords=[]):
                pass
            case ast.Call(func=ast.Name(id="unrolled"), args=[count], keywords=[]):
                self._unroll(node, name, self._as(self._value(count), I64, count))
                return
            case _:
                raise self.wrong(node, "a for loop goes over range(...)")
        values = [self._as(self._value(a), I64, a) for a in arguments]
        start, stop = ("0", values[0]) if len(values) == 1 else (values[0], values[1])
        step = values[2] if len(values) == 3 else "1"
        if not step.isdigit() or step == "0":
            raise self.wrong(node, "the step of a range is a positive constant")
        counter = f"{name}.{self.fresh}"
        self._slot(counter, I64, node)
        self._slot(name, I64, node)
        head, body, again, after = (self._label() for _ in range(4))
        self._line(f"store i64 {start}, ptr %{counter}, align 8")
        self._start(head)
        now = self._new(f"load i64, ptr %{counter}, align 8")
        more = self._new(f"icmp slt i64 {now}, {stop}")
        self._line(f"br i1 {more}, label %{body}, label %{after}")
        self._start(body, fall=False)
        self._line(f"store i64 {now}, ptr %{name}, align 8")
        self.loops.append((after, again))
        self._statements(node.body)
        self.loops.pop()
        self._start(again)
        following = self._new(f"add nsw i64 {now}, {step}")
        self._line(f"store i64 {following}, ptr %{counter}, align 8")
        self._line(f"br label %{head}")
        self._start(after, fall=False)

    def _unroll(self, node: ast.For, name: str, count: str) -> None:
        leaving = any(isinstance(one, ast.Break | ast.Continue) for one in ast.walk(node))
        if leaving or not count.isdigit():
            raise self.wrong(node, "unrolled(...) takes a constant, without break and continue")
        self._slot(name, I64, node)
        for value in range(int(count)):
            self._line(f"store i64 {value}, ptr %{name}, align 8")
            self._statements(node.body)

    # Expressions

    def _as(self, value: Value, kind: Kind, node: ast.AST) -> str:
        text, found = value
        if found == kind:
            return text
        if (found, kind) == (BOOL, I64):
            return self._new(f"zext i1 {text} to i64")
        if (found, kind) == (I64, BOOL):
            return self._new(f"icmp ne i64 {text}, 0")
        raise self.wrong(node, f"{name_of(found)} where {name_of(kind)} is wanted")

    def _branch(self, test: ast.expr, then: str, otherwise: str) -> None:
        """Jumps by a condition; and, or and not evaluate no more than Python does."""
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                self._branch(operand, otherwise, then)
            case ast.BoolOp(op=op, values=values):
                for value in values[:-1]:
                    more = self._label()
                    if isinstance(op, ast.And):
                        self._branch(value, more, otherwise)
                    else:
                        self._branch(value, then, more)
                    self._start(more, fall=False)
                self._branch(values[-1], then, otherwise)
            case _:
                condition = self._as(self._value(test), BOOL, test)
                self._line(f"br i1 {condition}, label %{then}, label %{otherwise}")

    def _value(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant(value=bool() as value):
                return ("true" if value else "false", BOOL)
            case ast.Constant(value=int() as value):
                return (str(signed(value)), I64)
            case ast.Attribute(value=value) if not self._is_constant(value):
                place, field = self._field(node)
                if field.count:
                    return (place, PTR)
                return (self._new(f"load i64, ptr {place}, align 8"), I64)
            case ast.Name() | ast.Attribute():
                return self._name(node)
            case ast.BinOp(left=left, op=op, right=right):
                return self._operate(node, op, self._value(left), self._value(right))
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)):
                return (str(signed(-value)), I64)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return (self._new(f"sub i64 0, {self._as(self._value(operand), I64, node)}"), I64)
            case ast.UnaryOp(op=ast.Invert(), operand=operand):
                return (self._new(f"xor i64 {self._as(self._value(operand), I64, node)}, -1"), I64)
            case ast.UnaryOp(op=ast.Not()) | ast.BoolOp():
                return self._choice(node, ast.Constant(True), ast.Constant(False))
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self._choice(test, body, orelse)
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return self._compare(node, op, self._value(left), self._value(right))
            case ast.Subscript():
                return (self._new(f"load i64, ptr {self._place(node)}, align 8"), I64)
            case ast.Call():
                value = self._call(node)
                if value[1] == VOID:
                    raise self.wrong(node, "this call gives no value")
                return value
            case _:
                raise self.wrong(node, f"machine Python has no {type(node).__name__} like this")

    def _name(self, node: ast.Name | ast.Attribute) -> Value:
        """The value of a local, or a constant: of this module, of another, or of a structure."""
        name = ast.unparse(node)
        if name in self.locals:
            kind = self.locals[name]
            return (self._new(f"load {kind}, ptr %{name}, align 8"), kind)
        module, _, constant = name.rpartition(".")
        known = self.globals.get(module)
        held = vars(known) if is_module(known) or is_structure(known) else self.globals
        value = self.constants.get(name, held.get(constant))
        if isinstance(value, int):
            return (str(signed(value)), I64)
        raise self.wrong(
            node, f"`{name}` is no local assigned above and no integer constant of the module"
        )

    def _operate(self, node: ast.AST, op: ast.operator, left: Value, right: Value) -> Value:
        if left[1] == PTR and isinstance(op, ast.Add):
            words = self._as(right, I64, node)
            return (self._new(f"getelementptr i64, ptr {left[0]}, i64 {words}"), PTR)
        name = OPERATORS.get(type(op))
        if name is None:
            raise self.wrong(node, f"machine Python has no operator {type(op).__name__}")
        if left[1] == right[1] == BOOL and name in ("and", "or", "xor"):
            return (self._new(f"{name} i1 {left[0]}, {right[0]}"), BOOL)
        a, b = self._as(left, I64, node), self._as(right, I64, node)
        return (self._new(f"{name} i64 {a}, {b}"), I64)

    def _compare(self, node: ast.AST, op: ast.cmpop, left: Value, right: Value) -> Value:
        name = COMPARISONS.get(type(op))
        if name is None:
            raise self.wrong(node, f"machine Python has no comparison {type(op).__name__}")
        a, b = self._as(left, I64, node), self._as(right, I64, node)
        return (self._new(f"icmp {name} i64 {a}, {b}"), BOOL)

    def _choice(self, test: ast.expr, body: ast.expr, orelse: ast.expr) -> Value:
        then, otherwise, after = self._label(), self._label(), self._label()
        self._branch(test, then, otherwise)
        self._start(then, fall=False)
        yes = self._value(body)
        yes_block = self.block
        self._line(f"br label %{after}")
        self._start(otherwise, fall=False)
        no = self._value(orelse)
        if no[1] != yes[1]:
            kinds = name_of(yes[1]), name_of(no[1])
            raise self.wrong(test, "one branch is {}, the other {}".format(*kinds))
        no_block = self.block
        self._start(after)
        phi = f"phi {yes[1]} [ {yes[0]}, %{yes_block} ], [ {no[0]}, %{no_block} ]"
        return (self._new(phi), yes[1])

    # Memory

    def _place(self, node: ast.expr) -> str:
        """The pointer to the word of `p[i]` or of a field."""
        match node:
            case ast.Subscript(value=value, slice=index):
                base = self._as(self._value(value), PTR, node)
                offset = self._as(self._value(index), I64, node)
                return self._new(f"getelementptr i64, ptr {base}, i64 {offset}")
            case ast.Attribute():
                place, field = self._field(node)
                if not field.count:
                    return place
                raise self.wrong(node, f"`{ast.unparse(node)}` is a buffer, not a word")
            case _:
                raise self.wrong(node, f"`{ast.unparse(node)}` is no p[i] and no field")

    def _is_constant(self, owner: ast.expr) -> bool:
        """Whether attributes of an expression are constants: those of a module or class are."""
        return isinstance(owner, ast.Name) and owner.id not in self.locals

    def _field(self, node: ast.Attribute) -> tuple[str, StructureField]:
        """The pointer to a field of a structure, and its place in the structure."""
        base, kind = self._value(node.value)
        if not isinstance(kind, Pointer):
            raise self.wrong(node, f"`{ast.unparse(node.value)}` is {kind}, which has no fields")
        field = kind.to.fields.get(node.attr)
        if field is None:
            raise self.wrong(node, f"{name_of(kind)} has no field `{node.attr}`")
        return self._new(f"getelementptr i64, ptr {base}, i64 {field.offset}"), field

    # Calls

    def _call(self, node: ast.Call) -> Value:
        if not isinstance(node.func, ast.Name) or node.keywords:
            raise self.wrong(node, "call a function by its name, with positional arguments")
        name = node.func.id
        if name == "pointer" and len(node.args) == 1:
            return (self._place(node.args[0]), PTR)
        arguments = [self._value(a) for a in node.args]
        target = self.globals.get(name)
        if is_structure(target) and len(arguments) == 1:
            text, kind = arguments[0]
            if kind != PTR:
                text = self._new(f"inttoptr i64 {self._as((text, kind), I64, node)} to ptr")
            return (text, Pointer(target))
        if target is not None and is_machine(target):
            return self._call_machine(node, target, arguments)
        if name == "call" and arguments:
            return self._call_address(node, arguments)
        operation = operations.OPERATIONS.get(name)
        if operation is None or len(operation.takes) != len(arguments):
            raise self.wrong(node, f"machine Python has no {name}() of {len(arguments)} arguments")
        if name == "address" and isinstance(arguments[0][1], Pointer):
            arguments = [(arguments[0][0], PTR)]
        pairs = zip(operation.takes, arguments, strict=True)
        operands = [self._as(value, kind, node) for kind, value in pairs]
        return self._result(operation.instruction.format(*operands), operation.gives)

    def _call_machine(
        self, node: ast.Call, target: Callable[..., Any], arguments: list[Value]
    ) -> Value:
        self.callees.append(target)
        tree = parsed(textwrap.dedent(inspect.getsource(target))).body[0]
        assert isinstance(tree, ast.FunctionDef)
        parameters, returns = signature(tree, target.__globals__, self.wrong)
        if len(parameters) != len(arguments):
            raise self.wrong(
                node, f"{tree.name}() takes {len(parameters)} arguments, not {len(arguments)}"
            )
        pairs = zip(parameters, arguments, strict=True)
        passed = ", ".join(f"{kind} {self._as(value, kind, node)}" for (_, kind), value in pairs)
        return self._result(f"call {returns} @{tree.name}({passed})", returns)

    def _result(self, instruction: str, kind: Kind) -> Value:
        """The result of an instruction, if it has any."""
        if kind != VOID:
            return (self._new(instruction), kind)
        self._line(instruction)
        return ("", VOID)

    def _call_address(self, node: ast.Call, arguments: list[Value]) -> Value:
        function = self._new(f"inttoptr i64 {self._as(arguments[0], I64, node)} to ptr")
        passed = ", ".join(f"{kind} {text}" for text, kind in arguments[1:])
        return (self._new(f"call i64 {function}({passed})"), I64)


def _loading(target: ast.expr) -> ast.expr:
    """The expression that reads the target of an augmented assignment."""
    match target:
        case ast.Name(id=name):
            return ast.Name(name, ast.Load())
        case ast.Subscript(value=value, slice=index):
            return ast.Subscript(value, index, ast.Load())
        case ast.Attribute(value=value, attr=name):
            return ast.Attribute(value, name, ast.Load())
        case _:
            return target
