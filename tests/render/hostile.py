"""Templates that try to escape, to spin or to grow. Each stands for a kind; none of them may cost more than its own file."""

from __future__ import annotations

ESCAPES = {
    "class of a string": "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "class by subscript": "{{ ''['__class__'] }}",
    "attr filter": "{{ ''|attr('__class__') }}",
    "globals of a function": "{{ ref.__globals__ }}",
    "globals of a method": "{{ adapter.dispatch.__func__.__globals__ }}",
    "code of a function": "{{ source.__code__ }}",
    "closure of a function": "{{ source.__closure__ }}",
    "self": "{{ self.__init__.__globals__ }}",
    "format": "{{ '{0.__class__.__mro__}'.format(ref) }}",
    "format_map": "{{ '{x.__class__}'.format_map({'x': ref}) }}",
    "map attribute": "{{ [ref]|map(attribute='__globals__')|list }}",
    "groupby attribute": "{{ [ref]|groupby('__class__') }}",
    "undefined class": "{{ nothing.__class__ }}",
    "private member of a stub": "{{ adapter._members }}",
    "private member of a relation": "{{ ref('m')._schema }}",
    "private member of var": "{{ var._session.workspace }}",
    "private member of config": "{{ config._session }}",
    "private member of a macro": "{{ hostile_macro._library }}",
    "generator frame": "{{ ([1]|map('string')).gi_frame }}",
    "namespace class": "{{ namespace.__init__.__globals__ }}",
    "loop internals": "{% for x in [1] %}{{ loop._iterator }}{% endfor %}",
    "macro internals": "{% macro f() %}{% endmacro %}{{ f._func }}",
    "caller internals": "{% macro f() %}{{ caller._environment }}{% endmacro %}{% call f() %}{% endcall %}",
    "include": "{% include '/etc/passwd' %}",
    "import": "{% import 'dbt_project.yml' as p %}{{ p }}",
    "extends": "{% extends 'x' %}",
    "format of a class": "{{ api.Column.translate_type.format('{0.__globals__}', ref) }}",
    "format of a class of Jinja's": "{{ dict.fromkeys.__self__ }}",
    "member of a class": "{{ namespace.mro() }}",
    "item of a function": "{{ ref['__globals__'] }}",
    "modules.re": "{{ modules.re.match('(a+)+$', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!') }}",
}
GROWTH = {
    "string times number": "{{ 'x' * 1000000000 }}",
    "number times string": "{{ 1000000000 * 'x' }}",
    "list times number": "{{ ([1] * 1000000000)|length }}",
    "bytes times number": "{{ 'x'.encode() * 1000000000 }}",
    "power": "{{ 9 ** 9 ** 9 }}",
    "power in steps": "{% set n = namespace(x=10) %}{% for i in range(100) %}{% set n.x = n.x * n.x %}{% endfor %}{{ n.x }}",
    "percent width": "{{ '%1000000000d' % 1 }}",
    "percent star": "{{ '%*d' % (1000000000, 1) }}",
    "format width": "{{ '{:1000000000}'.format(1) }}",
    "format nested width": "{{ '{:{}}'.format(1, 1000000000) }}",
    "format filter": "{{ '%1000000000s'|format('x') }}",
    "center": "{{ 'x'.center(1000000000) }}",
    "center filter": "{{ 'x'|center(1000000000) }}",
    "ljust": "{{ 'x'.ljust(1000000000) }}",
    "zfill": "{{ 'x'.zfill(1000000000) }}",
    "expandtabs": "{{ '\\t'.expandtabs(1000000000) }}",
    "to_bytes": "{{ (1).to_bytes(1000000000, 'big') }}",
    "indent": "{{ ('\\n' * 9000)|indent(9000) }}",
    "wordwrap": "{{ ('x' * 9000)|wordwrap(1, True, 'y' * 9000) }}",
    "replace": "{% set n = namespace(x='aa') %}{% for i in range(60) %}{% set n.x = n.x|replace('a', 'aa') %}{% endfor %}",
    "replace method": "{% set n = namespace(x='aa') %}{% for i in range(60) %}{% set n.x = n.x.replace('a', 'aa') %}{% endfor %}",
    "replace nothing": "{{ ('a' * 9000)|replace('', 'b' * 9000) }}",
    "join": "{{ range(99999)|join('x' * 9000) }}",
    "join method": "{{ ('x' * 9000).join(range(99999)|map('string')|list) }}",
    "tilde": "{% set n = namespace(x='a') %}{% for i in range(60) %}{% set n.x = n.x ~ n.x %}{% endfor %}{{ n.x }}",
    "plus on strings": "{% set n = namespace(x='a') %}{% for i in range(60) %}{% set n.x = n.x + n.x %}{% endfor %}{{ n.x }}",
    "plus on lists": "{% set n = namespace(x=[1]) %}{% for i in range(60) %}{% set n.x = n.x + n.x %}{% endfor %}{{ n.x }}",
    "extend": "{% set x = [1] %}{% for i in range(60) %}{% do x.extend(x) %}{% endfor %}{{ x }}",
    "nested lists": "{% set n = namespace(x=[1]) %}{% for i in range(60) %}{% set n.x = [n.x, n.x] %}{% endfor %}{{ n.x }}",
    "list of itself": "{% set x = [] %}{% do x.append(x) %}{% do x.append(x) %}{{ x|tojson }}{{ x }}",
    "captured blocks": "{% set x0 %}"
    + "a" * 1000
    + "{% endset %}"
    + "".join(f"{{% set x{i + 1} %}}{{{{ x{i} }}}}{{{{ x{i} }}}}{{% endset %}}" for i in range(40))
    + "{{ x40 }}",
    "macro doubling": "{% macro d(x) %}{{ x }}{{ x }}{% endmacro %}" + "{{ " + "d(" * 40 + "'aaaa'" + ")" * 40 + " }}",
    "output": "{% for i in range(90000) %}" + "x" * 200 + "{% endfor %}",
    "lipsum": "{{ lipsum(n=1000000) }}",
    "cycler": "{{ cycler.__init__ }}",
    "slice": "{{ range(10)|slice(100000000)|list }}",
    "batch": "{{ range(10)|batch(100000000, 'x')|list }}",
    "group_by": "{{ dbt_utils.group_by(1000000000) }}",
}
SPIN = {
    "nested loops": "{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}",
    "huge range": "{% for i in range(1000000000) %}{% endfor %}",
    "list of a huge range": "{{ range(1000000000)|list|length }}",
    "recursive loop": "{% for x in [1] recursive %}{{ loop([1, 1]) }}{% endfor %}",
    "recursive macro": "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
    "recursive project macro": "{{ hostile_recursion() }}",
    "mutually recursive project macros": "{{ hostile_ping() }}",
    "exponential project macros": "{{ hostile_fan(38) }}",
    "exponential macros": "".join(
        f"{{% macro f{i}() %}}{{{{ f{i - 1}() }}}}{{{{ f{i - 1}() }}}}{{% endmacro %}}"
        if i
        else "{% macro f0() %}x{% endmacro %}"
        for i in range(40)
    )
    + "{{ f39() }}",
    "variable of itself": "{{ var('ouroboros') }}",
    "many tags": "{{ 1 }}" * 300_000,
    "deep brackets": "{{ " + "(" * 20_000 + "1" + ")" * 20_000 + " }}",
    "deep lists": "{{ " + "[" * 5_000 + "]" * 5_000 + " }}",
    "deep blocks": "{% for i in [1] %}" * 60 + "{% endfor %}" * 60,
    "long concatenation": "{{ " + "~".join(["'x'"] * 30_000) + " }}",
    "filter chain": "{{ 'x'" + "|upper" * 4_000 + " }}",
    "unclosed tag": "select {{ 1",
    "unclosed comment": "select {# 1",
    "unclosed block": "{% for i in [1] %}",
    "unknown tag": "{% frobnicate %}",
    "return outside a macro": "{{ return(1) }}",
    "large source": "x" * 1_100_000 + "{{ 1 }}",
    "comments behind an unknown call": "{{ nothing() }}" + "/**/" * 90 + "x",
    "unknown call in a loop": "{% for x in nothing %}{{ x }}{% endfor %}{% for x in nothing() %}{{ x }}{% endfor %}",
    "stub in a loop": "{% for x in adapter %}{{ x }}{% endfor %}{% for x in target %}{{ x }}{% endfor %}",
    "iterating a query": "{% for x in run_query('x') %}{% for y in x %}{% for z in y %}{{ z }}{% endfor %}{% endfor %}"
    "{% endfor %}",
}
MACROS = """
{% macro hostile_macro() %}x{% endmacro %}
{% macro hostile_recursion() %}{{ hostile_recursion() }}{% endmacro %}
{% macro hostile_ping() %}{{ hostile_pong() }}{% endmacro %}
{% macro hostile_pong() %}{{ hostile_ping() }}{% endmacro %}
{% macro hostile_fan(n) %}{% if n > 0 %}{{ hostile_fan(n - 1) }}{{ hostile_fan(n - 1) }}{% endif %}{% endmacro %}
"""
PROJECT = "name: shop\nvars:\n  ouroboros: \"{{ var('ouroboros') }}{{ var('ouroboros') }}\"\n"
