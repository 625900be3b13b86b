// Opens the pages in Chromium, which can connect only to this computer. Run with `pnpm browser`. Screenshots are written to the temporary folder.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  assertQuiet as assertLocal,
  noChromium,
  saveScreenshot,
  shows,
  tabUntil,
  type View,
  viewName,
  views,
  violations,
  type Visit,
  visitApp,
} from "@framework/browser";
import { booksApp, hostile } from "./books.test-browser.ts";

const skip = noChromium();

const open = (
  text: string,
  path: string,
  facts: (visit: Visit, url: string) => Promise<void>,
  view: View = {},
): Promise<void> =>
  visitApp(
    booksApp(text),
    path,
    (visit, url) =>
      facts(visit, url).catch(async (error: unknown) => {
        await screenshot(visit, "failure");
        throw error;
      }),
    view,
  );

const screenshot = (visit: Visit, name: string): Promise<void> => saveScreenshot(visit, `openapi-${name}`);

const assertQuiet = (visit: Visit, url: string): void => assertLocal(visit, `${url}/`);

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
      // The field applies its text after a delay, so the first clicks may send an empty text.
      await shows(
        visit,
        `${click(`${operation} .execute`)} && document.querySelector("${operation} .live-responses-table")?.textContent.includes("Emma")`,
        "the reply",
      );
      assert.ok(visit.requested().includes(`${url}/books/7`));
      await screenshot(visit, "docs");
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
    await screenshot(visit, "redoc");
    assertQuiet(visit, url);
  }),
);

for (const path of ["/docs", "/redoc"]) {
  void test(
    `hostile text of the document runs no script and sends no request to another host in ${path}`,
    { skip },
    () =>
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
              .filter(
                (requestUrl) => requestUrl.includes("outside.example") && !requestUrl.startsWith(`${url}/`),
              ),
            [],
          );
          await screenshot(visit, `hostile${path.replace("/", "-")}`);
        },
      ),
  );
}

void test("an operation can be opened in Swagger UI by keyboard alone", { skip }, () =>
  open("", "/docs", async (visit, url) => {
    await shows(visit, complete["/docs"], "the operations");
    const operation = `document.querySelector("#operations-books-get_books_id")`;
    await tabUntil(visit, `${operation}.querySelector("button") === document.activeElement`);
    await visit.press("Enter");
    await shows(visit, `${operation}.querySelector(".try-out__btn")`, "the open operation");
    await tabUntil(visit, `document.activeElement.classList.contains("try-out__btn")`);
    assert.deepEqual(await violations(visit), []);
    assertQuiet(visit, url);
  }),
);

void test("an operation can be found in Redoc by keyboard alone", { skip }, () =>
  open("", "/redoc", async (visit, url) => {
    await shows(visit, complete["/redoc"], "the operations");
    await tabUntil(visit, `document.activeElement.matches("input[placeholder^=Search]")`);
    await visit.type("books");
    await shows(visit, `document.querySelector("[data-role='search:results']")`, "search results");
    assertQuiet(visit, url);
  }),
);

/** Expressions that are true once a page is complete. */
const complete = {
  "/docs": `document.querySelector("#operations-books-get_books_id")`,
  "/redoc": `document.body.textContent.includes("GET /books/{id}")`,
} as const;

for (const [path, isComplete] of Object.entries(complete))
  for (const view of views)
    void test(
      `${path} ${viewName(view)} has no accessibility violations, logged errors or requests to other hosts`,
      { skip },
      () =>
        open(
          "",
          path,
          async (visit, url) => {
            await shows(visit, isComplete, "the operations");
            await screenshot(visit, `${path.slice(1)}-${view.width}-${view.colours}`);
            assert.deepEqual(await violations(visit), []);
            assertQuiet(visit, url);
          },
          view,
        ),
    );
