// The counter's pages: groups the digits, says what is wrong with them, takes a click once, prints.
// Every page works without it; the server judges again whatever is sent.

import { grouped, judged } from "./counter_entry.js";

const SCAN_MS_MAX = 1000; // nobody types a token in that time
const SAYS_AT_ONCE = new Set(["wrong", "ready"]);

/** Count the digits left of the caret: they stay there when spaces move. */
function regroup(field, verdict) {
  if (verdict.state === "empty" || !/^[0-9]+$/.test(verdict.digits)) {
    return;
  }
  const atEnd = field.selectionStart === field.value.length;
  const before = judged(field.value.slice(0, field.selectionStart)).digits.length;
  const text = grouped(verdict.digits);
  if (text === field.value) {
    return;
  }
  field.value = text;
  let caret = text.length;
  if (!atEnd) {
    caret = 0;
    for (let seen = 0; seen < before; caret += 1) {
      seen += text[caret] === " " ? 0 : 1;
    }
  }
  field.setSelectionRange(caret, caret);
}

/** Watch the one big field: a verdict at every change, and none is sent that cannot be a token. */
function watch(form) {
  const field = form.querySelector("[data-entry]");
  const says = form.querySelector("[data-says]");
  const count = form.querySelector("[data-count]");
  const button = form.querySelector("button");

  function look(insists) {
    const verdict = judged(field.value);
    regroup(field, verdict);
    const isTold = SAYS_AT_ONCE.has(verdict.state) || insists;
    // Only what changes is read out, not every digit.
    if (isTold ? says.textContent !== verdict.words : says.textContent !== "") {
      says.textContent = isTold ? verdict.words : "";
    }
    count.textContent = isTold ? verdict.count : verdict.words;
    form.dataset.state = insists && verdict.state === "short" ? "wrong" : verdict.state;
    field.setAttribute("aria-invalid", String(form.dataset.state === "wrong"));
    button.disabled = verdict.state !== "ready";
    return verdict;
  }

  let began = 0;
  field.addEventListener("input", (event) => {
    began = look(false).digits.length <= 1 ? event.timeStamp : began;
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && look(true).state !== "ready") {
      event.preventDefault();
      // A person mends one digit; a scanner reads the whole again.
      if (event.timeStamp - began < SCAN_MS_MAX) {
        field.select();
      }
    }
  });
  field.addEventListener("blur", () => look(true));
  form.addEventListener("submit", (event) => {
    if (look(true).state !== "ready") {
      event.preventDefault();
    }
  });
  window.addEventListener("pageshow", () => look(false));
  look(false);
}

/** Send a form once: the second click of a double click is dropped. Going back makes it whole. */
function once(form) {
  form.addEventListener("submit", (event) => {
    if (event.defaultPrevented) {
      return;
    }
    if (form.dataset.sent) {
      event.preventDefault();
    }
    form.dataset.sent = "yes";
  });
  window.addEventListener("pageshow", () => delete form.dataset.sent);
}

document.querySelectorAll("form[data-token]").forEach(watch);
document.querySelectorAll("form[data-once]").forEach(once);
document.querySelectorAll("button[data-print]").forEach((button) => {
  button.hidden = false;
  button.addEventListener("click", () => window.print());
});
