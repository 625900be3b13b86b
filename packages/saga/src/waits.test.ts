import { virtualClock } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import { saga } from "./index.ts";
import { bench } from "./bench.test-kit.ts";

test("a saga stores 1,000 messages, refuses more, and still recognises repeated ones", async () => {
  const definition = saga("s", 1).waitFor("never").waitFor("early").build();
  await using own = await bench(definition);
  await own.start();
  const deliver = (number: number) =>
    own.worker.runner.deliver(definition, { key: "k", id: `m${number}`, name: "early" });
  for (let number = 1; number <= 1000; number++) expect(await deliver(number)).toBe("kept");
  await expect(deliver(1001)).rejects.toMatchObject({ status: 409 });
  expect(await deliver(5)).toBe("repeated");
});

test("a wait that exceeds its timeout undoes the saga", async () => {
  const undone: string[] = [];
  const definition = saga("s", 1)
    .call("order", () => 1, { undo: () => void undone.push("order") })
    .waitFor("packed", { timeout: "1m" })
    .build();
  await using own = await bench(definition);
  const id = await own.start();
  await own.pass(59_000);
  expect((await own.info(id)).status).toBe("waiting");
  await own.pass(2000);
  expect([(await own.info(id)).status, undone]).toEqual(["compensated", ["order"]]);
});

test.each(["wait", "sleep"])(
  "a %s that is claimed just before its end is rescheduled for its end",
  async (kind) => {
    let reads = 0;
    const clock = { ...virtualClock(), now: () => 0.6 * reads++ }; // time passes between two reads
    const builder = saga("s", 1);
    const definition = (
      kind === "wait" ? builder.waitFor("packed", { timeout: "1m" }) : builder.sleep("1m")
    ).build();
    await using own = await bench(definition, {}, { clock });
    await own.start();
    await own.worker.runAll();
    await own.time.advance(60_000);
    const claim = await own.worker.take();
    if (claim === null) throw new Error("no run is due");
    await own.time.advance(-1);
    const delays: number[] = [];
    await own.worker.run({
      ...claim,
      again: async (tx, delayMs) => (delays.push(delayMs), await claim.again(tx, delayMs)),
    });
    expect(delays).toEqual([expect.closeTo(0.4)]);
  },
);
