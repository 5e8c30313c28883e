"""Africa's Talking's USSD side: dials our endpoint with the request its gateway really sends."""

from dataclasses import dataclass, field
from uuid import uuid4

from tests.emulators.posting import FORM, Answer, post_form

USER_AGENT = "at-ussd-api/1.0"
NETWORK_SANDBOX = "99999"


@dataclass
class Session:
    """One dialogue of one phone; `text` is all that was entered so far, joined by `*`."""

    dialer: "Dialer"
    phone: str
    service_code: str
    session_id: str
    text: str
    answer: Answer = field(init=False)  # the latest

    def __post_init__(self) -> None:
        """Dial."""
        self.answer = self.post(self.text)

    def send(self, entry: str) -> Answer:
        """Enter something and press send."""
        self.text = f"{self.text}*{entry}" if self.text else entry
        self.answer = self.post(self.text)
        return self.answer

    def repeat(self) -> Answer:
        """Post the latest text again, as a gateway does that got no answer."""
        return self.post(self.text)

    def post(self, text: str) -> Answer:
        """Post any text in this session, without remembering it."""
        fields = {
            "phoneNumber": self.phone,
            "serviceCode": self.service_code,
            "text": text,
            "sessionId": self.session_id,
            "networkCode": self.dialer.network,
        }
        return self.dialer.post(fields)

    def end(self, status: str = "Incomplete") -> Answer:
        """Post the session-end notification, which repeats all inputs and the last reply."""
        fields = {
            "date": "2026-05-03 06:04:45",
            "sessionId": self.session_id,
            "serviceCode": self.service_code,
            "networkCode": self.dialer.network,
            "phoneNumber": self.phone,
            "status": status,
            "cost": "0.00",
            "durationInMillis": "20125",
            "hopsCount": str(self.text.count("*") + 1),
            "input": self.text,
            "lastAppResponse": self.answer.body.decode(errors="replace"),
        }
        return self.dialer.post(fields, "/events")


@dataclass(frozen=True)
class Dialer:
    """Posts to `<base_url>/ussd/<channel>/<path_secret>`."""

    base_url: str
    path_secret: str
    channel: str = "africastalking"
    network: str = NETWORK_SANDBOX

    def dial(
        self,
        phone: str,
        service_code: str = "*384*1#",
        *,
        text: str = "",
        session_id: str | None = None,
    ) -> Session:
        """Open a session; a `text` dials a longer code directly."""
        return Session(self, phone, service_code, session_id or f"ATUid_{uuid4().hex}", text)

    def post(self, fields: dict[str, str] | bytes, under: str = "") -> Answer:
        """Post fields or a raw body, with the headers of Africa's Talking's gateway."""
        return post_form(
            f"{self.base_url.rstrip('/')}/ussd/{self.channel}/{self.path_secret}{under}",
            fields,
            user_agent=USER_AGENT,
            content_type=f"{FORM}; charset=UTF-8",
        )
