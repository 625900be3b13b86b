import { App } from "@framework/core";
import type { Feature } from "@framework/core/feature";
import { database } from "@framework/database";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { kernelOf, type WorkPage, type WorkQueue } from "../feature.ts";
import { durable, type DurableMethods, NonRetryableError } from "../index.ts";

let fails = true;

interface Mailing {
  enableMailing(): this;
  readonly mail: WorkQueue<string>;
}

const mailing: Feature<Mailing, DurableMethods> = {
  name: "mailing",
  install: (_host, needs) => {
    let queue: WorkQueue<string> | null = null;
    return {
      enableMailing() {
        queue = kernelOf(needs)
          .use("mailing")
          .queue<string>({
            name: "mail",
            keepSecs: 60,
            handle({ payload }) {
              if (fails) throw new NonRetryableError(`cannot send ${payload}`);
              return `sent ${payload}`;
            },
          });
        return this;
      },
      get mail() {
        if (queue === null) throw new Error("not enabled");
        return queue;
      },
    };
  },
};

const log = { info() {}, warn() {}, error() {} };
const newApp = () =>
  new (App.with(database, durable, mailing))().enableDatabase({ url: "sqlite://:memory:" });
const guard = (request: { getHeader(name: string): string | null }): boolean =>
  request.getHeader("key") === "secret";

