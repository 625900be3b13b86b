import { App, type Logger } from "@framework/core";
import type { Feature } from "@framework/core/feature";
import { expect, test } from "@jest/globals";
import { clientFor, socketClient, testClient } from "./index.ts";

const failingApp = (): App => {
  const app = new App();
  app.get("/boom", () => {
    throw new Error("no luck");
  });
  return app;
};

test.each([
  ["fetch", testClient],
  ["a socket", socketClient],
])("over %s, the cause of a 500 is in the client's log, even in production", async (_name, connect) => {
  await using client = connect(failingApp(), { env: "production" });
  expect((await client.get("/boom")).text).not.toContain("no luck");
  expect(client.logs).toEqual([
    {
      level: "error",
      message: "GET /boom failed: no luck",
      fields: expect.objectContaining({ error: expect.objectContaining({ message: "no luck" }) }),
    },
  ]);
});

test("each client has the log of the app that it started, with request lines unless logs is false", async () => {
  await using one = testClient(failingApp());
  await using two = testClient(failingApp(), { logs: false });
  for (const client of [one, two]) await client.get("/nowhere");
  expect(one.logs).toEqual([
    { level: "info", message: expect.stringMatching(/^GET \/nowhere -> 404/), fields: {} },
  ]);
  expect(two.logs).toEqual([]);
  await using other = clientFor(await one.url());
  expect(other.logs).toEqual([]);
});

/** A feature that writes log lines, to the test's logger if it collects lines. */
const lineWriter: Feature<{ enableWriting(): unknown }> = {
  name: "writing",
  install: (host) => ({
    enableWriting: () =>
      host.life.onStart(({ log }) => {
        log.warn("slow");
        log.collect?.('{"level":"debug","message":"own","size":7}\n');
        log.collect?.("no JSON\n");
        log.collect?.('{"level":"info","status":200}\n');
      }),
  }),
};
const writingApp = (): App => {
  const app = new (App.with(lineWriter))();
  app.enableWriting();
  return app;
};

test("lines of features are in the client's log, in order", async () => {
  await using client = testClient(writingApp(), { logs: false });
  await client.get("/");
  expect(client.logs).toEqual([
    { level: "warn", message: "slow", fields: {} },
    { level: "debug", message: "own", fields: { size: 7 } },
    { level: "info", message: "no JSON", fields: {} },
    { level: "info", message: "", fields: { status: 200 } },
  ]);
});

test("a logger of the test also gets the framework's lines, and features write to their usual output", async () => {
  const shown: unknown[] = [];
  const show =
    (level: string): Logger["info"] =>
    (message, fields) =>
      void shown.push([level, message, fields]);
  const log = { info: show("info"), warn: show("warn"), error: show("error") };
  await using client = testClient(writingApp(), { log, logs: false });
  await client.get("/");
  expect(shown).toEqual([["warn", "slow", {}]]);
  expect(client.logs).toEqual([{ level: "warn", message: "slow", fields: {} }]);
});

test("a feature can redirect a logger of the test that supports redirect", async () => {
  class Own implements Logger {
    readonly lines: string[] = [];
    private target: Logger = { info() {}, warn: (message) => void this.lines.push(message), error() {} };
    info(): void {}
    error(): void {}
    warn(message: string): void {
      this.target.warn(message);
    }
    redirect(to: Logger): () => void {
      this.target = to;
      return () => {};
    }
  }
  const moved: string[] = [];
  const redirecting: Feature<{ enableRedirecting(): unknown }> = {
    name: "redirecting",
    install: (host) => ({
      enableRedirecting: () =>
        host.life.onStart(({ log }) => {
          log.redirect?.({ info() {}, warn: (message) => void moved.push(message), error() {} });
          log.warn("after");
        }),
    }),
  };
  const app = new (App.with(redirecting))();
  app.enableRedirecting();
  const own = new Own();
  await using client = testClient(app, { log: own, logs: false });
  await client.get("/");
  expect([moved, own.lines, client.logs.length]).toEqual([["after"], [], 1]);
});

test("the last 1000 lines are kept", async () => {
  const app = new App();
  app.get("/{n}", () => "");
  await using client = testClient(app);
  for (let n = 0; n < 1005; n++) await client.get(`/${n}`);
  expect(client.logs).toHaveLength(1000);
  expect(client.logs[0]?.message).toMatch(/^GET \/5 /);
  expect(client.logs.at(-1)?.message).toMatch(/^GET \/1004 /);
});
