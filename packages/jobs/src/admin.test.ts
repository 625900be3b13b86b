import { App } from "@framework/core";
import { database } from "@framework/database";
import { databaseInFile } from "@framework/database/testing";
import { durable, NonRetryableError } from "@framework/durable";
import { expect, test } from "@jest/globals";
import { jobs } from "./index.ts";
import { waitForState, quiet } from "./testing/job-app.test-kit.ts";

test("operators list, filter, inspect, retry and cancel jobs over the guarded HTTP API, even if their name has a slash", async () => {
  await using storage = databaseInFile();
  const app = new (App.with(database, durable, jobs))().enableDatabase({ url: storage.url }).enableDurable({
    pollMinMs: 5,
    pollMaxMs: 50,
    admin: { path: "/admin/durable", guards: [(input) => input.headers.get("x-role") === "operator"] },
  });
  let fails = true;
  const send = app.jobs.define("mail/send", {}, () => {
    if (fails) throw new NonRetryableError("no such address");
    return "sent";
  });
  await app.start({ log: quiet });
  const call = async (method: string, path: string, role = "operator") => {
    const items = `/admin/durable/queues/${encodeURIComponent("jobs:mail/send")}/items`;
    const headers = { "x-role": role };
    const reply = await app.fetch(new Request(`http://localhost${items}${path}`, { method, headers }));
    return { status: reply.status, body: (await reply.json()) as unknown };
  };
  const [failed, later] = [
    await send.enqueue(),
    await send.enqueue(undefined, { delayMs: 3_600_000, key: "k" }),
  ];
  await waitForState(send, failed.id, "failed");
  expect((await call("GET", "", "guest")).status).toBe(403);
  expect((await call("GET", "?state=failed")).body).toMatchObject({
    items: [{ id: failed.id, error: { message: "no such address" } }],
  });
  expect((await call("GET", "?key=k")).body).toMatchObject({ items: [{ id: later.id, state: "waiting" }] });
  fails = false;
  expect((await call("POST", `/${failed.id}/retry`)).body).toEqual({ retried: true });
  await waitForState(send, failed.id, "done");
  expect((await call("GET", `/${failed.id}`)).body).toMatchObject({ state: "done", result: "sent" });
  expect((await call("POST", `/${later.id}/cancel`)).body).toEqual({ cancelled: true });
  expect(await send.get(later.id)).toMatchObject({ state: "cancelled" });
  await app.stop();
}, 120_000);
