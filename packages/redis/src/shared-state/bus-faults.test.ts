import { virtualClock } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import { Bus } from "./bus.ts";
import type { BusLink } from "./bus-link.ts";
import { World } from "./bus-world.test-kit.ts";

const log = { error() {} };

test("after a restart without data a message is delivered to a process that reconnects later", async () => {
  const world = new World(2);
  await world.pass(500);
  world.server.network(world.process(1).id, "cut");
  world.server.kill(false);
  world.server.start();
  await world.pass(300);
  world.send(0);
  await world.pass(1000);
  expect(world.outcomes).toEqual([]);
  world.server.network(world.process(1).id, "up");
  await world.pass(300);
  expect([world.outcomes, world.process(1).received]).toEqual([["sent"], [1]]);
});

test("a message to a process that died is reported as not confirmed once its membership has ended", async () => {
  const world = new World(2);
  await world.pass(500);
  world.server.crash(world.process(1).id);
  world.send(0);
  world.write(0);
  await world.pass(4000);
  expect(world.outcomes).toEqual([]);
  await world.pass(4000);
  expect(world.outcomes).toEqual(["incomplete", "dropped"]);
  world.send(0);
  await world.pass(100);
  expect(world.outcomes.at(-1)).toBe("sent");
});

test("a process that shuts down cleanly delays no message", async () => {
  const world = new World(2);
  await world.pass(500);
  void world.process(1).bus.close();
  await world.pass(50);
  world.send(0);
  await world.pass(50);
  expect(world.outcomes).toEqual(["sent"]);
});

test("a process without a connection uses no copy, and reports the gap once it reconnects", async () => {
  const world = new World(2);
  await world.pass(500);
  world.fill(1);
  const { id, bus } = world.process(1);
  world.server.network(id, "cut");
  expect(bus.isConnected).toBe(false);
  await world.pass(1000);
  expect(world.process(1).copy).not.toBeNull();
  world.server.network(id, "up");
  await world.pass(500);
  expect([bus.isConnected, world.process(1).copy]).toEqual([true, null]);
});

test("a process that joins right after a restart of the server waits for the others before its first message", async () => {
  const world = new World(2);
  await world.pass(500);
  world.server.kill(false);
  world.server.start();
  await world.pass(100);
  world.crash(0);
  world.send(0);
  await world.pass(1500);
  expect(world.outcomes).toEqual([]);
  await world.pass(8000);
  expect(world.outcomes).toEqual(["sent"]);
  expect(world.process(1).received).toEqual([1]);
});

test("a process that was not renewed in time reports a gap before it counts as connected again", async () => {
  const clock = virtualClock();
  const events: string[] = [];
  const pending: (() => void)[] = [];
  const link: BusLink = {
    open: ({ onSubscribed }) => onSubscribed(),
    renew: () => new Promise((resolve) => pending.push(() => resolve({ rows: [], uptimeMs: Infinity }))),
    announce: async () => ({ rows: [], uptimeMs: Infinity }),
    send: async () => {},
    leave: async () => {},
    close: () => {},
  };
  const bus = new Bus({ id: "a", link, subscriberMs: 1000, joinMs: 2000, clock, log });
  bus.subscribe("drop", () => {}, {
    onMissed: () => void events.push(`missed, connected: ${bus.isConnected}`),
  });
  const reply = async (): Promise<void> => {
    pending.splice(0).forEach((resolve) => resolve());
    await clock.advance(0);
  };
  await reply();
  expect(bus.isConnected).toBe(true);
  await clock.advance(3999);
  expect(bus.isConnected).toBe(true);
  await clock.advance(1);
  expect(bus.isConnected).toBe(false);
  await reply();
  await clock.advance(1000);
  await reply();
  expect([events, bus.isConnected]).toEqual([["missed, connected: false", "missed, connected: false"], true]);
});
