import { expect, test } from "@jest/globals";
import { Gate } from "./gate.ts";

test("calls above the bound are refused with 503, until one has ended", async () => {
  const gate = new Gate("commands", 2);
  const end = Promise.withResolvers<void>();
  const running = [gate.run(() => end.promise), gate.run(() => Promise.reject(new Error("failed")))];
  await expect(gate.run(async () => 3)).rejects.toMatchObject({
    status: 503,
    code: "CQRS_BUSY",
    headers: { "retry-after": "1" },
  });
  await expect(running[1]).rejects.toThrow("failed");
  expect(await gate.run(async () => 4)).toBe(4);
  end.resolve();
  await running[0];
});