const startApp = async () => {
  fails = true;
  const app = newApp()
    .enableMailing()
    .enableDurable({ admin: { path: "/admin/durable", guards: [guard as never] } });
  await app.start({ log });
  const call = async (method: string, path: string, body?: object) => {
    const reply = await app.fetch(
      new Request(`http://localhost/admin/durable${path}`, {
        method,
        headers: { key: "secret", "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    return { status: reply.status, body: JSON.parse(await reply.text()) as Record<string, unknown> };
  };
  return { app, call };
};

test("parked work is listed, shown, replayed and discarded over HTTP", async () => {
  const { app, call } = await startApp();
  await app.mail.enqueue([{ payload: "a" }, { payload: "b" }]);
  await waitFor(async () => (await app.durable.parked.count()) === 2);
  const { body: list } = await call("GET", "/parked?source=work&limit=1");
  expect(list).toMatchObject({
    items: [{ name: "mail", errorMessage: "cannot send a" }],
    next: expect.any(String),
  });
  const { body: rest } = await call("GET", `/parked?after=${String(list["next"])}`);
  const [a, b] = [list, rest].map(({ items }) => (items as { id: string }[])[0]?.id ?? "");
  expect((await call("GET", `/parked/${a}`)).body).toMatchObject({
    payload: "a",
    stack: expect.stringContaining("cannot send"),
  });
  fails = false;
  expect((await call("POST", "/parked/replay", { name: "mail" })).status).toBe(400);
  for (const filter of [{ source: "work" }, { name: "other" }, { key: "k" }])
    expect((await call("POST", "/parked/replay", { ids: [a], ...filter })).status).toBe(400);
  expect((await call("POST", "/parked/replay", { ids: [a] })).body).toEqual({ replayed: 1, failed: [] });
  await waitFor(async () => (await app.mail.list({ state: "done" })).items.length === 1);
  expect((await call("POST", "/parked/discard", { ids: [b], note: "not needed" })).body).toEqual({
    discarded: 1,
  });
  expect((await call("GET", "/parked?state=discarded")).body).toMatchObject({
    items: [{ note: "not needed" }],
  });
  await app.stop();
});

test("queues and items are shown, cancelled and retried over HTTP", async () => {
  const { app, call } = await startApp();
  fails = false;
  const [added] = await app.mail.enqueue({ payload: "a", delayMs: 3_600_000 });
  expect((await call("GET", "/queues")).body).toMatchObject({ mail: { waiting: 1, ready: 0 } });
  const item = `/queues/mail/items/${added?.id}`;
  expect((await call("GET", item)).body).toMatchObject({ state: "waiting", payload: "a" });
  expect((await call("POST", `${item}/cancel`)).body).toEqual({ cancelled: true });
  expect((await call("GET", "/queues/mail/items?state=cancelled")).body).toMatchObject({
    items: [{ id: added?.id }],
  });
  expect((await call("POST", `${item}/retry`)).body).toEqual({ retried: true });
  await waitFor(async () => (await app.mail.get(added?.id ?? ""))?.state === "done");
  expect((await call("POST", `${item}/retry`)).body).toEqual({ retried: false });
  for (const act of ["cancel", "retry"])
    expect((await call("POST", `/queues/mail/items/99999/${act}`)).status).toBe(404);
  await app.stop();
});

test("items are listed from the oldest, or from the newest, page by page", async () => {
  const { app, call } = await startApp();
  const added = await app.mail.enqueue(["a", "b", "c"].map((payload) => ({ payload, delayMs: 3_600_000 })));
  const ids = added.map(({ id }) => id);
  const pages = async (query: string): Promise<readonly string[]> => {
    const seen: string[] = [];
    for (let after = ""; ;) {
      const { body } = await call("GET", `/queues/mail/items?limit=2${query}${after}`);
      const { items, next } = body as unknown as WorkPage;
      seen.push(...items.map(({ id }) => id));
      if (next === null) return seen;
      after = `&after=${next}`;
    }
  };
  expect(await pages("")).toEqual(ids);
  expect(await pages("&order=oldest")).toEqual(ids);
  expect(await pages("&order=newest")).toEqual(ids.toReversed());
  await app.stop();
});

test("requests for unknown items get 404, and malformed requests get 422", async () => {
  const { app, call } = await startApp();
  for (const path of ["/parked/7", "/queues/none/items", "/queues/mail/items/7"])
    expect((await call("GET", path)).status).toBe(404);
  for (const path of [
    "/parked/x",
    "/parked?limit=0",
    "/parked?state=lost",
    "/parked?after=x",
    "/parked?after=9999999999999999",
    "/parked?key=%00",
    "/queues/mail/items?after=9999999999999999",
    "/queues/mail/items?key=a%00b",
    "/queues/mail/items?limit=",
    "/queues/mail/items?limit=0x10",
    "/queues/mail/items?order=random",
    "/parked?color=red",
    "/queues/mail/items?limit=1001",
  ])
    expect([path, (await call("GET", path)).status]).toEqual([path, 422]);
  for (const body of [
    {},
    { ids: ["1"] },
    { ids: [], note: "x" },
    { ids: [1], note: "x" },
    { ids: ["1"], note: "" },
    { ids: ["1"], note: "  " },
  ])
    expect((await call("POST", "/parked/discard", body)).status).toBe(422);
  for (const limit of [true, [5], null, {}, "five"])
    expect((await call("POST", "/parked/replay", { source: "work", limit })).status).toBe(422);
  await app.stop();
});

test("the guards of the admin API are checked, and an invalid path or list of guards is a start error", async () => {
  const { app } = await startApp();
  for (const [method, path] of [
    ["GET", "/parked"],
    ["POST", "/parked/replay"],
    ["POST", "/parked/discard"],
    ["GET", "/queues"],
    ["POST", "/queues/mail/items/1/cancel"],
  ] as const) {
    const reply = await app.fetch(new Request(`http://localhost/admin/durable${path}`, { method }));
    expect(reply.status).toBe(403);
  }
  await app.stop();
  for (const admin of [
    { path: "/admin", guards: [] },
    { path: "admin", guards: [() => true] },
    { path: "/admin", guards: ["x" as never] },
    { path: "/admin" } as never,
  ])
    await expect(newApp().enableDurable({ admin }).start({ log })).rejects.toThrow(
      "DurableConfig.admin must have",
    );
});

test("there is no admin API unless it is enabled", async () => {
  const app = newApp().enableMailing();
  await app.start({ log });
  expect(app.durable.parked).toBeDefined();
  const reply = await app.fetch(new Request("http://localhost/admin/durable/parked"));
  expect(reply.status).toBe(404);
  await app.stop();
});
