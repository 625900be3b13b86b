import { randomUUID } from "node:crypto";
import { withServer } from "@framework/services";
import { expect, test } from "@jest/globals";
import { openRedis, redisPermits, redisTotals } from "../index.ts";

withServer("redis", (url) => {
  const open = () => openRedis({ url, connectionTimeoutSecs: 60, commandTimeoutMs: 30_000 });

  test("names of totals may have lone surrogates and characters that JSON escapes", async () => {
    const source = open();
    const totals = redisTotals(source, { name: `test-${randomUUID()}` });
    const names = ["lone \ud800", "lone \udfff", '"lone \\ud800"', '/[1]]"\\\u0000\u{1f600}', ""];
    for (let round = 0; round < 2; round++)
      await totals.add(
        "t",
        names.map((name, at) => [name, [at, 0.1]]),
      );
    expect(await totals.read("t")).toEqual(names.map((name, at) => [name, [2 * at, 0.2]]));
    await source.close();
  });

  test("a sum of amounts ends at the largest number, and the totals of the key stay readable", async () => {
    const source = open();
    const totals = redisTotals(source, { name: `test-${randomUUID()}` });
    for (let round = 0; round < 3; round++) await totals.add("t", [["n", [1e308, -1e308, 1]]]);
    expect(await totals.read("t")).toEqual([["n", [Number.MAX_VALUE, -Number.MAX_VALUE, 3]]]);
    await source.close();
  });

  test("a window of permits may be longer than Redis can keep a key", async () => {
    const source = open();
    const permits = redisPermits(source, { name: `test-${randomUUID()}` });
    for (const kind of ["bucket", "window"] as const) {
      const rule = { kind, capacity: 2, windowMs: 1e300 };
      const spent = [];
      for (let call = 0; call < 3; call++) spent.push((await permits.take(kind, rule, { spend: 1 })).spent);
      expect([kind, spent]).toEqual([kind, [1, 1, 0]]);
    }
    await source.close();
  });
});
