// One phone of the demo: what is typed, the session that is open, what the screen says.

import {
  firstText, formBody, longerText, newMessageId, newSessionId, post, readReply, sameAnswer,
} from "./phone_line.js";

const CARRIER_PROBLEM = "Connection problem or invalid MMI code.";
const NOT_A_CODE = "This phone dials codes only. A code begins with * and ends with #.";
const RUNNING_AFTER_MS = 180; // a quicker answer would make "running" a flash
const EXCHANGES_MAX = 40;

/**
 * Screens: idle; running (a request is under way); menu (CON); end (END); problem (no usable
 * answer). `changed` is called after every change. `line` has ussdPath, smsPath, serviceCode,
 * shortCode and network.
 */
export class Handset {
  #session = null; // {id, text}: the last text that was sent in it
  #onScreen = null; // the exchange whose answer the screen shows or waits for

  constructor(number, name, shown, line, changed) {
    Object.assign(this, { number, name, shown, line, changed });
    this.screen = { kind: "idle", text: "" };
    this.waiting = false;
    this.entry = "";
    this.exchanges = []; // newest first
    this.messages = []; // as the server tells them, newest first
    this.sent = []; // SMS from this phone, newest first
    this.reading = { view: "list", key: null }; // what the messages panel shows
    this.draft = "";
  }

  /** A key of the keypad; on a screen that is over, it begins a new number. */
  type(characters) {
    if (this.waiting) return;
    if (this.screen.kind === "end" || this.screen.kind === "problem") this.#rest();
    this.entry += characters;
    this.changed();
  }

  /** The entry after an edit in its field. */
  rewrite(text) {
    this.entry = text;
    this.changed();
  }

  erase() {
    if (this.waiting) return;
    this.entry = this.entry.slice(0, -1);
    this.changed();
  }

  /** The call key: answers a menu, else dials what was typed, or the service code. */
  call() {
    if (this.waiting) return;
    if (this.screen.kind === "menu") this.#answer();
    else this.dial(this.screen.kind === "idle" && this.entry ? this.entry : this.line.serviceCode);
  }

  /** The left soft key and Enter: the word on the screen above it. */
  confirm() {
    if (this.screen.kind === "end" || this.screen.kind === "problem") this.#rest();
    else this.call();
    this.changed();
  }

  dial(code) {
    this.entry = "";
    this.#session = null;
    this.#onScreen = null;
    const text = firstText(code, this.line.serviceCode);
    if (text === null) {
      const isCode = code.startsWith("*") && code.endsWith("#");
      this.screen = { kind: "problem", text: isCode ? CARRIER_PROBLEM : NOT_A_CODE };
      this.changed();
      return;
    }
    this.#session = { id: newSessionId(), text };
    this.#send();
  }

  /** The end key: the gateway hears nothing of it, as from a caller who lost the network. */
  hangUp() {
    const dropped = this.waiting || this.screen.kind === "menu";
    this.#rest(dropped ? "Call dropped. Dial again to continue." : "");
    this.changed();
  }

  /** The last USSD request again, byte for byte, as an aggregator does that lost the reply. */
  repeat() {
    const earlier = this.lastRequest;
    if (!earlier || this.waiting) return;
    this.#exchange({ ...earlier }, earlier);
  }

  get lastRequest() {
    return this.exchanges.find((exchange) => exchange.path === this.line.ussdPath);
  }

  forgetExchanges() {
    this.exchanges = [];
    this.changed();
  }

  /** POST an SMS to the short code; true if the gateway took it. */
  async sendSms(text) {
    const at = new Date();
    const body = formBody({
      id: newMessageId(),
      from: this.number,
      to: this.line.shortCode,
      text,
      date: at.toISOString().replace(/\.\d+Z$/, "Z"),
    });
    const exchange = this.#logged({ path: this.line.smsPath, body, said: `SMS "${text}"` });
    exchange.answer = await post(exchange.path, body);
    const taken = exchange.answer.status >= 200 && exchange.answer.status < 300;
    const key = `${this.number} sent ${this.sent.length}`;
    if (taken) this.sent.unshift({ key, to: this.line.shortCode, text, at });
    this.changed();
    return taken;
  }

  #answer() {
    if (!this.entry) return; // an empty answer to the first menu would be the first request again
    this.#session.text = longerText(this.#session.text, this.entry);
    this.entry = "";
    this.#send();
  }

  #send() {
    const body = formBody({
      sessionId: this.#session.id,
      phoneNumber: this.number,
      networkCode: this.line.network,
      serviceCode: this.line.serviceCode,
      text: this.#session.text,
    });
    this.#exchange({ path: this.line.ussdPath, body, said: `text="${this.#session.text}"` }, null);
  }

  async #exchange({ path, body, said }, earlier) {
    const seen = earlier === null || earlier === this.#onScreen;
    const exchange = this.#logged({ path, body, said, repeats: earlier });
    if (seen) this.#await(exchange);
    this.changed();
    exchange.answer = await post(path, body);
    if (earlier?.answer?.status) exchange.same = sameAnswer(exchange.answer, earlier.answer);
    if (exchange === this.#onScreen) this.#show(readReply(exchange.answer));
    else exchange.unheard = true;
    this.changed();
  }

  #logged(request) {
    const exchange = { repeats: null, ...request, at: new Date(), answer: null };
    this.exchanges = [exchange, ...this.exchanges].slice(0, EXCHANGES_MAX);
    return exchange;
  }

  #await(exchange) {
    this.#onScreen = exchange;
    this.waiting = true;
    setTimeout(() => {
      if (!this.waiting || exchange !== this.#onScreen) return;
      this.screen = { kind: "running", text: "USSD code running…" };
      this.changed();
    }, RUNNING_AFTER_MS);
  }

  #show(reply) {
    this.waiting = false;
    if (reply === null) this.screen = { kind: "problem", text: CARRIER_PROBLEM };
    else this.screen = { kind: reply.open ? "menu" : "end", text: reply.text };
    if (!reply?.open) this.entry = "";
  }

  #rest(note = "") {
    this.#session = null;
    this.#onScreen = null;
    this.waiting = false;
    this.entry = "";
    this.screen = { kind: "idle", text: note };
  }
}
