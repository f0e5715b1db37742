"""Modules and configurations with one mistake each, of which TLC says that they are wrong too.

`SYNTAX` is found when a module is read, `VALUES` when an expression is evaluated: the text is put
in place of the initial predicate or of the action of a small module. `UNUSED` are definitions that
no search needs.
"""

from __future__ import annotations

FRAME = """---- MODULE M ----
EXTENDS Integers, Sequences, FiniteSets, TLC
CONSTANTS A_one, B_two
VARIABLES x, y
Init == {init}
Next == {next}
{more}
====
"""

CONFIGURATION = "CONSTANTS A_one = A_one\nB_two = B_two\nINIT Init\nNEXT Next\n"

START, STEP = "x = 0 /\\ y = 0", "x' = 1 - x /\\ y' = y"

SYNTAX = {
    "two conjunctions without an order": ("x = 0 /\\ y = 0 \\/ y = 1", "side by side"),
    "no meaning": ("x = Zero /\\ y = 0", "Zero has no meaning here"),
    "a name that is nearly right": ("x = Cardinalty({}) /\\ y = 0", 'did you mean "Cardinality"'),
    "too many arguments": ("x = Len(<<1>>, 2) /\\ y = 0", "Len takes 1 argument"),
    "too few arguments": ("x = Cardinality /\\ y = 0", "Cardinality takes 1 argument"),
    "a bound name that is taken": ("\\E y \\in {1} : x = y", "y has a meaning here already"),
    "a prime over a prime": ("(x' = 0)' /\\ y = 0", "a prime stands within a prime"),
    "an operator that is no value": ("x = (LAMBDA z : z) /\\ y = 0", "LAMBDA"),
    "a field twice": ("x = [f |-> 1, f |-> 2] /\\ y = 0", "given twice"),
    "@ alone": ("x = @ /\\ y = 0", "@ stands outside of an EXCEPT"),
    "a number that is too long": ("x = 4294967296 /\\ y = 0", "32 bits"),
    "no set": ("\\E z : x = z /\\ y = 0", "without a set"),
    "not closed": ("x = (0 /\\ y = 0", "this is not TLA+"),
    "an unknown instance": ("Other!Init", "Other has no meaning here"),
}

UNUSED = {
    "no meaning": ("Unused == x + zz", "zz has no meaning here"),
    "below": ("Unused == Below\nBelow == 1", "Below is used before it is defined"),
    "in a bound": ("Unused == {z \\in {z} : z = z}", "z has no meaning here"),
    "in a parameter's place": ("One(a) == a + 1\nUnused == One(b)", "b has no meaning here"),
    "in an EXCEPT": ("Unused == [x EXCEPT ![zz] = @]", "zz has no meaning here"),
    "in a CASE": ("Unused == CASE x = 1 -> 1 [] OTHER -> zz", "zz has no meaning here"),
    "in a record": ("Unused == [a |-> [b |-> zz]]", "zz has no meaning here"),
    "in a fairness": ("Unused == WF_<<x, zz>>(Next)", "zz has no meaning here"),
    "in a LET": ("Unused == LET one == zz IN 1", "zz has no meaning here"),
    "in a LET's operator": ("Unused == LET One(a) == a + zz IN 1", "zz has no meaning here"),
    "in a function": ("Unused[z \\in 1..2] == Unused[zz]", "zz has no meaning here"),
    "in an argument of an operator": (
        "Twice(F(_), a) == F(F(a))\nUnused == Twice(LAMBDA z : zz, 1)", "zz has no meaning here",
    ),
    "an unknown operator as an argument": (
        "Twice(F(_), a) == F(F(a))\nUnused == Twice(G, 1)", "G has no meaning here",
    ),
    "a parameter that is taken": ("Unused(x) == 1", "x has a meaning here already"),
    "a bound name that is taken": ("Unused == \\A y \\in {1} : TRUE", "y has a meaning here"),
    "too many arguments": ("One(a) == a\nUnused == One(1, 2)", "One takes 1 argument"),
    "too few arguments": ("One(a) == a\nUnused == One", "One takes 1 argument"),
    "a parameter that is called": ("Unused(a) == a(1)", "a takes 0 arguments"),
    "an operator of TLA+": ("Unused == Cardinality(1, 2)", "Cardinality takes 1 argument"),
    "a word of TLA+": ("Unused == \\E FALSE \\in {1} : TRUE", "FALSE cannot be a bound name"),
    "a box of a step": ("Unused == []<<Next>>_x", "not [A]_v"),
    "a diamond of no step": ("Unused == <>[Next]_x", "not <<A>>_v"),
    "an unknown instance": ("Unused == Other!Init", "Other has no meaning here"),
    "an assumption about the state": ("ASSUME x \\in {0}", "this ASSUME depends on the state"),
}  # fmt: skip

