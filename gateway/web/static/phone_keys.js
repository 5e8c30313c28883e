// The keys of the handset, on the page and on the keyboard.

import { element } from "./phone_panels.js";

const LINE_PX = 19;
const PRESSED_MS = 120;
const ALWAYS = ["Enter", "Escape", "ArrowUp", "ArrowDown"]; // of the keyboard, while one types

function scrollScreen(lines) {
  element("lcd-text").scrollBy({ top: lines * LINE_PX });
}

function flash(button) {
  button.classList.add("pressed");
  setTimeout(() => button.classList.remove("pressed"), PRESSED_MS);
}

/** A code is pasted as it is; of anything else, a token with its spaces, the digits. */
function pasted(text) {
  const plain = text.trim();
  return /^[*\d][\d *#-]*$/.test(plain) ? plain.replace(/[ -]/g, "") : plain.slice(0, 182);
}

/** A press of the mouse takes no focus: Enter then means the phone's, not the same button again. */
function keepFocus(event) {
  if (!event.target.closest("#handset button, #chips button, #repeat, .inline")) return;
  event.preventDefault();
  const focused = document.activeElement;
  if (focused !== element("entry")) focused?.blur();
}

/**
 * Listen to every key. `phone` gives the handset at hand (or null), `right` does what the screen
 * says above the right soft key.
 */
export function listenToKeys(phone, right) {
  const onKeyboard = {
    Enter: ["key-left", () => phone().confirm()],
    Escape: ["key-end", () => phone().hangUp()],
    Backspace: ["key-right", () => phone().erase()],
    ArrowUp: ["key-up", () => scrollScreen(-2)],
    ArrowDown: ["key-down", () => scrollScreen(2)],
  };
  const onPage = {
    "key-left": () => phone().confirm(),
    "key-right": right,
    "key-call": () => phone().call(),
    "key-end": () => phone().hangUp(),
    "key-up": () => scrollScreen(-2),
    "key-down": () => scrollScreen(2),
  };

  function pressed(event) {
    const { target, key } = event;
    const typing = target === element("entry");
    if (!phone() || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!typing && target.closest("input, textarea")) return;
    if (typing && !ALWAYS.includes(key)) return;
    // Enter belongs to the button that has the focus, the arrows to the panel.
    if (key === "Enter" && target.closest("button, summary")) return;
    if (key.startsWith("Arrow") && target.closest(".panel")) return;
    const [id, act] = Object.hasOwn(onKeyboard, key) ? onKeyboard[key] : [];
    if (!act && !/^[0-9*#]$/.test(key)) return;
    event.preventDefault();
    flash(id ? element(id) : document.querySelector(`[data-key="${key}"]`));
    if (act) act();
    else phone().type(key);
  }

  for (const [id, act] of Object.entries(onPage)) element(id).addEventListener("click", act);
  for (const key of document.querySelectorAll("[data-key]")) {
    key.addEventListener("click", () => phone().type(key.dataset.key));
  }
  document.addEventListener("mousedown", keepFocus);
  element("entry").addEventListener("input", ({ target }) => phone().rewrite(target.value));
  document.addEventListener("keydown", pressed);
  document.addEventListener("paste", (event) => {
    if (!phone() || event.target.closest("input:not(#entry), textarea")) return;
    event.preventDefault();
    phone().type(pasted(event.clipboardData.getData("text")));
  });
}
