"""What to do and what to say, as data. The performer (`app.job.perform`) carries it out; nothing here does I/O."""

from app.effects.kinds import (
    Annotation,
    CheckOutput,
    Completeness,
    EdgeWrite,
    Incident,
    Performed,
    ReviewFacts,
)

__all__ = ["Annotation", "CheckOutput", "Completeness", "EdgeWrite", "Incident", "Performed", "ReviewFacts"]
