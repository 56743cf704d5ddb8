"""What only a browser can tell: whether a page fits its window and shows what it holds. Skipped by name without Chromium."""
