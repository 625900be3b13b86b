import { expect, test } from "@jest/globals";
import { saga } from "./index.ts";
import { because, bench } from "./bench.test-kit.ts";

test("an operator skips a step, settles it with an output, or cancels the saga", async () => {
  const seen: unknown[] = [];
  const definition = saga("s", 1)
    .call("paid", () => 1, { undo: () => void seen.push("refunded") })
    .call("typo", (): string => {
      throw new TypeError("x");
    })
    .call("after", ({ outputs }) => void seen.push(outputs.typo))
    .build();
  await using own = await bench(definition);
  const ids = [await own.start("a"), await own.start("b"), await own.start("c")];
  await own.worker.runAll();
  const [skipped = "", settled = "", cancelled = ""] = ids;
  await own.worker.runner.skip(skipped, because);
  await own.worker.runAll();
  await own.worker.runner.settle(settled, { ...because, output: "by hand" });
  await own.worker.runAll();
  await own.worker.runner.cancel(cancelled, because);
  await own.worker.runAll();
  expect(seen).toEqual([undefined, "by hand", "refunded"]);
  expect([
    (await own.info(skipped)).status,
    (await own.info(settled)).status,
    (await own.info(cancelled)).status,
  ]).toEqual(["completed", "completed", "compensated"]);
  await expect(own.worker.runner.cancel(cancelled, because)).rejects.toMatchObject({ status: 409 });
  await expect(own.worker.runner.retry(settled, because)).rejects.toMatchObject({ status: 409 });
  expect(await own.worker.runner.retry("unknown", because)).toBe(false);
});

test("a decision without a reason and a list with a bad status are refused with a code", async () => {
  await using own = await bench(saga("s", 1).sleep("1h").build());
  const id = await own.start();
  const { runner } = own.worker;
  const notPossible = { code: "SAGA_NOT_POSSIBLE" };
  for (const verb of ["cancel", "retry", "skip", "settle"] as const)
    await expect(runner[verb](id, {} as never)).rejects.toMatchObject(notPossible);
  await expect(runner.list({ status: "x" as never })).rejects.toMatchObject(notPossible);
});
