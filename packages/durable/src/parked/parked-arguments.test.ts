import { openDatabase } from "@framework/database";
import { expect, test } from "@jest/globals";
import { createKernel } from "../feature.ts";

/** A value that the types exclude, as in a JavaScript program. */
const wrong = (value: unknown): never => value as never;

test("arguments of the wrong type, and unknown options, are rejected by name", async () => {
  const db = openDatabase({ url: "sqlite://:memory:" });
  const kernel = createKernel(db, { log: { info() {}, warn() {}, error() {} } });
  kernel.parked.useTable();
  await kernel.start();
  const { parked } = kernel;
  const calls: readonly (readonly [call: () => Promise<unknown>, message: string])[] = [
    [() => parked.list(wrong(null)), "the filter must be an object, not null"],
    [() => parked.list(wrong("work")), "the filter must be an object, not a value of type string"],
    [() => parked.replay(wrong("1")), "the filter of a replay must be an object, not a value of type string"],
    [
      () => parked.replay(wrong(new Set(["1"]))),
      "the filter of a replay is a collection; pass ids as an array",
    ],
    [() => parked.replay(wrong(null)), "the filter of a replay must be an object, not null"],
    [() => parked.replay(["1"], wrong(null)), "the options object of a replay must be an object, not null"],
    [
      () => parked.replay(["1"], wrong({ perSeconds: 5 })),
      'the options object of a replay has no field "perSeconds"; did you mean "perSecond"?',
    ],
    [
      () => parked.discard(wrong("1"), { note: "old" }),
      "discard needs a list of ids, not a value of type string",
    ],
    [
      () => parked.discard(["1"], wrong(undefined)),
      "the options object of discard must be an object, not undefined",
    ],
    [() => parked.discard(["1"], { note: "" }), "note must have 1 to 2000 characters and give the reason"],
  ];
  for (const [call, message] of calls)
    await expect(call).rejects.toMatchObject({ code: "DURABLE_BAD_FILTER", message: `durable: ${message}` });
  await kernel.stop();
  await db.close();
});
