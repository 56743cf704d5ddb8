"""How large one GraphQL operation may be: GMS's defaults, so that a client too greedy for a real server fails here too.

Complexity is one per selected field, wherever a fragment brings it in; the sizes of lists do not count.
"""

from __future__ import annotations

from graphql import DocumentNode, FieldNode, FragmentDefinitionNode, FragmentSpreadNode, OperationDefinitionNode
from graphql.language import SelectionSetNode

MAX_COMPLEXITY = 2000
MAX_DEPTH = 50


def find_excess(document: DocumentNode) -> str | None:
    """Why a (valid) document is too large, None when it is not."""
    fragments = {one.name.value: one for one in document.definitions if isinstance(one, FragmentDefinitionNode)}
    for operation in document.definitions:
        if isinstance(operation, OperationDefinitionNode):
            count, depth = _measure(operation.selection_set, fragments, {})
            if count > MAX_COMPLEXITY:
                return f"maximum query complexity exceeded {count} > {MAX_COMPLEXITY}"
            if depth > MAX_DEPTH:
                return f"maximum query depth exceeded {depth} > {MAX_DEPTH}"
    return None


def _measure(
    selections: SelectionSetNode | None,
    fragments: dict[str, FragmentDefinitionNode],
    measured: dict[str, tuple[int, int]],
) -> tuple[int, int]:
    """(fields, depth) of a selection; each fragment is measured once, so that nested spreads cost nothing."""
    count = depth = 0
    for node in selections.selections if selections else ():
        if isinstance(node, FragmentSpreadNode):
            name = node.name.value
            if name not in measured:
                measured[name] = _measure(fragments[name].selection_set, fragments, measured)
            inner = measured[name]
        else:
            inner = _measure(getattr(node, "selection_set", None), fragments, measured)
            if isinstance(node, FieldNode):
                inner = (inner[0] + 1, inner[1] + 1)
        count, depth = count + inner[0], max(depth, inner[1])
    return count, depth
