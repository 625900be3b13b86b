import { App } from "@framework/core";
import type { Feature, Panel } from "@framework/core/feature";
import { database } from "@framework/database";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { kernelOf, type WorkQueue } from "../feature.ts";
import { durable, type DurableMethods, NonRetryableError } from "../index.ts";

/** Reads what features publish for the dev page. */
const probe: Feature<{ panelOf(name: string): Panel }> = {
  name: "probe",
  install: ({ insight }) => ({
    panelOf(name) {
      const panel = insight.panels().find((each) => each.name === name);
      if (panel === undefined) throw new Error(`there is no panel ${name}`);
      return panel;
    },
  }),
};

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

const started = async (onExhausted: "park" | "keep") => {
  const state = { fails: true, done: 0 };
  const app = new (App.with(database, durable, mailing, probe))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableMailing(() => {
      if (state.fails) throw new NonRetryableError("no post today");
      return `sent ${++state.done}`;
    }, onExhausted);
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  const act = (panel: string, name: string, row: string, texts = {}) =>
    app
      .panelOf(panel)
      .actions?.find((action) => action.name === name)
      ?.run(row, texts);
  const rows = async (panel: string) => (await app.panelOf(panel).read()).rows;
  return { app, state, act, rows };
};

test("parked work is shown with its stack, replayed and discarded", async () => {
  const { app, state, act, rows } = await started("park");
  await app.mail.enqueue([{ payload: "one" }, { payload: "two" }]);
  await waitFor(async () => (await rows("parked")).length === 2, { what: "parked work", timeoutMs: 60_000 });
  const [one, two] = await rows("parked");
  expect(one?.cells).toEqual(expect.arrayContaining(["work", "mail", "NonRetryableError: no post today"]));
  const details = await app.panelOf("parked").details?.(one?.id ?? "");
  expect(details?.map(({ title }) => title)).toEqual(["Facts", "Stack"]);
  expect(details?.[1]?.rows[0]?.cells[0]).toContain("no post today");
  state.fails = false;
  expect(await act("parked", "replay", one?.id ?? "")).toBe("The item was given back to its source");
  await expect(act("parked", "discard", two?.id ?? "", { note: " " })).rejects.toThrow("a note of 1 to 2000");
  expect(await act("parked", "discard", two?.id ?? "", { note: "no need" })).toBe("The item was discarded");
  await waitFor(() => state.done === 1, { what: "the replayed item", timeoutMs: 60_000 });
  expect(await rows("parked")).toEqual([]);
  await expect(act("parked", "replay", "999")).rejects.toThrow("parked");
  await app.stop();
});

test("the items of queues are shown; failed ones are retried, unfinished ones cancelled", async () => {
  const { app, state, act, rows } = await started("keep");
  await app.mail.enqueue({ payload: "one" });
  await waitFor(async () => (await rows("work"))[0]?.cells[1] === "failed", {
    what: "a failure",
    timeoutMs: 60_000,
  });
  const [failed] = await rows("work");
  expect(failed).toMatchObject({
    actions: ["retry"],
    cells: ["mail 1", "failed", null, 1, expect.any(String), "no post today"],
  });
  state.fails = false;
  expect(await act("work", "retry", failed?.id ?? "")).toBe("The item starts again");
  await waitFor(async () => (await rows("work"))[0]?.cells[1] === "done", {
    what: "the retried item",
    timeoutMs: 60_000,
  });
  await app.mail.enqueue({ payload: "later", delayMs: 3_600_000 });
  const later = (await rows("work")).find(({ cells }) => cells[1] === "waiting");
  expect(later?.actions).toEqual(["cancel"]);
  expect(await act("work", "cancel", later?.id ?? "")).toBe("The item is cancelled");
  await expect(act("work", "cancel", later?.id ?? "")).rejects.toThrow("not in such a state");
  await expect(act("work", "retry", "nowhere 1")).rejects.toThrow("no such queue");
  expect((await app.panelOf("work").read()).note).toBe("mail: 0 running, 0 ready, 0 waiting, 0 blocked");
  await app.stop();
});
