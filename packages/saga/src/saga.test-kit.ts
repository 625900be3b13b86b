// Behaviour of sagas in an app, on every database.
import { App, type Logger } from "@framework/core";
import { database, type DatabaseMethods } from "@framework/database";
import type { TestDatabase } from "@framework/database/testing";
import { durable, type DurableMethods } from "@framework/durable";
import { messaging, type MessagingMethods } from "@framework/messaging";
import { waitFor } from "@framework/testing";
import { expect, type test as jestTest } from "@jest/globals";
import { z } from "zod";
import { saga, sagas, type SagaInfo, type SagaMethods, SagaReject, type SagaStatus } from "./index.ts";

const quiet: Logger = { info() {}, warn() {}, error() {} };

type SagaTestApp = App & DatabaseMethods & DurableMethods & MessagingMethods & SagaMethods;

/** Creates an app without starting it. */
export const sagaApp = (
  { url }: Pick<TestDatabase, "url">,
  { workers = true }: { readonly workers?: boolean } = {},
): SagaTestApp =>
  new (App.with(database, durable, messaging, sagas))()
    .enableDatabase({ url })
    .enableDurable({ pollMinMs: 5, pollMaxMs: 50 })
    .enableSaga({ workers });

/** Starts an app, uses it, and stops it. */
export const withStarted = async (app: App, use: () => Promise<void>): Promise<void> => {
  await app.start({ log: quiet });
  try {
    await use();
  } finally {
    await app.stop();
  }
};

/** Waits until an instance is in a status. */
export const waitForStatus = async (
  app: Pick<SagaTestApp, "saga">,
  id: string,
  status: SagaStatus,
): Promise<SagaInfo> => {
  const found = await waitFor(
    async () => {
      const info = await app.saga.get(id);
      return info?.status === status && info;
    },
    { subject: `the saga to be ${status}`, timeoutMs: 60_000 },
  );
  return found as SagaInfo;
};

const order = z.object({ book: z.string(), price: z.number() });

