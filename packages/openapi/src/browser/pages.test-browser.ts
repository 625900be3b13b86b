// Opens the pages in Chromium, which can only connect to the app: `pnpm browser`. Screenshots are written to the temporary folder.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { noChromium, startChromium, type Visit } from "@framework/browser";
import { waitFor } from "@framework/testing";
import { booksApp, hostile } from "./books.test-browser.ts";

const skip = noChromium();

const open = async (text: string, path: string, facts: (visit: Visit, url: string) => Promise<void>) => {
  const app = booksApp(text);
  const running = await app.run({
    host: "127.0.0.1",
    port: 0,
    argv: [],
    environment: {},
    logs: false,
    workers: 1,
  });
  try {
    await using chromium = await startChromium();
    const url = running.url.replace(/\/$/, "");
    const visit = await chromium.visit(`${url}${path}`);
    await facts(visit, url).catch(async (error: unknown) => {
      await picture(visit, "failure");
      throw error;
    });
  } finally {
    await running.close();
  }
};

const shows = (visit: Visit, expression: string, what: string) =>
  waitFor(() => visit.evaluate<boolean>(expression), { what, timeoutMs: 60_000 });

const picture = async (visit: Visit, name: string): Promise<void> =>
  writeFileSync(join(tmpdir(), `openapi-${name}.png`), await visit.screenshot());

const assertQuiet = (visit: Visit, url: string): void => {
  assert.deepEqual(visit.complaints, []);
  assert.deepEqual(
    visit.requested().filter((asked) => !asked.startsWith(`${url}/`) && !asked.startsWith("blob:")),
    [],
  );
};

const click = (selector: string): string =>
  `(document.querySelector(${JSON.stringify(selector)}).click() ?? true)`;

void test(
  "Swagger UI shows the operations and tries one out, without requests to other hosts",
  { skip },
  () =>
    open("", "/docs", async (visit, url) => {
      const operation = "#operations-books-get_books_id";
      await shows(visit, `document.querySelector("${operation}") !== null`, "the operation");
      await visit.evaluate(click(`${operation} .opblock-summary-control`));
      await shows(visit, `document.querySelector("${operation} .try-out__btn") !== null`, "the button");
      await visit.evaluate(click(`${operation} .try-out__btn`));
      await shows(visit, `document.querySelector("${operation} input") !== null`, "the parameter's field");
      await visit.evaluate(`{
      const input = document.querySelector("${operation} input");
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(input, "7");
      input.dispatchEvent(new Event("input", { bubbles: true }));
    }`);
      // the field applies its text after a delay, so the first clicks may send none
      await shows(
        visit,
        `${click(`${operation} .execute`)} && document.querySelector("${operation} .live-responses-table")?.textContent.includes("Emma")`,
        "the reply",
      );
      assert.ok(visit.requested().includes(`${url}/books/7`));
      await picture(visit, "docs");
      assertQuiet(visit, url);
    }),
);

void test("Redoc shows the operations and finds one, without requests to other hosts", { skip }, () =>
  open("", "/redoc", async (visit, url) => {
    await shows(visit, `document.body.textContent.includes("GET /books/{id}")`, "the operation");
    await visit.evaluate(`{
      const input = document.querySelector("input[placeholder^=Search]");
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(input, "books");
      input.dispatchEvent(new Event("input", { bubbles: true }));
    }`);
    await shows(visit, `document.querySelector("[data-role='search:results']") !== null`, "search results");
    await picture(visit, "redoc");
    assertQuiet(visit, url);
  }),
);

for (const path of ["/docs", "/redoc"]) {
  void test(`no hostile text of the document runs as a script in ${path}`, { skip }, () =>
    open(
      hostile,
      `${path}?url=https://outside.example/x.json&configUrl=https://outside.example/c.json`,
      async (visit, url) => {
        await shows(visit, `document.body.textContent.includes("2.0.0")`, "the version");
        await shows(visit, `document.body.textContent.includes("anchor")`, "the description");
        await visit.evaluate(
          `for (const link of document.querySelectorAll("a[href^='javascript:'], #lure")) link.click()`,
        );
        assert.equal(await visit.evaluate("String(globalThis.ran)"), "undefined");
        assert.deepEqual(
          visit
            .requested()
            .filter((asked) => asked.includes("outside.example") && !asked.startsWith(`${url}/`)),
          [],
        );
        await picture(visit, `hostile${path.replace("/", "-")}`);
      },
    ),
  );
}
