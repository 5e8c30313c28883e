"""The HTTP edge: Flask blueprints that turn requests into calls and answers into bytes."""
