// Tries the partner API from its page. The key lives in its field alone: nothing keeps it.

const TEST_KEY = /^pk_test_[0-9a-z]{1,20}\.[\w-]{20,100}$/;
const ANSWER_MS_MAX = 20_000;
const key = document.getElementById("key");
const keyProblem = document.getElementById("key-problem");

/** What is wrong with the key in its field; "" when it can be sent. */
function wrongKey() {
  const given = key.value.trim();
  if (given === "") {
    return "Paste a test key first.";
  }
  if (given.startsWith("pk_live_")) {
    key.value = "";
    return "That was a live key: it moves money and does not belong on a page. It was taken out.";
  }
  return TEST_KEY.test(given) ? "" : "A test key reads pk_test_….secret.";
}

/** A text as one word of a shell. */
function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The request that a form stands for. */
function requestOf(form) {
  let path = form.dataset.path;
  for (const place of form.querySelectorAll("[data-place]")) {
    const value = encodeURIComponent(place.value.trim() || place.placeholder);
    path = path.replace(`{${place.dataset.place}}`, value);
  }
  const query = new URLSearchParams();
  for (const asked of form.querySelectorAll("[data-asks]")) {
    if (asked.value.trim() !== "") {
      query.set(asked.dataset.asks, asked.value.trim());
    }
  }
  const headers = {};
  const once = form.querySelector(".once");
  const body = form.querySelector("[data-body]");
  if (once) {
    headers["Idempotency-Key"] = once.value.trim();
  }
  if (body) {
    headers["Content-Type"] = "application/json";
  }
  const asked = query.size ? `?${query}` : "";
  return { method: form.dataset.method, path: path + asked, headers, body: body?.value };
}

/** The same for a shell; the key stays out of it, and so out of its history. */
function curlOf({ method, path, headers, body }) {
  const parts = [`curl -X ${method} ${quoted(location.origin + path)}`];
  parts.push('-H "Authorization: Bearer $KEY"');
  for (const [name, value] of Object.entries(headers)) {
    parts.push(`-H ${quoted(`${name}: ${value}`)}`);
  }
  if (body !== undefined) {
    parts.push(`--data ${quoted(body)}`);
  }
  return parts.join(" \\\n  ");
}

function element(name, text, ...classes) {
  const made = document.createElement(name);
  made.textContent = text;
  made.classList.add(...classes);
  return made;
}

function block(text, label) {
  const made = element("pre", text);
  made.tabIndex = 0;
  made.setAttribute("role", "region");
  made.setAttribute("aria-label", label);
  return made;
}

/** A body as people read it. */
function readable(text, type) {
  try {
    return type.includes("json") ? JSON.stringify(JSON.parse(text), null, 2) : text;
  } catch {
    return text;
  }
}

async function show(place, answer, tookMs) {
  const line = element("p", "");
  const kind = answer.ok ? "good" : "bad";
  line.append(element("span", `${answer.status} ${answer.statusText}`.trim(), "state", kind));
  line.append(element("span", ` in ${Math.round(tookMs)} ms`, "hint"));
  const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
  const body = readable(await answer.text(), answer.headers.get("content-type") ?? "");
  const blocks = [block(headers, "Headers of the answer"), block(body, "Body of the answer")];
  place.replaceChildren(line, ...blocks);
}

async function send(form) {
  const problem = form.querySelector(".problem");
  const place = form.querySelector(".answer");
  const button = form.querySelector("button:not(.plain)");
  keyProblem.textContent = wrongKey();
  problem.textContent = keyProblem.textContent && "See the key, at the top.";
  if (problem.textContent) {
    key.focus();
    return;
  }
  const { method, path, headers, body } = requestOf(form);
  button.disabled = true;
  const began = performance.now();
  try {
    const answer = await fetch(path, {
      method,
      body,
      headers: { ...headers, Authorization: `Bearer ${key.value.trim()}` },
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    });
    await show(place, answer, performance.now() - began);
  } catch {
    problem.textContent = "No answer came: send it again with the same Idempotency-Key.";
  } finally {
    button.disabled = false;
  }
}

/** A name for the next request; where the page is not served safely there is no randomUUID. */
function fresh() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function begin(form) {
  const once = form.querySelector(".once");
  const curl = form.querySelector(".curl");
  const write = () => {
    curl.textContent = curlOf(requestOf(form));
  };
  if (once) {
    once.value = fresh();
    form.querySelector(".fresh").addEventListener("click", () => {
      once.value = fresh();
      write();
    });
  }
  for (const body of form.querySelectorAll("[data-body]")) {
    body.value = document.getElementById(body.dataset.body).textContent;
  }
  form.noValidate = true;
  form.addEventListener("input", write);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(form);
  });
  write();
}

document.querySelectorAll(".trial").forEach(begin);
document.querySelectorAll(".try, #key-form").forEach((hidden) => {
  hidden.hidden = false;
});
document.getElementById("key-form").addEventListener("submit", (event) => event.preventDefault());
key.addEventListener("input", () => {
  keyProblem.textContent = key.value.trim().startsWith("pk_live_") ? wrongKey() : "";
});
// Also where the browser keeps the whole page for "back".
addEventListener("pagehide", () => {
  key.value = "";
});
key.value = "";
