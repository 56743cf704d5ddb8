"""Facts -> findings -> one verdict. Pure; severity comes from the policy, never from an LLM."""

from app.verdict.verdict import Finding, Verdict

__all__ = ["Finding", "Verdict"]
