// Opens GraphiQL in Chromium, which can only connect to the app: `pnpm browser`. Screenshots are written to the temporary folder.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { noChromium, startChromium } from "@framework/browser";
import { waitFor } from "@framework/testing";
import { library } from "../library.test-kit.ts";

const skip = noChromium();

/** Opens a query in GraphiQL, executes it, and waits for a text in the result. */
const execute = async (query: string, expected: string): Promise<void> => {
  const running = await library().app.run({
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
    const visit = await chromium.visit(`${url}/graphql?query=${encodeURIComponent(query)}`);
    try {
      const button = `document.querySelector("button.graphiql-execute-button")`;
      await waitFor(() => visit.evaluate<boolean>(`${button} !== null`), {
        what: "the execute button",
        timeoutMs: 60_000,
      });
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
        { what: `"${expected}" in the result`, timeoutMs: 60_000 },
      );
    } finally {
      writeFileSync(join(tmpdir(), "graphiql.png"), await visit.screenshot());
    }
    assert.deepEqual(visit.complaints, []);
    assert.deepEqual(
      visit.requested().filter((each) => !each.startsWith(`${url}/graphql`) && !each.startsWith("blob:")),
      [],
    );
  } finally {
    await running.close();
  }
};

void test(
  "GraphiQL executes a query, with no request to another host and no complaint",
  { skip },
  async () => {
    await execute('{ hello(name: "Ann") }', "Hello, Ann");
  },
);

void test("GraphiQL shows the events of a subscription, over WebSocket", { skip }, async () => {
  await execute("subscription { ticks(to: 3) }", '"ticks": 3');
});
