"""What Airtel's API answers: a word about the transaction, and codes in two families."""

from collections.abc import Mapping
from dataclasses import dataclass

from gateway import errors
from gateway.formats import strict_json
from gateway.providers.base import http, reading, verdicts
from gateway.providers.base.messages import Outcome

# data.transaction.status, which holds whatever stands beside it as status.success.
WORDS: Mapping[str, Outcome] = {
    "TS": Outcome.SUCCEEDED,
    "TF": Outcome.FAILED,
    "TE": Outcome.FAILED,  # expired
    "TA": Outcome.PENDING,  # ambiguous
    "TIP": Outcome.PENDING,  # in progress
    "TI": Outcome.PENDING,
}
IN_PROGRESS = ("TIP", "TI")
FAILED = ("TF", "TE")
# status.response_code: the tables of Uganda, with which a Tanzanian client agrees.
PUSH_TAKEN = ("DP00800001001", "DP00800001006")
PUSH_REFUSED: Mapping[str, str] = {
    "DP00800001003": "limit exceeded",
    "DP00800001004": "amount not allowed",
    "DP00800001007": "balance too low",
    "DP00800001008": "refused",
    "DP00800001010": "payer not permitted",
}
PAID = ("DP00900001001",)
BEING_PAID = ("DP00900001006",)
PAYOUT_REFUSED: Mapping[str, str] = {
    "DP00900001003": "limit exceeded",
    "DP00900001004": "amount not allowed",
    "DP00900001005": "limit exceeded",
    "DP00900001007": "our float is too low",
    "DP00900001012": "no such phone",
    "DP00900001013": "refused",
}
OPERATOR_ACTS = ("DP00900001007",)
# status.result_code among them; the id was used before, so that an earlier request stands.
DUPLICATES = ("ESB000041", "DP00900001011", "DP00900001017")
# Ambiguous, in process, timed out, not found: beside these no failure is final.
LEAVE_OPEN = (
    *("DP00800001000", "DP00800001006", "DP00800001024", "DP00800001025"),
    *("DP00900001000", "DP00900001006", "DP00900001014", "DP00900001015"),
    *("ESB000001", "ESB000004", "ESB000008", "ESB000014", "ESB000045", "ROUTER117"),
    *DUPLICATES,
)
NEUTRAL = ("ESB000010",)  # the request was carried out; says nothing of the transaction
MESSAGE_CHARACTERS_MAX = 80


@dataclass(frozen=True, slots=True)
class Said:
    """One answer, under whatever HTTP status."""

    http_status: int
    codes: tuple[str, ...]  # response_code and result_code where they are given
    success: bool
    word: str  # "" where the answer speaks of no transaction
    their_id: str  # airtel_money_id
    our_id: str
    message: str

    def has(self, codes: tuple[str, ...]) -> bool:
        """Whether it carries one of these codes."""
        return any(code in codes for code in self.codes)

    @property
    def outcome(self) -> Outcome:
        """What its word says; a failure beside a code that leaves it open is PENDING."""
        outcome = WORDS.get(self.word, Outcome.PENDING)
        is_open = outcome == Outcome.FAILED and self.has(LEAVE_OPEN)
        return Outcome.PENDING if is_open else outcome

    def insist_on(self, our_id: str) -> None:
        """Raise `OutcomeUnknown` for an answer about another transaction."""
        if self.our_id not in ("", our_id):
            raise errors.OutcomeUnknown("the answer is about another transaction")

    def refusal(self, table: Mapping[str, str]) -> errors.SendFailed:
        """The error that an answer without success stands for; a code in no table leaves it open.

        So does a word that contradicts the code. One without any code is judged by its HTTP status.
        """
        if self.word in ("", *FAILED) and not self.has(LEAVE_OPEN):
            for code in self.codes:
                if code in table:
                    return errors.Refused(f"{code} {table[code]}", alarm=code in OPERATOR_ACTS)
            known = all(code in NEUTRAL for code in self.codes)
            if self.http_status not in verdicts.TAKEN and known:
                return verdicts.of(self.http_status, self.message)
        return errors.OutcomeUnknown(" ".join((*self.codes, self.word, self.message)).strip())


def read(reply: http.Reply) -> Said:
    """An answer; raises by its HTTP status where it is no JSON, as a proxy's own page is."""
    try:
        found = reply.document()
    except errors.OutcomeUnknown:
        if reply.status in verdicts.TAKEN:
            raise
        raise verdicts.of(reply.status, "") from None
    with reading.answered():
        transaction = reading.within(found, "data", "transaction")
        status = reading.within(found, "status")
        codes = [strict_json.text(status, name) for name in ("response_code", "result_code")]
        return Said(
            http_status=reply.status,
            codes=tuple(code for code in codes if code),
            success=status.get("success") is True,
            word=strict_json.text(transaction, "status"),
            their_id=reading.identifier(transaction, "airtel_money_id"),
            our_id=reading.identifier(transaction, "id"),
            message=reading.reason(status.get("message"))[:MESSAGE_CHARACTERS_MAX],
        )
