"""Kannel's sendsms on loopback, for answers and faults that a real one gives only now and then."""

from tests.emulators.provider import Fault, ProviderApi, Request, Said

USERNAME, PASSWORD = "gateway", "kannel-pass"
PATH = "/cgi-bin/sendsms"
ACCEPTED, BUFFERED = b"0: Accepted for delivery", b"3: Queued for later delivery"


def says(status: int, words: str, *, carried_out: bool = False) -> Fault:
    """An answer of this status and these words."""
    return Fault(says=(status, words.encode()), carried_out=carried_out)


class Sendsms(ProviderApi):
    """Takes what a real one takes, and says so in its words."""

    @property
    def sendsms_url(self) -> str:
        """What KANNEL_SENDSMS_URL is."""
        return self.url + PATH

    def answer(self, request: Request) -> Said:
        """As smsbox 1.4.5 does."""
        headers = request.headers
        if request.path != PATH:
            return 404, b"Unknown request."
        given = (headers.get("x-kannel-username"), headers.get("x-kannel-password"))
        if given != (USERNAME, PASSWORD):
            return 403, b"Authorization failed for sendsms"
        if not headers.get("x-kannel-to"):
            return 400, b"Missing receiver(s) number(s), rejected"
        if not headers.get("x-kannel-from"):
            return 400, b"Sender missing and no global set, rejected"
        return 202, ACCEPTED
