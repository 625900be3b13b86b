import { App } from "@framework/core";
import { openDatabase } from "@framework/database";
import { withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import { websocket } from "@framework/websocket";
import { afterEach, expect, test } from "@jest/globals";
import { WebSocket } from "ws";
import { graphql } from "./index.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean();
});

/** Starts a service whose query runs on the database server until it is cancelled. Returns its URL, and a function that counts the running statements. */
const serve = async (server: string) => {
  const url = new URL(server);
  url.searchParams.set("application_name", `graphql-${process.pid}`);
  const db = openDatabase({ url: url.href });
  cleanups.push(() => db.close());
  const app = new (App.with(websocket, graphql))().enableGraphql({
    schema: "type Query { sleeps: Int }",
    resolvers: {
      Query: {
        sleeps: async (_: unknown, _args: object, { signal }) => {
          await db.until(signal).fetchValue("SELECT pg_sleep(600)");
          return 1;
        },
      },
    },
  });
  const running = await app.run({ port: 0, logs: false, argv: [], exitOnError: false });
  cleanups.push(() => running.close());
  const sleeping = async (): Promise<number> =>
    Number(
      await db.fetchValue(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 AND state = 'active' AND query = 'SELECT pg_sleep(600)'",
        [`graphql-${process.pid}`],
      ),
    );
  return { url: `${running.url.replace(/\/$/, "")}/graphql`, sleeping };
};

const query = "{ sleeps }";

withServer("postgres", (server) => {
  test("a client that disconnects cancels the statement on the database server", async () => {
    const { url, sleeping } = await serve(server);
    const aborter = new AbortController();
    const reply = fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query }),
      signal: aborter.signal,
    });
    const settled = Promise.allSettled([reply]);
    await waitFor(async () => (await sleeping()) === 1);
    aborter.abort();
    await waitFor(async () => (await sleeping()) === 0);
    expect((await settled)[0]?.status).toBe("rejected");
  });

  test("a `complete` message over WebSocket cancels the statement on the database server", async () => {
    const { url, sleeping } = await serve(server);
    const client = new WebSocket(url.replace("http", "ws"), ["graphql-transport-ws"]);
    cleanups.push(() => client.terminate());
    const types: string[] = [];
    client.on("message", (data: Buffer) =>
      types.push((JSON.parse(data.toString()) as { type: string }).type),
    );
    client.on("open", () => client.send('{"type":"connection_init"}'));
    await waitFor(() => types.includes("connection_ack"));
    client.send(JSON.stringify({ type: "subscribe", id: "1", payload: { query } }));
    await waitFor(async () => (await sleeping()) === 1);
    client.send('{"type":"complete","id":"1"}');
    await waitFor(async () => (await sleeping()) === 0);
    expect(client.readyState).toBe(WebSocket.OPEN);
  });
});
