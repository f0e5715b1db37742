"""Messages for methods that sets, bags, maps and lists do not have in a spec, with hints."""

from __future__ import annotations

import ast

from specmodel.domains import (
    BagDomain,
    Domain,
    MapDomain,
    SeqDomain,
    SetDomain,
    SparseMapDomain,
    StructDomain,
)

_SETS = {
    "add": "write {owner} |= {{{arguments}}}",
    "remove": "write {owner} -= {{{arguments}}}",
    "discard": "write {owner} -= {{{arguments}}}",
    "update": "write {owner} |= {arguments}",
    "difference_update": "write {owner} -= {arguments}",
    "intersection_update": "write {owner} &= {arguments}",
    "symmetric_difference_update": "write {owner} ^= {arguments}",
    "clear": "write {owner} = set()",
    "pop": "which member is taken is a choice: make it a parameter of the action",
    "copy": "a set is a value: write {owner} itself",
    "": "sets have | & - ^, in, ==, <=, and the methods union, intersection, difference",
}

_BAGS = {
    **dict.fromkeys(("add", "append"), "write {owner} += {{{arguments}}}"),
    **dict.fromkeys(("remove", "discard"), "write {owner} -= {{{arguments}}}"),
    "update": "write {owner} += {arguments}",
    "subtract": "write {owner} -= {arguments}",
    "clear": "write {owner} = Bag()",
    "count": "write {owner}[{arguments}]",
    "items": "loop over it, and write {owner}[x] for the count of a member",
    "elements": "loop over it, and write {owner}[x] for the count of a member",
    "pop": "which member is taken is a choice: write x = pick({owner}), then {owner} -= {{x}}",
    "copy": "a bag is a value: write {owner} itself",
    "": "bags have + and -, in, ==, b[x], and len",
}

_SPARSE_MAPS = {
    **dict.fromkeys(("update", "setdefault"), "write {owner}[key] = value"),
    **dict.fromkeys(("pop", "popitem"), "read {owner}[key], then write del {owner}[key]"),
    "clear": "it is a statement of its own",
    "copy": "store {owner} itself, which copies it",
    "keys": "loop over it: for key in {owner}",
    "items": "it stands after `in`: for key, value in {owner}.items()",
    "values": "it stands after `in`: for value in {owner}.values()",
    "": "such maps have m[key], del m[key], get, clear, and keys(), values(), items() after `in`",
}

_MAPS = {
    "get": "a map has every key: write {owner}[{arguments}]",
    "update": "write {owner}[key] = value for each key",
    "setdefault": "a map has every key: write {owner}[key]",
    "pop": "a map has every key: store a value that means absent",
    "popitem": "a map has every key: store a value that means absent",
    "clear": "write a loop over the keys, or {{key: value for key in Domain}}",
    "keys": "loop over it: for key in {owner}",
    "items": "it stands after `in`: for key, value in {owner}.items()",
    "values": "it stands after `in`: for value in {owner}.values()",
    "": "maps have m[key], and keys(), values() and items() after `in`",
}

_LISTS = {
    "append": "it is a statement of its own",
    "extend": "it is a statement of its own",
    "clear": "it is a statement of its own",
    "pop": "read {owner}[-1], then write del {owner}[len({owner}) - 1 :]",
    "remove": "write {owner} = [x for x in {owner} if x != {arguments}], which removes all of them",
    "insert": "build the new list with + and store it",
    "index": "loop with enumerate: for position, x in enumerate({owner})",
    "count": "write sum(x == {arguments} for x in {owner})",
    "copy": "write list({owner})",
    "sort": "let the actions keep the order",
    "reverse": "build the new list and store it",
    "": "lists have append, extend, clear, and del x[n:]",
}


def refusal(node: ast.Call, kind: Domain) -> tuple[str, str]:
    """The message and the hint for a call of a method that values of a type do not have."""
    assert isinstance(node.func, ast.Attribute)
    name, owner = node.func.attr, ast.unparse(node.func.value)
    arguments = ", ".join(map(ast.unparse, node.args[:1])) or "x"
    if isinstance(kind, SetDomain):
        what, known = "a set", _SETS
    elif isinstance(kind, BagDomain):
        what, known = "a bag", _BAGS
    elif isinstance(kind, SparseMapDomain):
        what, known = "a map with a capacity", _SPARSE_MAPS
    elif isinstance(kind, MapDomain):
        what, known = "a map", _MAPS
    elif isinstance(kind, SeqDomain):
        what, known = "a list", _LISTS
    else:
        what = kind.name if isinstance(kind, StructDomain) else "this value"
        return f"{what} has no methods in a spec", "call a function at the top of the module"
    said = "is a statement" if "of its own" in known.get(name, "") else ""
    told = known.get(name, known[""]).format(owner=owner, arguments=arguments)
    return f"{name} of {what} {said}, not a value" if said else f"{what} has no {name} here", told
