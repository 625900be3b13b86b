import type { Awaitable } from "@framework/core";
import type { AppUnderTest } from "./app-under-test.ts";
import type { TestClient } from "./client.ts";
import type { RegisterTest } from "./register-test.ts";
import { type AppClientOptions, socketClient, testClient } from "./test-client.ts";

/** What a client finds out about an application; each name is a test's. */
export type ClientFacts<App> = Readonly<Record<string, (client: TestClient, app: App) => Awaitable<void>>>;

/**
 * Registers every fact twice: over `fetch` and over a socket, with an app of its own each time that is stopped afterwards.
 *
 * @example
 * eachClient(test, createBooksApp, {
 *   "an unknown book is not found": async (client) => {
 *     expect((await client.get("/books/9")).status).toBe(404);
 *   },
 * });
 */
export const eachClient = <App extends AppUnderTest>(
  test: RegisterTest,
  makeApp: () => Awaitable<App>,
  facts: ClientFacts<App>,
  options: AppClientOptions = {},
): void => {
  for (const [door, connect] of [
    ["fetch", testClient],
    ["socket", socketClient],
  ] as const) {
    for (const [name, fact] of Object.entries(facts)) {
      test(`${name} (${door})`, async () => {
        const app = await makeApp();
        await using client = connect(app, options);
        await fact(client, app);
      });
    }
  }
};
