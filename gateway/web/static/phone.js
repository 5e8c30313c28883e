// The phone page: puts the handset on the screen, listens to keys and fetches the inboxes.

import { Handset } from "./phone_handset.js";
import { listenToKeys } from "./phone_keys.js";
import { Log, Messages, clockTime, copyOf, element, say } from "./phone_panels.js";

const POLL_MS = 2_000;
const CLOCK_MS = 5_000;
const READ_KEY = "phone.read"; // which messages were opened; never their text
const NUMBERS_KEY = "phone.numbers"; // numbers that were added by hand
const SOFT_WORDS = {
  idle: ["Call", "Messages"],
  dialling: ["Call", "Clear"],
  menu: ["Send", "Hang up"],
  answering: ["Send", "Clear"],
  running: ["", "Hang up"],
  end: ["OK", ""],
  problem: ["OK", ""],
};
const LABELS = { menu: "Your answer", answering: "Your answer" };

const { inboxPath, ussdPath, smsPath, serviceCode, shortCode, network } = document.body.dataset;
const line = { ussdPath, smsPath, serviceCode, shortCode, network };

const handsets = new Map();
const read = new Set(recalled(READ_KEY));
let current = null;
let polling = false;
let pointing = false; // the last act was the mouse's or a finger's

const log = new Log();
const messages = new Messages({
  dial: (code) => { show("handset"); current.dial(code); },
  use: (digits) => { show("handset"); current.type(digits); entry.focus(); },
  open: (key) => {
    read.add(key);
    remember(READ_KEY, [...read].slice(-500));
    reading("open", key);
  },
  unread: (message) => !message.to && !read.has(message.key),
  show: (view) => reading(view),
  draft: (text) => { current.draft = text; },
  send: sendSms,
});
const entry = element("entry");

// --- what the browser keeps between visits ----------------------------------------------------

function recalled(key) {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? [];
  } catch {
    return []; // storage is switched off, or holds something else
  }
}

function remember(key, values) {
  try {
    localStorage.setItem(key, JSON.stringify(values));
  } catch {
    // Storage is switched off: the page works without.
  }
}

// --- drawing ----------------------------------------------------------------------------------

function mode({ screen, entry: typed, waiting }) {
  if (waiting) return "running";
  if (screen.kind === "idle" && typed) return "dialling";
  if (screen.kind === "menu" && typed) return "answering";
  return screen.kind;
}

const unreadOf = (handset) => handset.messages.filter((message) => !read.has(message.key)).length;

function render() {
  const shown = mode(current);
  const { screen } = current;
  element("lcd").dataset.kind = screen.kind === "idle" ? shown : screen.kind;
  say(element("lcd-owner"), current.name);
  say(element("idle-name"), current.name);
  say(element("idle-number"), current.shown);
  if (element("lcd-text").textContent !== screen.text) {
    element("lcd-text").textContent = screen.text;
    element("lcd-text").scrollTop = 0;
  }
  if (entry.value !== current.entry) {
    entry.value = current.entry;
    entry.scrollLeft = entry.scrollWidth;
  }
  entry.classList.toggle("long", current.entry.length > 15);
  entry.readOnly = current.waiting;
  entry.placeholder = shown === "idle" ? serviceCode : "";
  say(element("entry-label"), LABELS[shown] ?? "Number to dial");
  const [left, right] = SOFT_WORDS[shown];
  for (const [side, word] of [["left", left], ["right", right]]) {
    say(element(`${side}-word`), word);
    element(`key-${side}`).setAttribute("aria-label", word || "Nothing");
  }
  renderUnread();
  messages.render(current);
  log.render(current);
  markOverflow();
}

function renderUnread() {
  for (const chip of element("chips").children) {
    const handset = handsets.get(chip.dataset.phone);
    const unread = unreadOf(handset);
    chip.setAttribute("aria-pressed", String(handset === current));
    chip.querySelector(".badge").hidden = unread === 0;
    say(chip.querySelector(".count"), String(unread));
  }
  const unread = unreadOf(current);
  element("lcd-mail").hidden = element("tab-badge").hidden = unread === 0;
  say(element("lcd-unread"), String(unread));
  say(element("tab-badge"), String(unread));
}

function markOverflow() {
  const text = element("lcd-text");
  const below = text.scrollHeight - text.clientHeight - text.scrollTop > 2;
  element("lcd-more").hidden = !below;
  if (text.scrollHeight > text.clientHeight + 2) text.tabIndex = 0;
  else text.removeAttribute("tabindex");
}

function tick() {
  say(element("lcd-clock"), clockTime(new Date()));
}

/** On a small screen one of handset, messages and log is seen at a time. */
function show(tab) {
  document.body.dataset.tab = tab;
  for (const button of document.querySelectorAll(".tabs button")) {
    button.setAttribute("aria-pressed", String(button.dataset.tab === tab));
  }
  if (current) markOverflow();
}

// --- phones -----------------------------------------------------------------------------------

function addHandset(chip) {
  const { phone, shown } = chip.dataset;
  const name = chip.querySelector(".chip-name").textContent;
  const handset = new Handset(phone, name, shown, line, () => {
    if (handset === current) render();
  });
  handsets.set(phone, handset);
  chip.addEventListener("click", () => switchTo(phone));
}

