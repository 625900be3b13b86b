import { expect, test } from "@jest/globals";
import { cluster } from "./cluster.test-kit.ts";
import { serveSharedState } from "./serve-shared-state.ts";

const unavailableResult = { status: "rejected", reason: { code: "CORE_SHARED_STATE_UNAVAILABLE" } };
const settle = async (call: unknown) => (await Promise.allSettled([call as Promise<unknown>]))[0];
const stuck = () => new Promise<void>(() => {});

test("the exit of a worker ends its subscriptions and the wait of publishers", async () => {
  const { join, clock } = cluster();
  const [exiting, remaining] = [join(), join()];
  exiting.state.values.subscribe("c", stuck);
  const seen: unknown[] = [];
  remaining.state.values.subscribe("c", (message) => void seen.push(message));
  await remaining.state.values.get("ready");
  let done = false;
  const published = remaining.state.values.publish("c", 1).then(() => (done = true));
  await clock.advance(10);
  expect([done, seen]).toEqual([false, [1]]);
  exiting.link.close();
  await clock.advance(0);
  expect(done).toBe(true);
  await published;
  await remaining.state.values.publish("c", 2); // resolves without an advance of the clock
  expect(seen).toEqual([1, 2]);
});

test("leases with endsAtExit count as used when their worker exits, whatever their duration", async () => {
  const { join, state, clock } = cluster();
  const exiting = join();
  const rule = { kind: "window", capacity: 100, windowMs: 5000 } as const;
  const lease = { holder: "a", used: [], hold: 0, max: 50, share: 0.5, leaseMs: 60_000, endsAtExit: true };
  await exiting.state.permits.take("k", rule, { spend: 0, lease });
  await exiting.state.permits.take("k", rule, { spend: 0, lease: { ...lease, hold: 40, used: [0], max: 0 } });
  await exiting.state.permits.take("kept", rule, { spend: 0, lease: { ...lease, endsAtExit: false } });
  await exiting.state.permits.take("returned", rule, { spend: 0, lease });
  await exiting.state.permits.take("returned", rule, { spend: 0, lease: { ...lease, max: 0 } });
  await clock.advance(1000);
  exiting.link.close();
  await clock.advance(0);
  expect(await state.permits.take("k", rule, { spend: 0 })).toMatchObject({ free: 59, elsewhere: 0 });
  expect(await state.permits.take("kept", rule, { spend: 0 })).toMatchObject({ free: 50, elsewhere: 50 });
  expect(await state.permits.take("returned", rule, { spend: 0 })).toMatchObject({ free: 100 });
  await clock.advance(4000);
  expect(await state.permits.take("k", rule, { spend: 0 })).toMatchObject({ free: 60 });
  await clock.advance(1000);
  expect(await state.permits.take("k", rule, { spend: 0 })).toMatchObject({ free: 100 });
});

test("the subscriptions of an exited worker are removed from the primary's state", async () => {
  const { hub, join, state } = cluster();
  let subscriptions = 0;
  const countingState = {
    ...state,
    values: {
      ...state.values,
      subscribe: (...subscription: Parameters<typeof state.values.subscribe>) => {
        const stop = state.values.subscribe(...subscription);
        subscriptions++;
        return () => {
          subscriptions--;
          stop();
        };
      },
    },
  };
  serveSharedState(countingState, hub);
  const { link, state: exiting } = join();
  for (const channel of ["a", "b"]) exiting.values.subscribe(channel, () => {});
  exiting.values.subscribe("c", () => {})();
  await exiting.values.get("ready");
  expect(subscriptions).toBe(2);
  link.close();
  expect(subscriptions).toBe(0);
});

test("unread calls of an exited worker are dropped", async () => {
  const { join, state, clock } = cluster();
  const { link, state: exiting } = join();
  const outcome = settle(exiting.values.set("k", 1, { ttlMs: 1000 }));
  link.close(); // before the primary reads the message
  await clock.advance(0);
  expect(await outcome).toMatchObject(unavailableResult);
  expect(await state.values.get("k")).toBeUndefined();
});
