// Opens GraphiQL in Chromium, which can connect only to this computer. Run with `pnpm browser`. Screenshots are written to the temporary folder.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  assertQuiet,
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
import { waitFor } from "@framework/testing";
import { library } from "../library.test-kit.ts";

const skip = noChromium();

/** Opens a query in GraphiQL; then checks that the page logged no errors and sent no requests to other hosts. */
const openQuery = (query: string, view: View, check: (visit: Visit) => Promise<void>): Promise<void> =>
  visitApp(
    library().app,
    `/graphql?query=${encodeURIComponent(query)}`,
    async (visit, url) => {
      await check(visit).finally(() => saveScreenshot(visit, "graphiql"));
      assertQuiet(visit, `${url}/graphql`);
    },
    view,
  );

/** Executes the query in GraphiQL, and waits for a text in the result. */
const execute = (query: string, expected: string): Promise<void> =>
  openQuery(query, {}, async (visit) => {
    const button = `document.querySelector("button.graphiql-execute-button")`;
    await shows(visit, `${button} !== null`, "the execute button");
    const shown = `document.querySelector(".result-window, .graphiql-response")?.textContent.replaceAll("\\u00a0", " ") ?? ""`;
    await waitFor(
      async () => {
        const text = await visit.evaluate<string>(shown);
        if (text.includes(expected)) return true;
        await visit.evaluate(
          `${button}.getAttribute("aria-label").startsWith("Execute") && ${button}.click()`,
        );
        return false;
      },
      { subject: `"${expected}" in the result`, timeoutMs: 60_000 },
    );
  });

void test(
  "GraphiQL executes a query, without requests to other hosts or logged errors",
  { skip },
  async () => {
    await execute('{ hello(name: "Ann") }', "Hello, Ann");
  },
);

void test("GraphiQL shows the events of a subscription, over WebSocket", { skip }, async () => {
  await execute("subscription { ticks(to: 3) }", '"ticks": 3');
});

void test("a query can be executed in GraphiQL by keyboard alone", { skip }, () =>
  openQuery('{ hello(name: "Ann") }', {}, async (visit) => {
    const button = `document.querySelector("button.graphiql-execute-button")`;
    await shows(visit, button, "the execute button");
    await tabUntil(visit, `${button} === document.activeElement`);
    await visit.press("Enter");
    await shows(
      visit,
      `document.querySelector(".graphiql-response")?.textContent.includes("Hello")`,
      "the result",
    );
  }),
);

for (const view of views)
  void test(
    `GraphiQL ${viewName(view)} has no accessibility violations, logged errors or requests to other hosts`,
    { skip },
    () =>
      openQuery('{ hello(name: "Ann") }', view, async (visit) => {
        await shows(visit, `document.querySelector("button.graphiql-execute-button")`, "the execute button");
        await saveScreenshot(visit, `graphiql-${view.width}-${view.colours}`);
        assert.deepEqual(await violations(visit), []);
      }),
  );
