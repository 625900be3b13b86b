import { expect, test } from "@jest/globals";
import { ConcurrencyLimit } from "./concurrency-limit.ts";

test("calls above the limit are refused with 503 until a running call has ended", async () => {
  const limit = new ConcurrencyLimit("commands", 2);
  const end = Promise.withResolvers<void>();
  const running = [limit.run(() => end.promise), limit.run(() => Promise.reject(new Error("failed")))];
  await expect(limit.run(async () => 3)).rejects.toMatchObject({
    status: 503,
    code: "CQRS_BUSY",
    headers: { "retry-after": "1" },
  });
  await expect(running[1]).rejects.toThrow("failed");
  expect(await limit.run(async () => 4)).toBe(4);
  end.resolve();
  await running[0];
});
