import { expect, test } from "@jest/globals";
import { cluster } from "./cluster.test-kit.ts";
import { serveSharedState } from "./serve-shared-state.ts";

const refused = { status: "rejected", reason: { code: "CORE_SHARED_STATE_UNAVAILABLE" } };
const settled = async (call: unknown) => (await Promise.allSettled([call as Promise<unknown>]))[0];
const stuck = () => new Promise<void>(() => {});

test("the exit of a worker ends its subscriptions and the wait of publishers", async () => {
  const { join, clock } = cluster();
  const [dying, living] = [join(), join()];
  dying.state.values.subscribe("c", stuck);
  const seen: unknown[] = [];
  living.state.values.subscribe("c", (message) => void seen.push(message));
  await living.state.values.get("ready");
  let done = false;
  const published = living.state.values.publish("c", 1).then(() => (done = true));
  await clock.advance(10);
  expect([done, seen]).toEqual([false, [1]]);
  dying.link.close();
  await clock.advance(0);
  expect(done).toBe(true);
  await published;
  await living.state.values.publish("c", 2); // resolves without an advance of the clock
  expect(seen).toEqual([1, 2]);
});

test("the leases of a worker count as used when it exits, whatever their duration", async () => {
  const { join, state, clock } = cluster();
  const dying = join();
  const rule = { kind: "window", capacity: 100, windowMs: 5000 } as const;
  const lease = { holder: "a", used: [], hold: 0, max: 50, share: 0.5, leaseMs: 60_000, endsAtExit: true };
  await dying.state.permits.take("k", rule, { spend: 0, lease });
  await dying.state.permits.take("k", rule, { spend: 0, lease: { ...lease, hold: 40, used: [0], max: 0 } });
  await dying.state.permits.take("kept", rule, { spend: 0, lease: { ...lease, endsAtExit: false } });
  await dying.state.permits.take("returned", rule, { spend: 0, lease });
  await dying.state.permits.take("returned", rule, { spend: 0, lease: { ...lease, max: 0 } });
  await clock.advance(1000);
  dying.link.close();
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
  let subscribed = 0;
  const counting = {
    ...state,
    values: {
      ...state.values,
      subscribe: (...subscription: Parameters<typeof state.values.subscribe>) => {
        const stop = state.values.subscribe(...subscription);
        subscribed++;
        return () => {
          subscribed--;
          stop();
        };
      },
    },
  };
  serveSharedState(counting, hub);
  const { link, state: dying } = join();
  for (const channel of ["a", "b"]) dying.values.subscribe(channel, () => {});
  dying.values.subscribe("c", () => {})();
  await dying.values.get("ready");
  expect(subscribed).toBe(2);
  link.close();
  expect(subscribed).toBe(0);
});

test("unread calls of an exited worker are dropped", async () => {
  const { join, state, clock } = cluster();
  const { link, state: dying } = join();
  const outcome = settled(dying.values.set("k", 1, { ttlMs: 1000 }));
  link.close(); // before the primary reads the message
  await clock.advance(0);
  expect(await outcome).toMatchObject(refused);
  expect(await state.values.get("k")).toBeUndefined();
});
