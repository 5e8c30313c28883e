"""One thing that needs somebody, as the front page tells it."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Item:
    """`count` things of a kind, or one that is named; a count at `most` means that or more."""

    count: int | None
    says: str
    path: str = ""  # where it is dealt with; empty: not on the console
    more: str = ""
    urgent: bool = False
    since: datetime | None = None
    most: int = 0  # 0: counted to the end

    @property
    def shown_count(self) -> str:
        """The number as it is shown.

        >>> Item(7, "to approve").shown_count, Item(100, "counts", most=100).shown_count
        ('7', '100+')
        >>> Item(None, "paused").shown_count, Item(None, "no worker", urgent=True).shown_count
        ('·', '!')
        """
        if self.count is None:
            return "!" if self.urgent else "·"
        return f"{self.count}+" if self.most and self.count >= self.most else str(self.count)
