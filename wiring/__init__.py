"""Parts put together from settings, one file a subject; app.py composes them."""
