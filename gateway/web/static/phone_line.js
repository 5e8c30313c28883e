// The aggregator's side of the line: what it sends for a dialled code or an SMS, and what it
// makes of the answer. No page in here.

const PATIENCE_MS = 10_000; // Africa's Talking drops a caller whose answer takes longer
const REPLY = /^(CON|END) ([^]*)$/;

/** Hexadecimal digits made of `bytes` random bytes; randomUUID wants HTTPS, this does not. */
function randomHex(bytes) {
  const random = crypto.getRandomValues(new Uint8Array(bytes));
  return Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export const newSessionId = () => `ATUid_${randomHex(16)}`;
export const newMessageId = () => randomHex(16);

/** The form as the aggregator encodes it: `*` and `#` as %2A and %23, the fields in this order. */
export function formBody(fields) {
  const escape = (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  const encode = (value) =>
    encodeURIComponent(value).replace(/[!'()*]/g, escape).replaceAll("%20", "+");
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${encode(value)}`)
    .join("&");
}

/**
 * POST a form and keep the answer's bytes; never throws. `status` is 0 where no answer came, and
 * `problem` says why.
 */
export async function post(path, body) {
  const started = performance.now();
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), PATIENCE_MS);
  const answer = { status: 0, type: "", bytes: new Uint8Array(), text: "", problem: "" };
  try {
    const response = await fetch(path, {
      method: "POST",
      body,
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      credentials: "omit", // an aggregator brings no cookies
      redirect: "manual", // and follows no redirects
      cache: "no-store",
      signal: patience.signal,
    });
    answer.bytes = new Uint8Array(await response.arrayBuffer());
    answer.text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(answer.bytes);
    answer.status = response.status;
    answer.type = response.headers.get("Content-Type") ?? "";
    if (response.type === "opaqueredirect") answer.problem = "a redirect, which is not followed";
  } catch {
    const late = `no answer within ${PATIENCE_MS / 1000} s`;
    answer.problem = patience.signal.aborted ? late : "no connection";
  } finally {
    clearTimeout(timer);
  }
  answer.ms = Math.round(performance.now() - started);
  return answer;
}

/** What a reply tells the phone: {open, text}, or null for what a carrier calls a problem. */
export function readReply(answer) {
  const reply = answer.status === 200 ? REPLY.exec(answer.text) : null;
  return reply && { open: reply[1] === "CON", text: reply[2] };
}

/**
 * The first text of a session, for a code as it was typed: "" for the service code itself, the
 * rest for a direct dial (*384*1*1*123# is "1*123"), null for a code that is not ours.
 */
export function firstText(typed, serviceCode) {
  if (typed === serviceCode) return "";
  const stem = `${serviceCode.replace(/#$/, "")}*`;
  return typed.startsWith(stem) && typed.endsWith("#") ? typed.slice(stem.length, -1) : null;
}

/** The text after one more input: everything so far, joined by `*`. */
export const longerText = (text, input) => (text === "" ? input : `${text}*${input}`);

export function sameAnswer(one, other) {
  return (
    one.status === other.status &&
    one.bytes.length === other.bytes.length &&
    one.bytes.every((byte, index) => byte === other.bytes[index])
  );
}
