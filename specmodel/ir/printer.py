"""The IR as text, one statement on a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from specmodel.domains import Domain, OptionDomain, SetDomain, StructDomain, TupleDomain
from specmodel.domains.shapes import is_set
from specmodel.domains.unions import alternatives_of
from specmodel.ir import nodes as ir

_INFIX = {
    *("+", "-", "*", "//", "%", "==", "!=", "<", "<=", ">", ">=", "in", "and", "or"),
    *("|", "&", "^", "without", "plus", "minus"),
}


def render(model: ir.Lowered) -> str:
    """A model's IR as text."""
    return "\n".join(_model(model)) + "\n"


def _model(model: ir.Lowered) -> Iterator[str]:
    for struct in _structs(model.state, *model.abstract):
        yield f"struct {struct.name}"
        yield from (f"  {name}: {domain}" for name, domain in struct.fields.items())
        yield ""
    for function in model.helpers.values():
        yield from _function("function", function)
    for function in model.actions.values():
        yield from _function("action", function)
    for name, (kind, function) in model.properties.items():
        if name in model.antecedents:
            yield from _function(f"antecedent of {name}:", model.antecedents[name])
        yield from _function(kind, function)
    for function in model.constraints.values():
        yield from _function("constraint", function)


def _structs(*domains: Domain) -> list[StructDomain]:
    """The structs within domains; a struct comes after the structs within it."""
    found: dict[str, StructDomain] = {}

    def visit(part: Domain) -> None:
        for inner in part.parts:
            visit(inner)
        if isinstance(part, StructDomain):
            found.setdefault(part.name, part)

    for domain in domains:
        visit(domain)
    return list(found.values())


def _function(kind: str, function: ir.Function) -> Iterator[str]:
    parameters = ", ".join(f"{n}: {_type(d)}" for n, d in function.parameters.items())
    result = f" -> {_type(function.result)}" if function.result else ""
    yield f"{kind} {function.name}({parameters}){result}"
    yield from _block(function.body, "  ")
    yield ""


def _type(domain: Domain) -> str:
    return "int" if domain == ir.INT else str(domain)


def _block(statements: Iterable[ir.Statement], indent: str) -> Iterator[str]:
    for statement in statements:
        yield from _statement(statement, indent)


def _statement(statement: ir.Statement, indent: str) -> Iterator[str]:
    deeper = indent + "  "
    if isinstance(statement, ir.Require):
        yield f"{indent}require {term(statement.condition)}"
    elif isinstance(statement, ir.Bind):
        yield f"{indent}let {_name(statement.name)} = {term(statement.value)}"
    elif isinstance(statement, ir.Store):
        yield f"{indent}{term(statement.target)} := {term(statement.value)}"
    elif isinstance(statement, ir.If):
        yield f"{indent}if {term(statement.condition)}"
        yield from _block(statement.then, deeper)
        if statement.other:
            yield f"{indent}else"
            yield from _block(statement.other, deeper)
    elif isinstance(statement, ir.For):
        held = statement.generator.condition
        kept = f"while {term(held)}" if held else f"for {_generator(statement.generator)}"
        yield f"{indent}{kept}"
        yield from _block(statement.body, deeper)
    elif isinstance(statement, ir.Perform):
        yield f"{indent}do {term(statement.call)}"
    elif isinstance(statement, ir.Return):
        yield f"{indent}return {term(statement.value)}" if statement.value else f"{indent}return"
    elif isinstance(statement, ir.Refine):
        states = f"{term(statement.before)}, {term(statement.after)}"
        yield f"{indent}return step({states}) of {', '.join(statement.actions)}"
    elif isinstance(statement, ir.Leave):
        yield indent + ("continue" if statement.again else "break")


def term(node: ir.Term) -> str:
    """A term as text."""
    if isinstance(node, ir.Constant):
        return _constant(node.value)
    if isinstance(node, ir.Name):
        return _name(node.name)
    if isinstance(node, ir.Get):
        return f"{term(node.base)}.{node.name}"
    if isinstance(node, ir.At):
        return f"{term(node.base)}[{term(node.key)}]"
    if isinstance(node, ir.Slice):
        low = term(node.low) if node.low else ""
        high = term(node.high) if node.high else ""
        return f"{term(node.base)}[{low}:{high}]"
    if isinstance(node, ir.Choose):
        return f"({term(node.condition)} ? {term(node.then)} : {term(node.other)})"
    if isinstance(node, ir.Make):
        items = ", ".join(map(term, node.items))
        if isinstance(node.type, StructDomain):
            return f"{node.type.name}({items})"
        if isinstance(node.type, TupleDomain):
            return f"({items})"
        return f"{{{items}}}" if isinstance(node.type, SetDomain) else f"[{items}]"
    if isinstance(node, ir.Call):
        return f"{node.function}({', '.join(map(term, node.args))})"
    if isinstance(node, ir.Each):
        over = ", ".join(_generator(g) for g in node.generators)
        default = f" default {term(node.default)}" if node.default else ""
        key = f" by {node.key.name}: {', '.join(map(term, node.key.terms))}" if node.key else ""
        return f"{node.kind}({term(node.body)} for {over}{key}{default})"
    assert isinstance(node, ir.Apply)
    if node.op == "is":
        return _isinstance(node)
    if node.op in _INFIX and len(node.args) > 1:
        return f"({f' {node.op} '.join(map(term, node.args))})"
    return f"{node.op}({', '.join(map(term, node.args))})"


def _isinstance(node: ir.Apply) -> str:
    """The test of whether a value is of one of some alternatives, or, as -1, is None."""
    value, *tags = node.args
    held = value.type.inner if isinstance(value.type, OptionDomain) else value.type
    parts = alternatives_of(held)
    numbers: list[int] = [tag.value for tag in tags if isinstance(tag, ir.Constant)]
    names = [str(parts[number]) if number >= 0 else "None" for number in numbers]
    return f"isinstance({term(value)}, {' | '.join(names)})"


def _generator(generator: ir.Generator) -> str:
    names = ", ".join(map(_name, generator.names))
    source, terms = generator.source, [term(t) for t in generator.source.terms]
    if source.kind == "domain":
        over = str(source.domain)
    elif source.kind == "range":
        over = f"{terms[0]}..<{terms[1]}"
    else:
        over = terms[0] if source.kind == "elements" else f"{source.kind}({terms[0]})"
    condition = f" if {term(generator.condition)}" if generator.condition else ""
    return f"{names} in {over}{condition}"


def _constant(value: object) -> str:
    if is_set(value):
        return "{" + ", ".join(sorted(map(_constant, value))) + "}"
    return str(getattr(value, "name", value)) if not isinstance(value, int) else str(value)


def _name(name: str) -> str:
    """A name as text; the names that lowering makes up contain blanks."""
    return name.replace(" of assignment ", "@").replace(" of match ", "@")


def source_text(node: ir.Term) -> str:
    """The source of a term on one line; the text of its IR if it has no source."""
    quoted = node.span.text() if node.span else ""
    return " ".join(quoted.split()) or term(node)
