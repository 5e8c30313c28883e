"""What the pages for the staff share: sessions, forms, layout, answers."""
