import { openDatabase } from "@framework/database";
import { expect, test } from "@jest/globals";
import { createKernel } from "../feature.ts";

test("a process holds at most 10,000 leases, even if it claims more at once", async () => {
  const db = openDatabase({ url: "sqlite://:memory:" });
  const kernel = createKernel(db, { log: { info() {}, warn() {}, error() {} } });
  await kernel.start();
  const names = Array.from({ length: 10_005 }, (_, index) => `${index}`);
  const claimed = await Promise.all(names.map((name) => kernel.acquireLease("rebuild", name)));
  expect(claimed.filter((lease) => lease !== null)).toHaveLength(10_000);
  expect(await kernel.acquireLease("rebuild", "another")).toBeNull();
  await kernel.stop();
  await db.close();
}, 120_000);