function switchTo(number) {
  current = handsets.get(number);
  element("compose-problem").textContent = "";
  render();
  poll();
}

function addChip(number, shown) {
  const chip = copyOf("chip-template");
  Object.assign(chip.dataset, { phone: number, shown });
  chip.querySelector(".chip-name").textContent = "Added";
  chip.querySelector(".chip-number").textContent = shown;
  element("chips").append(chip);
  addHandset(chip);
}

async function addNumber(event) {
  event.preventDefault();
  const typed = element("add-number").value.trim();
  const response = await fetch(inboxUrl([typed])).catch(() => null);
  const answer = await response?.json().catch(() => null);
  if (!response?.ok || !answer) {
    element("add-problem").textContent = answer?.detail ?? "The gateway cannot be reached.";
    element("add-number").focus();
    return;
  }
  const [{ phone, shown }] = answer.inboxes;
  if (!handsets.has(phone)) {
    addChip(phone, shown);
    remember(NUMBERS_KEY, [...recalled(NUMBERS_KEY), { phone, shown }].slice(-8));
  }
  openAddForm(false);
  switchTo(phone);
}

function openAddForm(open) {
  element("add-form").hidden = !open;
  element("add-open").hidden = open;
  element("add-open").setAttribute("aria-expanded", String(open));
  element("add-problem").textContent = "";
  element("add-number").value = "";
  element(open ? "add-number" : "add-open").focus();
}

// --- messages ---------------------------------------------------------------------------------

function reading(view, key = null) {
  current.reading = { view, key };
  element("compose-problem").textContent = "";
  render();
  // Who points with a mouse goes on typing on the phone; the keyboard's focus needs a new place.
  if (view === "compose") element("compose-text").focus();
  else if (!pointing) element(view === "open" ? "message-back" : "compose-open").focus();
}

async function sendSms(text) {
  const sender = current;
  if (!text.trim()) {
    element("compose-problem").textContent = "Write something first.";
    return;
  }
  element("compose-send").disabled = true;
  const taken = await sender.sendSms(text.trim());
  element("compose-send").disabled = false;
  if (taken) sender.draft = "";
  if (sender !== current) return;
  if (taken) reading("list");
  element("compose-problem").textContent = taken ? "" : "Message not sent. Try again.";
  say(element("announce"), taken ? "Message sent" : "");
}

const inboxUrl = (numbers) =>
  `${inboxPath}?${numbers.map((number) => `phone=${encodeURIComponent(number)}`).join("&")}`;

/** The inboxes of all phones; quiet while nobody looks at the page. */
async function poll() {
  if (!current || polling || document.visibilityState !== "visible") return;
  polling = true;
  try {
    const response = await fetch(inboxUrl([...handsets.keys()]), { cache: "no-store" });
    if (!response.ok) throw new Error(String(response.status));
    (await response.json()).inboxes.forEach(receive);
    say(element("inbox-problem"), "");
  } catch {
    say(element("inbox-problem"), "The inbox cannot be fetched. Trying again…");
  }
  polling = false;
  render();
}

function receive({ phone, messages: told }) {
  const handset = handsets.get(phone);
  const before = new Set(handset.messages.map((message) => message.key));
  const first = !handset.fetched;
  // A new database counts from 1 again: the time tells its messages from the ones before.
  handset.messages = told.map((message) => (
    { ...message, at: new Date(message.at), key: `${phone} ${message.id} ${message.at}` }));
  handset.fetched = true;
  const fresh = handset.messages.find((message) => !before.has(message.key));
  if (fresh && !first) {
    say(element("announce"), `New message for ${handset.name} from ${fresh.from}`);
  }
}

// --- the start --------------------------------------------------------------------------------

function rightKey() {
  if (current.entry) current.erase();
  else if (mode(current) === "menu" || current.waiting) current.hangUp();
  else if (mode(current) === "idle") {
    show("messages");
    element("messages").focus();
  }
}

function listen() {
  const on = (id, act) => element(id).addEventListener("click", act);
  on("repeat", () => current.repeat());
  on("log-clear", () => current.forgetExchanges());
  on("add-open", () => openAddForm(true));
  on("add-cancel", () => openAddForm(false));
  element("add-form").addEventListener("submit", addNumber);
  for (const tab of document.querySelectorAll(".tabs button")) {
    tab.addEventListener("click", () => show(tab.dataset.tab));
  }
  element("lcd-text").addEventListener("scroll", markOverflow);
  document.addEventListener("visibilitychange", poll);
  document.addEventListener("pointerdown", () => { pointing = true; }, true);
  document.addEventListener("keydown", () => { pointing = false; }, true);
  listenToKeys(() => current, rightKey);
}

function start() {
  for (const chip of element("chips").children) addHandset(chip);
  for (const { phone, shown } of recalled(NUMBERS_KEY)) {
    if (!handsets.has(phone)) addChip(phone, shown);
  }
  listen();
  tick();
  setInterval(tick, CLOCK_MS);
  const [first] = handsets.keys();
  if (first) switchTo(first);
  else openAddForm(true);
  setInterval(poll, POLL_MS);
}

start();
