"""Reports: HTML pages, Markdown and statistics."""
