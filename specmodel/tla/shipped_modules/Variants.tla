---- MODULE Variants ----
\* Values with a tag: functions of the tag alone.

UNIT == "U_OF_UNIT"

Variant(tag, held) == [only \in {tag} |-> held]

VariantTag(variant) == CHOOSE tag \in DOMAIN variant : TRUE

VariantFilter(tag, S) == {variant[tag] : variant \in {v \in S : tag \in DOMAIN v}}

VariantGetUnsafe(tag, variant) == variant[tag]

VariantGetOrElse(tag, variant, other) ==
    IF tag \in DOMAIN variant THEN variant[tag] ELSE other
====
