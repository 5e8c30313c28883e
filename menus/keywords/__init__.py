"""What people may send by SMS: a token, or one of our words."""

from menus.keywords.acting import REPLIES_AN_HOUR as REPLIES_AN_HOUR
from menus.keywords.acting import Keywords as Keywords
from menus.keywords.acting import heeding as heeding
from menus.keywords.notes import NOTE as NOTE
from menus.keywords.notes import NOTES as NOTES
from menus.keywords.notes import SAMPLE as SAMPLE
