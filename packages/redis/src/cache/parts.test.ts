import { expect, test } from "@jest/globals";
import { redisCacheStore } from "../index.ts";

test("on a cluster, replies are distributed evenly over all parts", async () => {
  const counts = new Map<string, number>();
  const callBuffer = async (_command: string, _sha: string, _keys: number, key: string): Promise<null> => {
    const [, part = ""] = /^cache:(\{cache-\d+\}):e:/.exec(key) ?? [];
    counts.set(part, (counts.get(part) ?? 0) + 1);
    return null;
  };
  const parts = 4096;
  const store = redisCacheStore({ redis: { isCluster: true, callBuffer } as never }, { parts });
  for (let index = 0; index < 20 * parts; index++) await store.get(`/books/${index}`);
  expect(counts.size).toBe(parts);
  expect(Math.max(...counts.values())).toBeLessThan(60); // 20 on average
});
