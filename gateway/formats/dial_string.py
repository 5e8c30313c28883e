"""What a caller dialled: a service code, and what they want of it behind that."""


def behind(string: str, code: str) -> str:
    """What stands behind a service code in a dialled string, joined by `*`.

    "" when it is the code alone, and when it does not begin with the code: what nobody typed for
    us must not be taken for an answer.

    >>> behind("*711*2*1*490750293453273258#", "*711*2#"), behind("711*2", "*711*2#")
    ('1*490750293453273258', '')
    >>> behind("*711*21#", "711*2"), behind("hello", "711*2"), behind("*711#", "")
    ('', '', '')
    """
    asked, ours = string.strip().removeprefix("*").removesuffix("#"), code.strip(" *#")
    return asked.removeprefix(f"{ours}*") if ours and asked.startswith(f"{ours}*") else ""
