import { App } from "@framework/core";
import type { Feature } from "@framework/core/feature";
import { panelContract, panelProbe } from "@framework/core/testing";
import { database } from "@framework/database";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { kernelOf, type WorkQueue } from "../feature.ts";
import { durable, type DurableMethods, NonRetryableError } from "../index.ts";

interface Mailing {
  enableMailing(handle: () => string, onExhausted: "park" | "keep"): this;
  readonly mail: WorkQueue<string>;
}

const mailing: Feature<Mailing, DurableMethods> = {
  name: "mailing",
  install: (_host, needs) => {
    let queue: WorkQueue<string> | null = null;
    return {
      enableMailing(handle, onExhausted) {
        queue = kernelOf(needs)
          .use("mailing")
          .queue<string>({ name: "mail", keepSecs: 60, onExhausted, handle });
        return this;
      },
      get mail() {
        if (queue === null) throw new Error("not enabled");
        return queue;
      },
    };
  },
};

const startApp = async (onExhausted: "park" | "keep") => {
  const state = { fails: true, done: 0 };
  const app = new (App.with(database, durable, mailing, panelProbe))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableMailing(() => {
      if (state.fails) throw new NonRetryableError("no post today");
      return `sent ${++state.done}`;
    }, onExhausted);
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  const act = (panel: string, action: string, row: string, texts = {}) =>
    app.panel(panel).act(action, row, texts);
  const rows = (panel: string) => app.panel(panel).rows();
  return { app, state, act, rows };
};

for (const [name, onExhausted] of [
  ["parked", "park"],
  ["work", "keep"],
] as const)
  panelContract(test, async () => {
    const { app, rows } = await startApp(onExhausted);
    await app.mail.enqueue({ payload: "one" });
    await waitFor(async () => (await rows(name)).length > 0, {
      subject: `rows of ${name}`,
      timeoutMs: 60_000,
    });
    return { panel: app.panel(name), close: () => app.stop() };
  });

test("parked work is shown with its stack, replayed and discarded", async () => {
  const { app, state, act, rows } = await startApp("park");
  await app.mail.enqueue([{ payload: "one" }, { payload: "two" }]);
  await waitFor(async () => (await rows("parked")).length === 2, {
    subject: "parked work",
    timeoutMs: 60_000,
  });
  const [one, two] = await rows("parked");
  expect(one?.cells).toEqual(expect.arrayContaining(["work", "mail", "NonRetryableError: no post today"]));
  const details = await app.panel("parked").details?.(one?.id ?? "");
  expect(details?.map(({ title }) => title)).toEqual(["Facts", "Stack"]);
  expect(details?.[1]?.rows[0]?.cells[0]).toContain("no post today");
  state.fails = false;
  expect(await act("parked", "replay", one?.id ?? "")).toBe("The item was returned to its source");
  await expect(act("parked", "discard", two?.id ?? "", { note: " " })).rejects.toThrow(
    "note must have 1 to 2000",
  );
  expect(await act("parked", "discard", two?.id ?? "", { note: "no need" })).toBe("The item was discarded");
  await waitFor(() => state.done === 1, { subject: "the replayed item", timeoutMs: 60_000 });
  expect(await rows("parked")).toEqual([]);
  await expect(act("parked", "replay", "999")).rejects.toThrow("parked");
  await app.stop();
});

test("only the newest 20 failed items are shown", async () => {
  const { app, rows } = await startApp("keep");
  const added = await app.mail.enqueue(Array.from({ length: 25 }, (_, at) => ({ payload: `item ${at}` })));
  const failed = async () => (await rows("work")).filter(({ cells }) => cells[1] === "failed");
  const last = `mail ${added.at(-1)?.id}`;
  await waitFor(async () => (await app.mail.stats()).ready === 0 && (await failed())[0]?.id === last, {
    subject: "the newest failure",
    timeoutMs: 60_000,
  });
  const newest = added.slice(-20).toReversed();
  await waitFor(async () => (await app.mail.list({ state: "failed" })).items.length === 25, {
    subject: "all failures",
    timeoutMs: 60_000,
  });
  expect((await failed()).map(({ id }) => id)).toEqual(newest.map(({ id }) => `mail ${id}`));
  await app.stop();
});

test("the items of queues are shown; failed ones are retried, unfinished ones cancelled", async () => {
  const { app, state, act, rows } = await startApp("keep");
  await app.mail.enqueue({ payload: "one" });
  await waitFor(async () => (await rows("work"))[0]?.cells[1] === "failed", {
    subject: "a failure",
    timeoutMs: 60_000,
  });
  const [failed] = await rows("work");
  expect(failed).toMatchObject({
    actions: ["retry"],
    cells: ["mail 1", "failed", null, 1, expect.any(String), "no post today"],
  });
  state.fails = false;
  expect(await act("work", "retry", failed?.id ?? "")).toBe("The item will run again");
  await waitFor(async () => (await rows("work"))[0]?.cells[1] === "done", {
    subject: "the retried item",
    timeoutMs: 60_000,
  });
  await app.mail.enqueue({ payload: "later", delayMs: 3_600_000 });
  const later = (await rows("work")).find(({ cells }) => cells[1] === "waiting");
  expect(later?.actions).toEqual(["cancel"]);
  expect(await act("work", "cancel", later?.id ?? "")).toBe("The item was cancelled");
  await expect(act("work", "cancel", later?.id ?? "")).rejects.toThrow("no longer in that state");
  await expect(act("work", "retry", "nowhere 1")).rejects.toThrow("no such queue");
  expect((await app.panel("work").read()).note).toBe("mail: 0 running, 0 ready, 0 waiting, 0 blocked");
  await app.stop();
});
