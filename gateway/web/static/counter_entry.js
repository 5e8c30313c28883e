// What is typed for a token: cleaned, judged and grouped as the server does it, without asking it.

const LONG = 18;
const SHORT = 11;
// As in gateway/tokens/code.py: what copied text carries unseen, and what people put between.
const ZERO_WIDTH = "\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff";
const HYPHENS = "\\-\u2010-\u2015\u2212\ufe63\uff0d";
const DROPPED = new RegExp(`[\\s\\x1c-\\x1f\\x85\\p{Zs}${ZERO_WIDTH}${HYPHENS}.*]`, "gu");
const FULL_WIDTH = /[\uff10-\uff19]/g;
const STRANGE = /[^0-9]/u;

/** The entry without what people put between digits; not yet checked. */
export function compact(entry) {
  const folded = entry.replace(FULL_WIDTH, (c) => String.fromCharCode(c.charCodeAt(0) - 0xfee0));
  return folded.replace(DROPPED, "").replace(/#+$/, "");
}

/** Whether the last digit fits the others (Luhn): it finds one wrong digit, not a stolen token. */
export function fits(digits) {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits[digits.length - 1 - place]);
    const doubled = digit * 2;
    sum += place % 2 === 0 ? digit : doubled - (doubled > 9 ? 9 : 0);
  }
  return sum % 10 === 0;
}

/** As in the SMS: six by six, a whole short token 4-4-3. */
export function grouped(digits) {
  const isShort = digits.length === SHORT && fits(digits);
  const size = isShort ? 4 : 6;
  return digits.replace(new RegExp(`(.{${size}})(?=.)`, "g"), "$1 ");
}

/**
 * What there is to say of an entry: `state` is empty, short, wrong or ready; `words` are for the
 * cashier, `count` counts the digits.
 */
export function judged(entry) {
  const digits = compact(entry);
  if (digits === "") {
    return { state: "empty", digits, words: "", count: "" };
  }
  if (STRANGE.test(digits)) {
    const [strange] = digits.match(STRANGE);
    return { state: "wrong", digits, words: `A token has digits alone: take out “${strange}”.`,
      count: "" };
  }
  return { ...ofDigits(digits), digits };
}

function ofDigits(digits) {
  const n = digits.length;
  const count = `${n} of ${n <= SHORT ? `${SHORT} or ${LONG}` : LONG} digits`;
  if (n > LONG) {
    const words = `${many(n - LONG, "digit")} too many: a token has ${LONG}.`;
    return { state: "wrong", words, count: "" };
  }
  if (n === LONG || n === SHORT) {
    return whole(digits, count);
  }
  const words = n < SHORT
    ? `${missing(SHORT - n)} of ${SHORT}, or ${LONG - n} of ${LONG}.`
    : `${missing(LONG - n)} of ${LONG}.`;
  return { state: "short", words, count };
}

function whole(digits, count) {
  if (fits(digits)) {
    return { state: "ready", words: "The digits fit together.", count };
  }
  if (digits.length === LONG) {
    return { state: "wrong", words: "A digit is wrong. Compare it with the SMS.", count };
  }
  const more = LONG - SHORT;
  const words = `A digit is wrong, if the token has ${SHORT}; else ${missing(more)}.`;
  return { state: "short", words, count };
}

function missing(n) {
  return `${many(n, "digit")} ${n === 1 ? "is" : "are"} missing`;
}

function many(n, noun) {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}
