import { expect, test } from "@jest/globals";
import { ConcurrencyLimit } from "./concurrency-limit.ts";

test("calls run in order, and no more than the limit concurrently", async () => {
  const limit = new ConcurrencyLimit(() => 2);
  const started: number[] = [];
  const ends: PromiseWithResolvers<void>[] = [];
  const all = [0, 1, 2, 3].map((number) => {
    const end = Promise.withResolvers<void>();
    ends.push(end);
    return limit.run(async () => {
      started.push(number);
      await end.promise;
      if (number === 1) throw new Error("failed");
    });
  });
  expect(started).toEqual([0, 1]);
  ends[1]?.resolve();
  await expect(all[1]).rejects.toThrow("failed");
  expect(started).toEqual([0, 1, 2]);
  for (const { resolve } of ends) resolve();
  await Promise.all([all[0], all[2], all[3]]);
  expect(started).toEqual([0, 1, 2, 3]);
});
