// Opens the page in Chromium, which can connect only to this computer. Run with `pnpm browser`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { noChromium, type Visit, visitApp } from "@framework/browser";
import { waitFor } from "@framework/testing";
import { createBooksApp } from "./app.ts";
import { startCollector } from "./collector.test-kit.ts";
import { booksSettings } from "./settings.ts";

const skip = noChromium();

const open = (
  env: Readonly<Record<string, string>>,
  facts: (visit: Visit, url: string) => Promise<void>,
): Promise<void> => {
  const settings = booksSettings({ DATABASE_URL: "sqlite://:memory:", BOOKS_LOG: "silent", ...env });
  return visitApp(createBooksApp(settings), "/", async (visit, url) => {
    await facts(visit, url);
    assert.deepEqual(
      visit.requested().filter((each) => new URL(each).host !== new URL(url).host),
      [],
    );
  });
};

const submit = (visit: Visit, form: string, fields: Readonly<Record<string, string>>) =>
  visit.evaluate(`{
    const form = document.querySelector("${form}");
    for (const [name, value] of Object.entries(${JSON.stringify(fields)})) form.elements[name].value = value;
    form.requestSubmit();
  }`);

const shows = (visit: Visit, selector: string, text: string) => {
  const read = `document.querySelector("${selector}")?.textContent.trim()`;
  return waitFor(async () => (await visit.evaluate(read)) === text, { subject: `"${text}" in ${selector}` });
};

const hostile = "<img src=x onerror=\"globalThis.ran='title'\">";

void test("the page adds, lists and removes books, and shows changes of other clients", { skip }, () =>
  open({}, async (visit, url) => {
    await shows(visit, "#count", "0 books");
    await shows(visit, "#live", "Changes appear as they happen.");
    await submit(visit, "#add", { title: "Emma", author: "Jane Austen", year: "1815" });
    await shows(visit, "#books div", "Emma Jane Austen, General, 1815");
    const headers = { "content-type": "application/json" };
    await fetch(`${url}/books`, { method: "POST", headers, body: JSON.stringify({ title: hostile }) });
    await shows(visit, "#books li:last-child div", `${hostile} Unknown, General`);
    await visit.evaluate(`document.querySelector('[aria-label="Remove Emma"]').click()`);
    await shows(visit, "#count", "1 book");
    assert.equal(await visit.evaluate("globalThis.ran"), undefined);
    assert.deepEqual(visit.problems, []);
  }),
);

void test(
  "the page explains a refused change, and asks for a sign-in if the service is protected",
  { skip },
  () =>
    open({ BOOKS_SECRET: "0123456789abcdef0123456789abcdef", BOOKS_PASSWORD: "p" }, async (visit) => {
      await shows(visit, "#count", "0 books");
      await submit(visit, "#add", { title: "Emma" });
      await waitFor(() => visit.evaluate<boolean>("!document.querySelector('#login').hidden"));
      await submit(visit, "#login", { user: "ada", password: "wrong" });
      await shows(visit, "#message", "Invalid credentials");
      await submit(visit, "#login", { user: "ada", password: "p" });
      await shows(visit, "#message:not(.problem)", "You are signed in. Repeat your change.");
      await submit(visit, "#add", { title: "Emma", year: "2.5" });
      await submit(visit, "#add", { title: "Emma", year: "1815" });
      await shows(visit, "#count", "1 book");
    }),
);

void test(
  "one trace has the change in the page, its request, its message and the consumer",
  { skip },
  async () => {
    await using collector = await startCollector();
    await open({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, async (visit, url) => {
      await shows(visit, "#count", "0 books");
      await submit(visit, "#add", { title: "Emma" });
      await shows(visit, "#count", "1 book");
      await waitFor(async () => (await (await fetch(`${url}/search?word=emma`)).text()).includes("Emma"));
    });
    const request = collector.spans.find(({ name }) => name === "POST /books");
    const ofTrace = collector.spans.filter(({ trace }) => trace === request?.trace);
    assert.match(request?.parent ?? "", /^[\da-f]{16}$/); // the page's own id
    assert.ok(!ofTrace.some(({ id }) => id === request?.parent));
    for (const name of ["send books", "process books"]) assert.ok(ofTrace.some((span) => span.name === name));
  },
);
