"""Macros of the packages that most dbt projects use and none keeps in its repository: Jinja in our own words, one file a package.

They are data. Each writes SQL that shows what the real macro reads, and under which names it puts it out; nothing runs that
SQL. What no dialect writes alike is a function zz_...(): its arguments are read all the same. How to write them:

- `name`, or `default__name` beside `snowflake__name` where adapters differ: `adapter.dispatch` is done for every macro. What
  begins with `zz_` is the file's own.
- A parameter without a default value has to be given; `varargs` and `kwargs` are accepted where a macro names them.
- `tether` answers what no template can find out (see `app/render/dbt_packages.py`): the columns of a relation, for example.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from app.render.packages import dbt, dbt_date, dbt_utils, fivetran_utils

#: package -> the text of its macros
TEXTS: Final[Mapping[str, str]] = {
    "dbt": dbt.TEXT,
    "dbt_utils": dbt_utils.TEXT,
    "dbt_date": dbt_date.TEXT,
    "fivetran_utils": fivetran_utils.TEXT,
}
