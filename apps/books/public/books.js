const MAX_SHOWN = 100;
const byId = (id) => document.getElementById(id);
const [list, count, live, message, add, login] = ["books", "count", "live", "message", "add", "login"].map(
  byId,
);

const randomHex = (bytes) =>
  Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");

/** Returns the `traceparent` of a new trace (W3C Trace Context), which the service continues and records. */
const newTrace = () => `00-${randomHex(16)}-${randomHex(8)}-03`;

/** Returns the CSRF token, which changes with the session. */
const csrfToken = () => /(?:^|; )_csrf=([^;]+)/.exec(document.cookie)?.[1];

const sendOnce = (method, path, body) =>
  fetch(path, {
    method,
    headers: {
      ...(method !== "GET" && { traceparent: newTrace(), "x-csrf-token": csrfToken() ?? "" }),
      ...(body && { "content-type": "application/json" }),
    },
    body: body && JSON.stringify(body),
  });

/** Sends a request; if its CSRF token is refused, repeats it with the new token from the reply. */
const send = async (method, path, body) => {
  const before = csrfToken();
  let reply = await sendOnce(method, path, body);
  if (reply.status === 403 && csrfToken() !== before) reply = await sendOnce(method, path, body);
  const data = await reply.json();
  if (reply.ok) return data;
  throw Object.assign(new Error(data.detail ?? data.error), { status: reply.status });
};

const showMessage = (text, isProblem = false) => {
  message.textContent = text;
  message.classList.toggle("problem", isProblem);
};

/** Makes a change. If it fails, shows the error; if the user is not logged in, also the login form. */
const attempt = async (change) => {
  showMessage("");
  try {
    await change();
  } catch (error) {
    showMessage(error.message, true);
    if (error.status !== 401) return;
    login.hidden = false;
    login.elements.user.focus();
  }
};

const createItem = ({ id, title, author, genre, year }) => {
  const entry = document.createElement("li");
  const text = document.createElement("div");
  const details = document.createElement("span");
  const button = document.createElement("button");
  details.textContent = ` ${[author, genre, year].filter((part) => part !== null).join(", ")}`;
  text.append(title, details);
  button.textContent = "Remove";
  button.ariaLabel = `Remove ${title}`;
  button.addEventListener("click", () => attempt(() => send("DELETE", `/books/${id}`)));
  entry.append(text, button);
  return entry;
};

let latest = 0;
const show = async () => {
  const call = ++latest;
  const { books, total } = await send("GET", `/books?limit=${MAX_SHOWN}`);
  if (call !== latest) return; // a later call shows a newer list
  list.replaceChildren(...books.map(createItem));
  const first = total > books.length ? `, the first ${books.length} are shown` : "";
  count.textContent = total === 1 ? "1 book" : `${total} books${first}`;
};

const refresh = () =>
  show().catch((error) => {
    count.textContent = `The list could not be loaded: ${error.message}`;
  });

/** Returns the fields of a form without the empty ones, for which the service has defaults. */
const nonEmptyFields = (form) =>
  Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ""));

add.addEventListener("submit", (event) => {
  event.preventDefault();
  const { year, ...texts } = nonEmptyFields(add);
  const book = year === undefined ? texts : { ...texts, year: Number(year) };
  void attempt(async () => {
    await send("POST", "/books", book);
    add.reset();
    add.elements.title.focus();
  });
});

login.addEventListener("submit", (event) => {
  event.preventDefault();
  void attempt(async () => {
    await send("POST", "/session", nonEmptyFields(login));
    login.reset();
    login.hidden = true;
    showMessage("You are signed in. Repeat your change.");
  });
});

void refresh();
const feed = new WebSocket(`${location.origin.replace("http", "ws")}/feed`);
feed.addEventListener("open", () => {
  live.textContent = "Changes appear as they happen.";
  void refresh(); // the first list may lack a change made before the connection was open
});
feed.addEventListener("message", refresh);
feed.addEventListener("close", () => {
  live.textContent = "The live connection is closed. Reload the page to see changes.";
});
