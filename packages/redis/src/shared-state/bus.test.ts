import { virtualClock } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import { Bus } from "./bus.ts";
import type { BusLink } from "./bus-link.ts";
import { SimulatedServer } from "./simulated-server.test-kit.ts";

const invalid = [
  "x",
  "",
  "1",
  "null",
  "{}",
  "[]",
  '["message"]',
  '["message","b","1","drop","1"]',
  '["message","b",1,"drop",1]',
  '["done","b"]',
  '["hello",{}]',
  '["goodbye","b"]',
];

test("messages that other programs publish to the channel are dropped, and logged once a minute", async () => {
  const clock = virtualClock();
  const lines: unknown[] = [];
  const received: unknown[] = [];
  let receive: (text: string) => void = () => {};
  const link: BusLink = {
    open(events) {
      receive = events.onMessage;
      events.onSubscribed();
    },
    renew: async () => ({ rows: [], uptimeMs: Infinity }),
    announce: async () => ({ rows: [], uptimeMs: Infinity }),
    send: async () => {},
    leave: async () => {},
    close: () => {},
  };
  const log = { error: (_text: string, fields?: unknown) => void lines.push(fields) };
  const bus = new Bus({ id: "a", link, subscriberMs: 1000, joinMs: 2000, clock, log });
  bus.subscribe("drop", (message) => void received.push(message));
  for (const text of invalid) receive(text);
  expect(lines).toEqual([{ omitted: 0 }]);
  await clock.advance(60_000);
  receive("x");
  expect(lines).toEqual([{ omitted: 0 }, { omitted: invalid.length - 1 }]);
  receive(JSON.stringify(["message", "b", 1, "drop", '"kept"']));
  expect(received).toEqual(["kept"]);
  await bus.close();
});

test("a publication on a closed bus, or one that waits while the bus is closed, ends without an acknowledgement", async () => {
  const clock = virtualClock();
  const server = new SimulatedServer(clock);
  server.kill(false);
  server.start(); // so the first publication waits until earlier members have rejoined
  const link = server.link("a");
  const bus = new Bus({ id: "a", link, subscriberMs: 1000, joinMs: 2000, clock, log: { error() {} } });
  const outcomes: unknown[] = [];
  const publish = (): void =>
    void bus.publish("room", "1").then(
      (isComplete) => outcomes.push(isComplete),
      (error: unknown) => outcomes.push(error),
    );
  publish();
  await clock.advance(1000);
  expect(outcomes).toEqual([]);
  const closed = bus.close();
  publish();
  await clock.advance(5000);
  expect(outcomes).toEqual([false, false]);
  await closed;
});
