// Reads an amount back while it is typed: grouped by thousands, or what is wrong with it.
// Every form works without it; the server judges again whatever is sent.

const AMOUNT = /^[0-9]{1,15}(\.[0-9]{1,2})?$/;
const BEGUN = /^[0-9]{1,15}\.$/;
const PAUSE_MS = 400; // what is read out waits for the end of the typing

/** An amount with its thousands apart and two places. */
export function grouped(text) {
  const [whole, places = ""] = text.split(".");
  const digits = whole.replace(/^0+(?=[0-9])/, "");
  return `${digits.replace(/\B(?=([0-9]{3})+$)/g, ",")}.${places.padEnd(2, "0")}`;
}

/** What is said of an entry; nothing of one that is empty or not typed to its end. */
export function said(entry) {
  const text = entry.trim();
  if (text === "" || BEGUN.test(text)) {
    return "";
  }
  if (AMOUNT.test(text)) {
    return `That is ${grouped(text)}.`;
  }
  return text.includes(",") ? "Leave the commas out." : "Digits and a point alone, such as 72.90.";
}

function watch(field) {
  const reads = document.getElementById(`${field.id}-reads`);
  let waits = 0;
  field.addEventListener("input", () => {
    clearTimeout(waits);
    waits = setTimeout(() => {
      reads.textContent = said(field.value);
    }, PAUSE_MS);
  });
  reads.textContent = said(field.value);
}

document.querySelectorAll("input[data-amount]").forEach(watch);
