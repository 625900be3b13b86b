import { expect, test } from "@jest/globals";
import { inProcessState } from "../in-process-state.ts";
import { memoryHub } from "./memory-link.ts";
import { primaryState } from "./primary-state.ts";
import { serveSharedState } from "./serve-shared-state.ts";

test("a worker moves a raised key to another group, and its former group has room again", async () => {
  const hub = memoryHub();
  serveSharedState(inProcessState(), hub);
  const { values } = primaryState(hub.connect().worker);
  const live = { ttlMs: 60_000, group: "live", maxKeys: 1 };
  const raise = async (key: string, value: number, options: object = live): Promise<unknown> =>
    Promise.resolve(values.raise(key, value, { ...live, ...options })).catch(
      ({ code }: { code: unknown }) => code,
    );
  expect([await raise("a", 1), await raise("b", 1)]).toEqual([true, "CORE_SHARED_STATE_FULL"]);
  expect([await raise("a", 2, { group: "ended" }), await raise("b", 1)]).toEqual([
    true,
    "CORE_SHARED_STATE_FULL",
  ]);
  expect([await raise("a", 3, { group: "ended", moves: true }), await raise("b", 1)]).toEqual([true, true]);
});
