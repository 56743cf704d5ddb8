"""A template's tree with filters of ours around what loops go over, what is compared, put together and captured.

The sandbox counts and checks there; Jinja itself offers no place to do so.
"""

from __future__ import annotations

from typing import cast

from jinja2 import nodes
from jinja2.visitor import NodeTransformer


class Watch(NodeTransformer):
    """Wraps what a loop goes over, what is compared, what is put together and what is captured in filters of ours."""

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802 - Jinja's naming
        self.generic_visit(node)
        node.iter = _filtered(
            cast("nodes.Expr", node.iter), "zz_each", of=_count(node.target)
        )  # goes over an expression
        return node

    def visit_Assign(self, node: nodes.Assign) -> nodes.Node:  # noqa: N802
        self.generic_visit(node)
        if isinstance(node.target, nodes.Tuple):
            node.node = _filtered(cast("nodes.Expr", node.node), "zz_spread", of=_count(node.target))
        return node

    def visit_Compare(self, node: nodes.Compare) -> nodes.Node:  # noqa: N802
        self.generic_visit(node)
        node.expr = _compared(node.expr)
        for operand in node.ops:
            operand.expr = _compared(operand.expr)
        return node

    def visit_Test(self, node: nodes.Test) -> nodes.Node:  # noqa: N802
        self.generic_visit(node)
        if node.name not in ("defined", "undefined"):  # those ask about the name, not about the value
            node.node = _compared(node.node)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802
        self.generic_visit(node)
        node.nodes = [part if isinstance(part, nodes.Const) else _filtered(part, "zz_written") for part in node.nodes]
        return _filtered(node, "zz_bounded")

    def visit_AssignBlock(self, node: nodes.AssignBlock) -> nodes.Node:  # noqa: N802
        self.generic_visit(node)
        node.filter = _filtered(node.filter, "zz_bounded", node.lineno)
        return node


def _compared(node: nodes.Expr) -> nodes.Expr:
    return node if isinstance(node, nodes.Const) else _filtered(node, "zz_plain")


def _count(target: nodes.Node) -> int:
    """How many names take their values from one; 0 where one name takes it whole."""
    return len(target.items) if isinstance(target, nodes.Tuple) else 0


def _filtered(node: nodes.Expr | None, name: str, line: int = 0, *, of: int = 0) -> nodes.Filter:
    args: list[nodes.Expr] = [nodes.Const(of)] if of else []
    return nodes.Filter(node, name, args, [], None, None, lineno=node.lineno if node is not None else line)
