import type { Awaitable, TransportName } from "@framework/core";
import type { RegisterTest } from "@framework/core/testing";
import type { AppUnderTest } from "./app-under-test.ts";
import type { TestClient } from "./client.ts";
import { type AppClientOptions, socketClient, testClient } from "./test-client.ts";

/** Tests of an application by name. */
export type ClientFacts<App> = Readonly<Record<string, (client: TestClient, app: App) => Awaitable<void>>>;

/**
 * Registers every test three times: over `fetch` and over a socket of each transport, each with its own app, which is stopped afterwards.
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
  const overSocket = (transport: TransportName) => (app: App) => socketClient(app, { ...options, transport });
  for (const [transport, connect] of [
    ["fetch", (app: App) => testClient(app, options)],
    ["socket, fast transport", overSocket("fast")],
    ["socket, node transport", overSocket("node")],
  ] as const) {
    for (const [name, fact] of Object.entries(facts)) {
      test(`${name} (${transport})`, async () => {
        const app = await makeApp();
        await using client = connect(app);
        await fact(client, app);
      });
    }
  }
};
