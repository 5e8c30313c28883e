"""Test money: a partner's own playground in a currency that no wallet, till or menu knows.

ISO 4217 keeps XTS for testing. What a test key issues is a real row with real digits, so that a
partner's program meets everything it will meet, but its value is none: phones and tills refuse the
currency, and the phones it names are written so that they are nobody's.
"""

_NOBODY = "~"  # stands for the + of an E.164 number


def owner(code: str) -> str:
    """Who owns a partner's test money.

    >>> owner("acme")
    'acme:test'
    """
    return f"{code}:test"


def code_of(owner: str) -> tuple[str, bool]:
    """The partner's code, and whether the owner stands for its test money.

    >>> code_of("acme:test"), code_of("acme")
    (('acme', True), ('acme', False))
    """
    code, parted, _ = owner.partition(":")
    return code, bool(parted)


def nobody(msisdn: str) -> str:
    """A phone number (E.164) as the playground writes it: no phone has it.

    >>> nobody("+2348030000001")
    '~2348030000001'
    """
    return _NOBODY + msisdn.removeprefix("+")


def shown(msisdn: str) -> str:
    """The number as its partner gave it.

    >>> shown("~2348030000001"), shown("+2348030000001")
    ('+2348030000001', '+2348030000001')
    """
    return "+" + msisdn.removeprefix(_NOBODY) if msisdn.startswith(_NOBODY) else msisdn
