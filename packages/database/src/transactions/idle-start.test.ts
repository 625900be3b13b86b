import { expect, jest, test } from "@jest/globals";
import type { OpenTransaction } from "../backend.ts";
import { Statement } from "../statement.ts";
import { IdleLimit } from "./idle-limit.ts";
import { TransactionLease } from "./transaction-lease.ts";
import { TransactionScope } from "./transaction-scope.ts";

test.each(["succeeds", "fails"])("the idle timeout restarts when a synchronous statement %s", (outcome) => {
  let now = 0;
  const clock = jest.spyOn(performance, "now").mockImplementation(() => now);
  const open = {
    run: () => {
      now += 5000;
      if (outcome === "fails") throw new Error("constraint failed");
      return { rows: [], changes: 1 };
    },
  } as unknown as OpenTransaction;
  const limit = new IdleLimit(1000);
  const lease = new TransactionLease(open, limit);
  const execution = { signal: undefined, first: false, waitedMs: 0, workedMs: null };
  const run = (): string => {
    try {
      void new TransactionScope(lease).run(new Statement("UPDATE books SET n = 1", []), execution);
      return "succeeds";
    } catch {
      return "fails";
    }
  };
  const actual = run();
  clock.mockRestore();
  expect([actual, lease.usedAt]).toEqual([outcome, 5000]);
  limit.remove(lease);
});
