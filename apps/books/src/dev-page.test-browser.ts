// Opens the dev page of the service in Chromium, which can only connect to this computer: `pnpm browser`. Screenshots are written to the temporary folder.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  assertQuiet,
  assertUsable,
  FOCUSED_TEXT,
  noChromium,
  saveScreenshot,
  shows,
  startChromium,
  tabUntil,
  type View,
  viewName,
  views,
  type Visit,
} from "@framework/browser";
import { withFilledPanels } from "./dev-page.test-kit.ts";

const skip = noChromium();

/** Opens the dev page; afterwards checks that it had no problems and sent no request to another host. */
const withDevPage = (view: View, facts: (visit: Visit, url: string) => Promise<void>): Promise<void> =>
  withFilledPanels(async ({ service, page }) => {
    await using chromium = await startChromium();
    await using visit = await chromium.visit(String(page), view);
    await shows(visit, `document.querySelector("#state").textContent === "Live"`, "the connection");
    await shows(visit, `document.querySelector('nav a[href="#panel-work"]')`, "the panels");
    await facts(visit, service.url);
    assertQuiet(visit, `${page?.origin}/`);
  });

const has = (text: string): string =>
  `document.querySelector("main").textContent.includes(${JSON.stringify(text)})`;

/** Opens each view by its link, and checks it. */
const eachView = async (visit: Visit, check: (at: string) => Promise<void>): Promise<void> => {
  const links = await visit.evaluate<string[]>(
    `[...document.querySelectorAll("nav a")].map((each) => each.getAttribute("href").slice(1))`,
  );
  assert.deepEqual(links.slice(0, 3), ["requests", "routes", "metrics"]);
  for (const at of links) {
    await visit.evaluate(`document.querySelector('nav a[href="#${at}"]').click()`);
    await shows(visit, `document.querySelector('nav a[href="#${at}"]')?.ariaCurrent === "page"`, at);
    await check(at);
  }
};

for (const view of views)
  void test(
    `every view of the dev page ${viewName(view)} has no accessibility violation, logged error or horizontal scrolling`,
    { skip },
    () =>
      withDevPage(view, async (visit, url) => {
        await fetch(`${url}/books`);
        await shows(visit, has("GET /books"), "the request");
        await eachView(visit, async (at) => {
          if (at === "panel-sagas" || at === "panel-parked") {
            await visit.evaluate(`document.querySelector("tbody td button").click()`);
            await shows(visit, `document.querySelector("section h4")`, `details of ${at}`);
          }
          await assertUsable(visit, at);
          await saveScreenshot(visit, `books-${at}-${view.width}-${view.colours}`);
        });
      }),
  );

void test(
  "a circuit can be opened, and an earlier state of a stream viewed, with the keyboard alone",
  { skip },
  () =>
    withDevPage({}, async (visit, url) => {
      await tabUntil(visit, `${FOCUSED_TEXT} === "Circuits"`);
      await visit.press("Enter");
      await shows(visit, has("GET /books"), "the circuits");
      await tabUntil(visit, `document.activeElement.ariaLabel === "Open: GET /books"`);
      await visit.press("Enter");
      await shows(visit, `document.querySelector('[aria-label="Close: GET /books"]')`, "the open circuit");
      assert.equal((await fetch(`${url}/books`)).status, 503);
      await visit.evaluate("document.activeElement.blur()");
      await tabUntil(visit, `${FOCUSED_TEXT} === "Time machine of streams"`);
      await visit.press("Enter");
      await tabUntil(visit, `${FOCUSED_TEXT} === "Open a stream"`);
      await visit.press("Enter");
      await shows(visit, `document.activeElement.id === "field-stream"`, "the field");
      await visit.type("loan-1");
      await visit.press("Enter");
      await tabUntil(visit, `${FOCUSED_TEXT} === "loan-1"`);
      await visit.press("Enter");
      await shows(visit, has("BookBorrowed"), "the event");
      await assertUsable(visit, "the stream");
    }),
);
