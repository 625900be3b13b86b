import { type Database, openDatabase } from "@framework/database";
import { expect, test } from "@jest/globals";
import { saga } from "./index.ts";
import { ManualWorker, prepareDatabase } from "./testing/manual-worker.ts";

/** Counts the transactions of a database. */
const countTransactions = (db: Database): { readonly db: Database; readonly count: () => number } => {
  let commits = 0;
  const counted = new Proxy(db, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (name === "transaction") commits++;
      return typeof member === "function" ? (member as () => unknown).bind(target) : member;
    },
  });
  return { db: counted, count: () => commits };
};

test.each([1, 2, 5, 20])(
  "a saga of %i steps takes one commit per step, one to start it and one to claim it",
  async (steps) => {
    const plain = openDatabase({ url: "sqlite://:memory:" });
    const time = await prepareDatabase(plain);
    const { db, count } = countTransactions(plain);
    let builder = saga("s", 1).call("first", () => 1);
    for (let at = 1; at < steps; at++)
      builder = (at % 2 === 0 ? builder.call(`s${at}`, () => at) : builder.tx(`s${at}`, () => at)) as never;
    const definition = builder.build();
    const worker = new ManualWorker(db, time, [definition]);
    const { id } = await worker.runner.start(definition, null, { key: "k" });
    await worker.run((await worker.take()) as never);
    expect([count(), (await worker.runner.get(id))?.status]).toEqual([steps + 2, "completed"]);
    await plain.close();
  },
);
