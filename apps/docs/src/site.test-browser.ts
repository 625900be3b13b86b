// Tests the built site in Chromium, which can connect to its server only: `pnpm --filter @framework/docs browser`.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  assertQuiet,
  assertUsable,
  type Chromium,
  FOCUSED_TEXT,
  noChromium,
  shows,
  startChromium,
  type View,
  viewName,
  views,
  violations,
  type Visit,
} from "@framework/browser";
import type { Running } from "@framework/core";
import { builtSite } from "./built-site.test-kit.ts";
import { siteApp } from "./serve/site-app.ts";

const skip = noChromium();

let shared: Promise<{ readonly running: Running; readonly chromium: Chromium }> | undefined;
const start = async () => ({
  running: await siteApp(builtSite()).run({
    host: "127.0.0.1",
    port: 0,
    argv: [],
    environment: {},
    logs: false,
  }),
  chromium: await startChromium(),
});
after(async () => {
  const { running, chromium } = (await shared) ?? {};
  await chromium?.[Symbol.asyncDispose]();
  await running?.close();
});

/** Opens a page, and checks afterwards that it has no problems and sent no request to another host. */
const visitPage = async (path: string, view: View, facts: (visit: Visit) => Promise<void>): Promise<void> => {
  const { running, chromium } = await (shared ??= start());
  await using visit = await chromium.visit(`${running.url}/${path}`, view);
  await facts(visit);
  assertQuiet(visit, `${running.url}/`);
};

/** One page of each kind. */
const kinds = [
  "",
  "packages/core/running/",
  "packages/core/error-codes/",
  "api/cache/",
  "errors/",
  "errors/CORE_ALREADY_STARTED/",
  "benchmarks/",
  "guides/sagas/",
  "choosing/",
  "coming-from/spring/",
];

for (const view of views) {
  void test(
    `pages ${viewName(view)} have no accessibility violation, logged error or horizontal scrolling`,
    { skip },
    async () => {
      for (const path of kinds) await visitPage(path, view, (visit) => assertUsable(visit, path));
    },
  );
}

const active = (visit: Visit) => visit.evaluate<string>(FOCUSED_TEXT);

void test("the search can be used by keyboard alone", { skip }, () =>
  visitPage("", {}, async (visit) => {
    await visit.press("/");
    await visit.type("CORE_ALREADY_STARTED");
    await shows(visit, `document.querySelector("#search li")`);
    assert.deepEqual(await violations(visit), []);
    await visit.press("ArrowDown");
    assert.match(await active(visit), /^CORE_ALREADY_STARTED/);
    await visit.press("ArrowUp");
    await visit.press("Escape");
    assert.equal(await visit.evaluate(`document.querySelector("#search").open`), false);
    await visit.press("/");
    await visit.press("Enter");
    await shows(visit, `location.pathname === "/errors/CORE_ALREADY_STARTED/"`);
  }),
);

void test("the first tab stop skips the navigation", { skip }, () =>
  visitPage("packages/core/", {}, async (visit) => {
    await visit.press("Tab");
    assert.equal(await active(visit), "Skip to content");
    await visit.press("Enter");
    await shows(visit, `document.activeElement.id === "content"`);
  }),
);

void test("the chosen colours are kept on the next page", { skip }, () =>
  visitPage("", { colours: "light" }, async (visit) => {
    const background = () => visit.evaluate<string>("getComputedStyle(document.body).backgroundColor");
    const light = await background();
    await visit.evaluate(`document.querySelector("#theme").click()`);
    const dark = await background();
    assert.notEqual(dark, light);
    await visit.follow(`document.querySelector("main a[href]").click()`);
    assert.equal(await background(), dark);
  }),
);
