// What stands beside the handset: the messages of a phone, and the log of its requests.

const DIALLED_OR_DIGITS = /(\*\d+(?:\*\d+)*#)|((?<![\d*+])\d(?:[ -]?\d){10,17}(?![\d*#]))/g;
const TOKEN_LENGTHS = [11, 18];

export const element = (id) => document.getElementById(id);
export const copyOf = (id) => element(id).content.firstElementChild.cloneNode(true);

/** Change a text only if it differs: screen readers read again whatever is set again. */
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Give a list these children; untouched if it has them, which keeps focus and selection. */
function fill(list, children) {
  const same = list.children.length === children.length &&
    children.every((child, index) => list.children[index] === child);
  if (!same) list.replaceChildren(...children);
}

export function clockTime(at, zone = undefined) {
  return at.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: zone });
}

function shortTime(at) {
  const today = at.toDateString() === new Date().toDateString();
  const day = at.toLocaleDateString("en-GB", { day: "numeric", month: "short" });
  return today ? clockTime(at) : `${day}, ${clockTime(at)}`;
}

function passesLuhn(digits) {
  const sum = Array.from(digits).reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

const looksLikeToken = (digits) => TOKEN_LENGTHS.includes(digits.length) && passesLuhn(digits);

const partner = (message) => (message.to ? `To ${message.to}` : message.from);

/** The message with its dial strings and tokens as buttons; true if there were any. */
function showText(node, text, { dial, use }) {
  const button = (label, title, act) => {
    const made = document.createElement("button");
    Object.assign(made, { type: "button", className: "inline", textContent: label, title });
    made.addEventListener("click", act);
    return made;
  };
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(DIALLED_OR_DIGITS)) {
    const [found, code] = match;
    const digits = found.replace(/[ -]/g, "");
    if (!code && !looksLikeToken(digits)) continue;
    parts.push(text.slice(end, match.index));
    if (code) parts.push(button(found, "Dial this code", () => dial(found)));
    else parts.push(button(found, "Type these digits on the phone", () => use(digits)));
    end = match.index + found.length;
  }
  node.replaceChildren(...parts, text.slice(end));
  return parts.length > 0;
}

/**
 * The messages panel. `acts` has dial(code), use(digits), open(key), unread(message),
 * show(view), draft(text) and send(text).
 */
export class Messages {
  #rows = new Map(); // by the message's key
  #shownKey = null;

  constructor(acts) {
    this.acts = acts;
    this.views = document.querySelectorAll("#messages .view");
    element("compose-open").addEventListener("click", () => acts.show("compose"));
    element("message-back").addEventListener("click", () => acts.show("list"));
    element("compose-cancel").addEventListener("click", () => acts.show("list"));
    element("compose-text").addEventListener("input", ({ target }) => acts.draft(target.value));
    element("compose").addEventListener("submit", (event) => {
      event.preventDefault();
      acts.send(element("compose-text").value);
    });
  }

  render(handset) {
    const { view, key } = handset.reading;
    for (const node of this.views) node.hidden = node.dataset.view !== view;
    element("compose-open").hidden = view === "compose";
    const all = [...handset.messages, ...handset.sent].sort((one, other) => other.at - one.at);
    fill(element("message-list"), all.map((message) => this.#row(message)));
    element("inbox-empty").hidden = all.length > 0;
    if (view === "open") this.#open(all.find((message) => message.key === key));
    else this.#shownKey = null;
    const text = element("compose-text");
    if (text.value !== handset.draft) text.value = handset.draft;
  }

  #row(message) {
    const { key } = message;
    if (!this.#rows.has(key)) this.#rows.set(key, this.#newRow(message));
    const row = this.#rows.get(key);
    row.classList.toggle("unread", this.acts.unread(message));
    say(row.querySelector("time"), shortTime(message.at));
    return row;
  }

  #newRow(message) {
    const row = copyOf("message-template");
    say(row.querySelector(".from"), partner(message));
    say(row.querySelector(".preview"), message.text);
    row.querySelector("button").addEventListener("click", () => this.acts.open(message.key));
    return row;
  }

  #open(message) {
    if (!message || message.key === this.#shownKey) return;
    this.#shownKey = message.key;
    say(element("message-from"), partner(message));
    say(element("message-at"), shortTime(message.at));
    const active = showText(element("message-text"), message.text, this.acts);
    element("message-tip").hidden = !active;
  }
}

function describe(exchange) {
  const { answer } = exchange;
  if (!answer) return "waiting…";
  const outcome = answer.problem || `${answer.status} ${answer.text.slice(0, 3)}`.trim();
  return `${outcome} · ${answer.ms} ms`;
}

function verdict({ repeats, same, unheard }) {
  const parts = [];
  if (repeats) parts.push("The same request again.");
  if (repeats && same === true) parts.push("✓ The same bytes came back.");
  if (repeats && same === false) parts.push("✗ Other bytes came back.");
  if (unheard) parts.push("The session was over: the reply was not shown.");
  return parts.join(" ");
}

/** The panel with the raw requests and replies of one phone. */
export class Log {
  #rows = new WeakMap(); // by the exchange
  #newest = null;

  render(handset) {
    const { exchanges } = handset;
    fill(element("exchanges"), exchanges.map((exchange) => this.#row(exchange)));
    element("log-empty").hidden = exchanges.length > 0;
    element("log-clear").disabled = exchanges.length === 0;
    element("repeat").disabled = handset.waiting || !handset.lastRequest;
    if (exchanges.length === 0 || exchanges[0] === this.#newest) return;
    [this.#newest] = exchanges;
    for (const exchange of exchanges) {
      this.#row(exchange).querySelector("details").open = exchange === this.#newest;
    }
  }

  #row(exchange) {
    const known = this.#rows.get(exchange);
    if (known?.told) return known.row;
    const row = known?.row ?? copyOf("exchange-template");
    this.#rows.set(exchange, { row, told: exchange.answer !== null });
    const { path, body, answer } = exchange;
    say(row.querySelector(".said"), exchange.said);
    say(row.querySelector(".outcome"), `${clockTime(exchange.at)} · ${describe(exchange)}`);
    say(row.querySelector(".request"), `POST ${path}\n\n${body}`);
    const status = answer?.status ? `${answer.status} ${answer.type}\n\n${answer.text}` : "";
    say(row.querySelector(".reply"), status || answer?.problem || "");
    const note = row.querySelector(".verdict");
    say(note, verdict(exchange));
    note.hidden = note.textContent === "";
    note.classList.toggle("bad", exchange.same === false || Boolean(answer?.problem));
    return row;
  }
}
