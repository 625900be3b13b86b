// Tests messaging on the app's database, SQLite or PostgreSQL.
import { App } from "@framework/core";
import { database } from "@framework/database";
import type { TestDatabase } from "@framework/database/testing";
import { durable } from "@framework/durable";
import { waitFor } from "@framework/testing";
import { expect, type test as jestTest } from "@jest/globals";
import { messaging } from "./index.ts";

const quiet = { info() {}, warn() {}, error() {} };

const appOn = ({ url }: Pick<TestDatabase, "url">, { runWork = true } = {}) =>
  new (App.with(database, durable, messaging))()
    .enableDatabase({ url })
    .enableDurable({ pollMinMs: 5, pollMaxMs: 50, runWork })
    .enableMessaging();

type MessagingApp = ReturnType<typeof appOn>;

export const databaseAppFacts = (
  test: typeof jestTest.concurrent,
  make: () => TestDatabase | Promise<TestDatabase>,
): void => {
  const fact = (name: string, run: (app: MessagingApp, storage: TestDatabase) => Promise<void>): void =>
    test(
      name,
      async () => {
        await using storage = await make();
        await run(appOn(storage), storage);
      },
      180_000,
    );
  const until = (holds: () => boolean | Promise<boolean>): Promise<unknown> =>
    waitFor(holds, { timeoutMs: 60_000, intervalMs: 3 });

  fact(
    "every group receives messages sent right after the start, or from a startup handler of a later app",
    async (app, storage) => {
      const groups = ["one", "two", "three"];
      const got: unknown[] = [];
      for (const group of groups)
        app.messaging.subscribe("books", { group }, ({ data }) => void got.push([group, data]));
      await app.start({ log: quiet });
      await app.messaging.send("books", { type: "book.created", data: 1 });
      const other = appOn(storage);
      other.messaging.subscribe("books", { group: "four" }, ({ data }) => void got.push(["four", data]));
      other.onEvent("startup", async () => {
        await other.messaging.send("books", { type: "book.created", data: 2 });
      });
      await other.start({ log: quiet });
      const expected = [
        ...groups.map((group) => [group, 1]),
        ...[...groups, "four"].map((group) => [group, 2]),
      ];
      await until(() => got.length >= expected.length);
      expect(got).toHaveLength(expected.length);
      expect(got).toEqual(expect.arrayContaining(expected));
      await Promise.all([app.stop(), other.stop()]);
    },
  );

  fact("without a broker, messaging runs on the app's database", async (app) => {
    const got: unknown[] = [];
    app.messaging.subscribe("books", { group: "search" }, ({ data }) => void got.push(data));
    await app.start({ log: quiet });
    await app.messaging.send("books", { type: "book.created", data: { title: "Emma" } });
    await until(() => got.length === 1);
    expect(got).toEqual([{ title: "Emma" }]);
    await app.stop();
  });

  fact(
    "a start warns about a group without subscribers after a day, and endGroup ends it",
    async (app, storage) => {
      const before = appOn(storage);
      for (const group of ["search", "mailer"]) before.messaging.subscribe("books", { group }, () => {});
      await before.start({ log: quiet });
      await before.stop();
      const got: unknown[] = [];
      const lines: unknown[] = [];
      app.messaging.subscribe("books", { group: "search" }, ({ data }) => void got.push(data));
      await app.start({ log: quiet });
      await app.messaging.send("books", { type: "t", data: 1 });
      await until(() => got.length === 1);
      const waiting = () =>
        app.db.fetchValue<number>`SELECT count(*) FROM framework_work WHERE queue = 'message:books:mailer'`;
      expect(Number(await waiting())).toBe(1);
      await app.db.execute`UPDATE framework_work SET run_at = run_at - 90000000`;
      const next = appOn(storage);
      next.messaging.subscribe("books", { group: "search" }, () => {});
      await next.start({
        log: { ...quiet, warn: (message, fields) => void lines.push([message, fields]) },
      });
      await until(() => lines.length > 0);
      expect(lines).toEqual([[expect.stringContaining("endGroup"), { topic: "books", group: "mailer" }]]);
      const badConfig = { code: "MESSAGING_BAD_CONFIG" };
      for (const group of ["search", "", undefined as unknown as string])
        await expect(next.messaging.endGroup("books", group)).rejects.toMatchObject(badConfig);
      expect(await next.messaging.endGroup("books", "mailr")).toBe(false);
      expect(await next.messaging.endGroup("books", "mailer")).toBe(true);
      expect(await next.messaging.endGroup("books", "mailer")).toBe(false);
      await app.messaging.send("books", { type: "t", data: 2 });
      expect(Number(await waiting())).toBe(0);
      await Promise.all([app.stop(), next.stop()]);
    },
  );

  fact("a request that is pending when the service stops receives its reply", async (app, storage) => {
    const other = appOn(storage);
    const requests: PromiseWithResolvers<unknown>[] = [];
    other.messaging.subscribe("prices", { group: "shop" }, async () => {
      const reply = Promise.withResolvers<unknown>();
      requests.push(reply);
      return await reply.promise;
    });
    await other.start({ log: quiet });
    const price = () => app.messaging.request("prices", { type: "t" }, { timeoutMs: 120_000 });
    app.get("/price", async () => [await price(), await price()]);
    app.messaging.subscribe("orders", { group: "shop" }, () => {});
    await app.start({ log: quiet });
    const reply = app.fetch(new Request("http://localhost/price"));
    await until(() => requests.length === 1);
    const stopping = app.stop();
    await until(() => app.messaging.status()[0]?.state === "closed"); // then all subscriptions have ended
    requests[0]?.resolve({ price: 7 });
    await until(() => requests.length === 2);
    requests[1]?.resolve({ price: 8 });
    expect(await (await reply).json()).toEqual([{ price: 7 }, { price: 8 }]);
    await stopping;
    await other.stop();
  });

  fact(
    "a process with runWork: false receives replies to its requests, but no messages",
    async (app, storage) => {
      const handledBy: string[] = [];
      const handlerOf = (name: string) => () => ({ price: handledBy.push(name) });
      app.messaging.subscribe("prices", { group: "shop" }, handlerOf("worker"));
      const web = appOn(storage, { runWork: false });
      web.messaging.subscribe("prices", { group: "shop" }, handlerOf("web"));
      await web.start({ log: quiet });
      const price = () => web.messaging.request("prices", { type: "t" }, { timeoutMs: 60_000 });
      const first = price(); // waits for the worker, which has not started
      await until(async () => (await web.db.fetchValue`SELECT count(*) FROM framework_work`) === 1);
      await app.start({ log: quiet });
      expect([await first, await price(), handledBy]).toEqual([
        { price: 1 },
        { price: 2 },
        ["worker", "worker"],
      ]);
      await Promise.all([web.stop(), app.stop()]);
    },
  );

  fact("a message with `tx` is delivered after the commit, and never after a rollback", async (app) => {
    const got: unknown[] = [];
    app.messaging.subscribe("books", { group: "search", order: "key" }, ({ data }) => void got.push(data));
    await app.start({ log: quiet });
    const rollback = app.db.transaction(async (tx) => {
      await app.messaging.send("books", { type: "t", key: "k", data: "rolled back" }, { tx });
      throw new Error("no");
    });
    await expect(rollback).rejects.toThrow("no");
    await app.db.transaction(async (tx) => {
      await app.messaging.send("books", { type: "t", key: "k", data: "committed" }, { tx });
      expect(got).toEqual([]);
    });
    await app.messaging.send("books", { type: "t", key: "k", data: "later" });
    await until(() => got.length === 2);
    expect(got).toEqual(["committed", "later"]);
    await app.stop();
  });

  fact("dead letters are parked, in the transaction that ends the message", async (app) => {
    app.messaging.subscribe("books", { group: "search", retry: { quickTries: 1, delaysMs: [] } }, () => {
      throw new Error("broken");
    });
    await app.start({ log: quiet });
    await app.messaging.send("books", { type: "t", data: 1 });
    await until(async () => (await app.durable.parked.list({ source: "message" })).items.length === 1);
    expect(await app.db.fetchValue`SELECT count(*) FROM framework_work`).toBe(0);
    await app.stop();
  });

  fact("with the inbox, the effect and the settlement are one transaction", async (app) => {
    app.messaging.subscribe("books", { group: "search", dedupe: "inbox" }, async ({ id }, { tx }) => {
      await tx.execute`INSERT INTO effects (message) VALUES (${id})`;
      expect(await tx.fetchValue`SELECT count(*) FROM framework_work`).toBe(1);
    });
    await app.start({ log: quiet });
    await app.db.execute("CREATE TABLE effects (message TEXT NOT NULL)");
    await app.messaging.send("books", { type: "t", id: "a" });
    await until(async () => (await app.db.fetchValue`SELECT count(*) FROM effects`) === 1);
    expect(await app.db.fetchValue`SELECT count(*) FROM framework_work`).toBe(0);
    await app.stop();
  });

  fact(
    "a subscription of another app on the same database receives the messages of its group",
    async (app, storage) => {
      const got: string[] = [];
      const other = appOn(storage);
      other.messaging.subscribe(
        "books",
        { group: "mail" },
        ({ data }) => void got.push(`mail ${String(data)}`),
      );
      app.messaging.subscribe(
        "books",
        { group: "search" },
        ({ data }) => void got.push(`search ${String(data)}`),
      );
      await app.start({ log: quiet });
      await other.start({ log: quiet });
      await until(() => other.messaging.status().every(({ state }) => state === "running"));
      await app.messaging.send("books", { type: "t", data: 1 });
      await until(() => got.length === 2);
      expect(got.toSorted()).toEqual(["mail 1", "search 1"]);
      await Promise.all([app.stop(), other.stop()]);
    },
  );
};
