"""Changes of real dbt projects, executed before and after in DuckDB, and what Tether says of each."""
