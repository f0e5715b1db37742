"""What must be true of the designs, beyond what their YAML files expect."""

import specmodel
from specmodel import assert_holds, assert_violated


def test_memory_is_enough_however_often_it_is_sent() -> None:
    """The bank's memory does not depend on how many times a request comes."""
    assert_holds("models/transfer.yaml", sendings=3)


def test_a_single_request_is_paid_twice() -> None:
    """No second customer is needed for it: the request is sent and paid, and both again."""
    trace = assert_violated("models/transfer-naive.yaml", "paid_once", length=5, requests=1)
    assert trace is not None
    assert [step.action for step in trace.steps] == ["send", "pay", "send", "pay"]


def test_who_sends_once_pays_once() -> None:
    """It takes a request that is sent again."""
    design = specmodel.load("models/transfer-naive.yaml", sendings=1)
    assert_holds(design, "paid_once")