VALUES = {
    "an integer and a string": ('x\' = (1 = "a") /\\ y\' = y', "is compared with the string"),
    "a set of two kinds": ('x\' = {1, "a"} /\\ y\' = y', "is compared with"),
    "a set with a pair and a record": (
        "x' = {<<1, 2>>, [a |-> 1, b |-> 2]} /\\ y' = y",
        "is compared with",
    ),
    "a set that differs within": ("x' = {<<1, 2>>, <<0>>, <<1, {}>>} /\\ y' = y", "compared with"),
    "a set of sets of two kinds": ("x' = {{1}, {TRUE}} /\\ y' = y", "is compared with"),
    "a pair among pairs of two kinds": (
        "x' = (<<1, TRUE>> \\in {<<0, 0>>, <<1, 2>>}) /\\ y' = y",
        "is compared with",
    ),
    "equal sets of two kinds": ("x' = ({<<1, 2>>} = {<<1, TRUE>>}) /\\ y' = y", "is compared with"),
    "an update of another kind": ("x' = [<<1>> EXCEPT ![TRUE] = 2] /\\ y' = y", "is no index"),
    "a field of another kind": ("x' = [[a |-> 1] EXCEPT ![1] = 2] /\\ y' = y", "is compared with"),
    "a function of two kinds": ("x' = (1 :> 1 @@ TRUE :> 1) /\\ y' = y", "is compared with"),
    "a record among tuples": ("x' = ([a |-> 1] \\in {1} \\X {2}) /\\ y' = y", "is looked for in"),
    "a tuple among records": ("x' = (<<1>> \\in [a : {1}]) /\\ y' = y", "is looked for in"),
    "a predicate without a truth": ("x' = SelectSeq(<<1>>, LAMBDA z : z) /\\ y' = y", "neither"),
    "a function without an end": (
        "x' = (LET f[i \\in 0..3] == f[i + 1] IN f[2]) /\\ y' = y",
        "4 is not in the function's domain {0, 1, 2, 3}",
    ),
    "model values of two types": ("(A_one = B_two) /\\ UNCHANGED <<x, y>>", "is compared with"),
    "an index beyond a sequence": ("x' = <<1>>[2] /\\ y' = y", "not in the function's domain {1}"),
    "no such field": ("x' = [a |-> 1].b /\\ y' = y", "has no field b"),
    "a division by 0": ("x' = 1 \\div 0 /\\ y' = y", "divided by 0"),
    "0 to the 0": ("x' = 0 ^ 0 /\\ y' = y", "has no value"),
    "an overflow": ("x' = 2147483647 + 1 /\\ y' = y", "32 bits"),
    "a CHOOSE of nothing": ("x' = (CHOOSE z \\in {1} : z > 1) /\\ y' = y", "CHOOSE"),
    "no arm": ("x' = (CASE FALSE -> 1) /\\ y' = y", "no arm of the CASE"),
    "no truth value": ("x' = (1 /\\ TRUE) /\\ y' = y", "neither TRUE nor FALSE"),
    "a condition that is a number": ("IF 1 THEN x' = 1 ELSE x' = 0", "neither TRUE nor FALSE"),
    "a variable without a value": ("x' = 1", "gives y no value"),
    "a value that is used too early": ("y' = x' /\\ x' = 1", "no value in the next state yet"),
    "a tuple with primes": ("<<x, y>>' = <<0, 1>>", "no value in the next state yet"),
    "an infinite set": ("x' \\in Nat /\\ y' = y", "has no end"),
    "the head of nothing": ("x' = Head(<<>>) /\\ y' = y", "Head of the empty sequence"),
    "beyond a sequence": ("x' = SubSeq(<<1>>, 1, 2) /\\ y' = y", "beyond the sequence"),
    "a number that is no function": ("x' = x[1] /\\ y' = y", "is no function"),
    "a number that is no set": ("x' \\in 5 /\\ y' = y", "is no set"),
    "an assertion": ('Assert(FALSE, "no way") /\\ x\' = 1 /\\ y\' = y', "no way"),
    "the left operand decides": (
        "(4 \\div (x - 0) = 4 \\/ x = 0) /\\ UNCHANGED <<x, y>>", "divided by 0",
    ),
    "arithmetic with a string": ('x\' = 1 + "a" /\\ y\' = y', "is no integer"),
    "a pattern that does not fit": ("\\E <<p, q>> \\in {<<1>>} : x' = p", "no tuple of 2"),
    "a string among numbers": ('"a" \\in {1, 2} /\\ UNCHANGED <<x, y>>', "is compared with"),
    "a string in Nat": ('"a" \\in Nat /\\ UNCHANGED <<x, y>>', "is looked for in Nat"),
}  # fmt: skip

CONFIGURATIONS = {
    "an unknown statement": (f"{CONFIGURATION}INVARIANTZ Inv\n", "no statement"),
    "an unknown name": (f"{CONFIGURATION}INVARIANT Inv\n", "M defines no Inv"),
    "no value": ("CONSTANT A_one = 1\nINIT Init\nNEXT Next\n", "the constant B_two has no value"),
    "INIT alone": ("CONSTANTS A_one = 1\nB_two = 1\nINIT Init\n", "INIT without NEXT"),
    "no behaviour": ("CONSTANTS A_one = 1\nB_two = 1\n", "names no behaviour"),
    "a mixed set": (CONFIGURATION.replace("= B_two", '= {1, "a"}'), "is compared with"),
    "a negative number": (CONFIGURATION.replace("= B_two", "= -1"), "no -1 in a configuration"),
    "no end": (f"{CONFIGURATION}INVARIANT (* what", "no end"),
    "an unknown replacement": (CONFIGURATION.replace("= B_two", "<- Two"), "M defines no Two"),
    "a constant that changes": (
        CONFIGURATION.replace("= B_two", "<- Next"), "Next depends on the state",
    ),
    "an unknown constant": (f"{CONFIGURATION}CONSTANT C <- Init\n", "M has no constant C"),
    "a missing value": (CONFIGURATION.replace("= B_two", "="), "a value is needed here"),
    "a view of steps": (f"{CONFIGURATION}VIEW Next\n", "is not an expression of one state"),
}  # fmt: skip


def module(init: str = START, step: str = STEP, more: str = "") -> str:
    """A module with these definitions."""
    return FRAME.format(init=init, next=step, more=more)
