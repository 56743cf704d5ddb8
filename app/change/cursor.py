"""Reads one statement's tokens from left to right: keywords, names, lists. Knows how names are written, not what DDL means."""

from __future__ import annotations

from sqlglot import exp

from app.change.tokens import Chunk, Word, depth_of
from app.reads import fold, fold_table


class Cursor:
    """Reads one statement from left to right. Every reader says by its result whether it found what it names."""

    def __init__(self, chunk: Chunk, dialect: str, words: tuple[Word, ...] | None = None) -> None:
        self.chunk = chunk
        self.dialect = dialect
        self.words = chunk.words if words is None else words
        self.at = 0

    @property
    def done(self) -> bool:
        return self.at >= len(self.words)

    def peek(self, ahead: int = 0) -> str:
        index = self.at + ahead
        return self.words[index].upper if index < len(self.words) else ""

    def word(self, ahead: int = 0) -> Word | None:
        index = self.at + ahead
        return self.words[index] if index < len(self.words) else None

    def take(self, *keywords: str) -> bool:
        """Step over these keywords if all of them come next."""
        if all(self.peek(i) == keyword for i, keyword in enumerate(keywords)):
            self.at += len(keywords)
            return True
        return False

    def take_any(self, *keywords: str) -> bool:
        return any(self.take(keyword) for keyword in keywords)

    def line(self) -> int:
        word = self.word() or (self.words[-1] if self.words else self.chunk.words[-1])
        return self.chunk.line(word)

    def name(self) -> str | None:
        """A column name, folded."""
        word = self.word()
        if word is None or not _may_name(word):
            return None
        self.at += 1
        return fold(word.text, quoted=word.quoted, dialect=self.dialect)

    def relation(self) -> str | None:
        """A dotted relation name, folded as the SQL engine folds it."""
        parts: list[Word] = []
        while self.peek() == "#" and self.dialect == "tsql":  # a temporary table
            self.at += 1
        while (word := self.word()) is not None and _may_name(word):
            self.at += 1
            parts.append(self._dashed(word) if self.dialect == "bigquery" else word)
            if not self.take("."):
                break
            while self.take("."):  # T-SQL `db..t`
                pass
        return fold_parts(parts, self.dialect) if parts and len(parts) <= 4 else None

    def _dashed(self, word: Word) -> Word:
        """BigQuery project names may hold dashes unquoted."""
        text, end = word.text, word.end
        while not word.quoted and self.peek() == "-" and (part := self.word(1)) is not None and part.start == end + 1:
            self.at += 2
            text, end = f"{text}-{part.text}", part.end
            if part.text.isdigit() and (tail := self.word()) is not None and tail.start == end and _may_name(tail):
                self.at += 1  # `-12ab`
                text, end = f"{text}{tail.text}", tail.end
            if text.endswith("."):  # `-123456.`: the tokenizer takes the dot for a decimal point
                self.at -= 1
                self.words = (*self.words[: self.at], Word(".", end - 1, end), *self.words[self.at + 1 :])
                return Word(text.rstrip("."), word.start, end - 1)
        return Word(text, word.start, end, quoted=word.quoted)

    def rest(self) -> tuple[Word, ...]:
        return self.words[self.at :]

    def group(self) -> tuple[Word, ...] | None:
        """The words inside the parentheses that start here; None where there are none or they are never closed."""
        if self.peek() != "(":
            return None
        depth = 0
        for index in range(self.at, len(self.words)):
            depth += depth_of(self.words[index])
            if depth == 0:
                inner = self.words[self.at + 1 : index]
                self.at = index + 1
                return inner
        return None

    def slice(self, words: tuple[Word, ...]) -> str:
        """The source text of these words without comments, gaps squeezed to one space."""
        text, end = "", words[0].start if words else 0
        for word in words:
            text += " " * (word.start > end) + self.chunk.sql[word.start : word.end]
            end = word.end
        return text


def _may_name(word: Word) -> bool:
    return word.quoted or (not word.string and bool(word.text) and (word.text[0].isalpha() or word.text[0] in "_#@"))


def fold_parts(parts: list[Word], dialect: str) -> str:
    if dialect == "bigquery" and any(p.quoted and "." in p.text for p in parts):
        parts = [Word(t, p.start, p.end, quoted=p.quoted) for p in parts for t in p.text.split(".")]
    names = [exp.to_identifier(p.text, quoted=p.quoted) for p in parts[-3:]]
    table = exp.Table(**dict(zip(("this", "db", "catalog"), reversed(names), strict=False)))
    return fold_table(table, dialect)
