import { expect, test } from "@jest/globals";
import { virtualClock } from "../../runtime/virtual-clock.ts";
import { Subscriptions } from "./subscriptions.ts";

test("`onMissed` is called once for each present subscription, even if it subscribes again", () => {
  const subscriptions = new Subscriptions({ limitMs: 1000, clock: virtualClock(), log: console });
  const calls: string[] = [];
  const subscribe = (channel: string): void => {
    const stop = subscriptions.add(channel, () => {}, {
      onMissed: () => {
        calls.push(channel);
        if (calls.length > 10) return;
        stop();
        subscribe(channel);
      },
    });
  };
  subscribe("a");
  subscribe("a");
  subscribe("b");
  subscriptions.emitMissed();
  expect(calls).toEqual(["a", "a", "b"]);
  subscriptions.emitMissed();
  expect(calls).toHaveLength(6);
});

test("`onMissed` is not called for a subscription that an earlier call has removed", () => {
  const subscriptions = new Subscriptions({ limitMs: 1000, clock: virtualClock(), log: console });
  const calls: string[] = [];
  const stops = ["a", "a", "b"].map((channel, at) =>
    subscriptions.add(channel, () => {}, {
      onMissed: () => {
        calls.push(`${channel}${at}`);
        for (const stop of stops) stop();
      },
    }),
  );
  subscriptions.emitMissed();
  expect(calls).toEqual(["a0"]);
});