export const sagaFacts = (test: typeof jestTest, make: () => TestDatabase | Promise<TestDatabase>): void => {
  const fact = (name: string, run: (app: SagaTestApp, storage: TestDatabase) => Promise<void>): void =>
    test(
      name,
      async () => {
        await using storage = await make();
        await run(sagaApp(storage), storage);
      },
      180_000,
    );

  fact(
    "steps run in order, and each gets the outputs of the previous ones after a JSON round trip",
    async (app) => {
      const at = new Date(1_000_000);
      const checkout = saga("checkout", 1, order)
        .call("first", ({ input }) => ({ book: input.book, at }))
        .tx("second", ({ outputs }) => `${outputs.first.book} ${outputs.first.at}`)
        .parallel("both", (branch) => ({
          left: branch(() => 1),
          right: branch(({ outputs }) => outputs.second.length),
        }))
        .call("last", ({ outputs }) => outputs.both.left + outputs.both.right)
        .build();
      app.saga.define(checkout);
      await withStarted(app, async () => {
        const { id, isNew } = await app.saga.start(checkout, { book: "Emma", price: 7 }, { key: "order-1" });
        const info = await waitForStatus(app, id, "completed");
        expect([isNew, info.steps.at(-1)?.output]).toEqual([true, 1 + `Emma ${at.toISOString()}`.length]);
        expect(info.steps.map(({ step, branch, status }) => `${step} ${branch} ${status}`)).toEqual([
          "first  done",
          "second  done",
          "both left done",
          "both right done",
          "last  done",
        ]);
      });
    },
  );

  fact(
    "a saga that is started in a transaction runs after its commit, and never after a rollback",
    async (app) => {
      const ran: string[] = [];
      const note = saga("note", 1)
        .call("note", ({ key }) => void ran.push(key))
        .build();
      app.saga.define(note);
      await withStarted(app, async () => {
        const undone = app.db.transaction(async (tx) => {
          await app.saga.start(note, null, { key: "undone", tx });
          throw new Error("no");
        });
        await expect(undone).rejects.toThrow("no");
        const { id } = await app.db.transaction((tx) => app.saga.start(note, null, { key: "kept", tx }));
        await waitForStatus(app, id, "completed");
        expect([ran, (await app.saga.list()).sagas.length]).toEqual([["kept"], 1]);
      });
    },
  );

  fact("a rejection undoes the steps in reverse order, and the timeline has the failed step", async (app) => {
    const effects: string[] = [];
    const checkout = saga("checkout", 1, order)
      .tx("reserve", () => "place 7", { undo: (_, place) => void effects.push(`release ${place}`) })
      .call("charge", () => "charge 9", { undo: (_, charge) => void effects.push(`refund ${charge}`) })
      .call("ship", () => {
        throw new SagaReject("no carrier delivers there");
      })
      .build();
    app.saga.define(checkout);
    await withStarted(app, async () => {
      const { id } = await app.saga.start(checkout, { book: "Emma", price: 7 }, { key: "1" });
      const info = await waitForStatus(app, id, "compensated");
      expect(effects).toEqual(["refund charge 9", "release place 7"]);
      expect(info.error).toMatchObject({ name: "SagaReject", message: "no carrier delivers there" });
      const events = (await app.saga.timeline(id)).map(({ event, step }) => `${event} ${step}`);
      expect(events).toEqual([
        "start null",
        "advance reserve",
        "advance charge",
        "fail ship",
        "undo charge",
        "restore reserve",
      ]);
    });
  });

  fact(
    "a message ends a wait, whether it arrives before or during the wait, and counts once",
    async (app) => {
      const packed = z.object({ weight: z.coerce.number() });
      const delivery = saga("delivery", 1)
        .call("order", () => "ordered")
        .waitFor("packed", { timeout: "1h", schema: packed })
        .waitFor("fetched")
        .call("end", ({ outputs }) => outputs.packed.weight)
        .build();
      app.saga.define(delivery);
      await withStarted(app, async () => {
        const { id } = await app.saga.start(delivery, null, { key: "7" });
        expect((await waitForStatus(app, id, "waiting")).waitsFor).toBe("packed");
        const message = { key: "7", id: "m1", name: "packed", data: { weight: "12" } };
        expect(await app.saga.deliver(delivery, { key: "7", id: "m2", name: "fetched" })).toBe("kept");
        expect(await app.saga.deliver(delivery, message)).toBe("resumed");
        expect((await waitForStatus(app, id, "completed")).steps.at(-1)?.output).toBe(12);
        expect(await app.saga.deliver(delivery, message)).toBe("ended");
        expect(await app.saga.deliver(delivery, { ...message, key: "8" })).toBe("unknown");
        await expect(app.saga.deliver(delivery, { ...message, data: {} })).rejects.toMatchObject({
          code: "SAGA_BAD_VALUE",
          message: expect.stringContaining('the message "packed" does not match its schema: weight: '),
        });
      });
    },
  );

  fact("a send step sends its message with an id derived from the saga and the step", async (app) => {
    const got: { readonly id: string; readonly data: unknown }[] = [];
    app.enableMessaging();
    app.messaging.subscribe("orders", { group: "g" }, ({ id, data }) => void got.push({ id, data }));
    const telling = saga("telling", 1, order)
      .send("tell", ({ input }) => ({ topic: "orders", type: "order.placed", data: input }))
      .build();
    app.saga.define(telling);
    await withStarted(app, async () => {
      const { id } = await app.saga.start(telling, { book: "Emma", price: 7 }, { key: "1" });
      await waitForStatus(app, id, "completed");
      await waitFor(() => got.length > 0, { subject: "the message", timeoutMs: 60_000 });
      expect(got).toEqual([{ id: `${id}:tell:0`, data: { book: "Emma", price: 7 } }]);
    });
  });

  fact(
    "a process with workers: false starts and inspects sagas, and another process runs them",
    async (app, storage) => {
      const where: string[] = [];
      const definitionOf = (name: string) =>
        saga("split", 1)
          .call("work", () => void where.push(name))
          .build();
      const front = sagaApp(storage, { workers: false });
      const [local, remote] = [definitionOf("front"), definitionOf("back")];
      front.saga.define(local);
      app.saga.define(remote);
      await withStarted(front, async () => {
        const { id } = await front.saga.start(local, null, { key: "1" });
        await withStarted(app, async () => void (await waitForStatus(front, id, "completed")));
        expect(where).toEqual(["back"]);
      });
    },
  );

  fact(
    "the undo of a saga that another process cancels during a call begins when the call has ended",
    async (app, storage) => {
      const [begun, aborted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const continues = Promise.withResolvers<void>();
      const effects: string[] = [];
      const order = saga("slow", 1)
        .call(
          "charge",
          async ({ signal }) => {
            signal.addEventListener("abort", () => aborted.resolve());
            begun.resolve();
            await continues.promise;
            effects.push("charge");
            return "receipt";
          },
          { undo: (_, output) => void effects.push(`refund ${output}`) },
        )
        .build();
      const front = sagaApp(storage, { workers: false });
      for (const each of [front, app]) each.saga.define(order);
      await withStarted(front, () =>
        withStarted(app, async () => {
          const { id } = await front.saga.start(order, null, { key: "1" });
          await begun.promise;
          await front.saga.cancel(id, { reason: "the customer changed her mind" });
          await aborted.promise;
          expect([effects, (await front.saga.get(id))?.status]).toEqual([[], "cancelling"]);
          continues.resolve();
          await waitForStatus(front, id, "compensated");
          expect(effects).toEqual(["charge", "refund receipt"]);
        }),
      );
    },
  );
};
