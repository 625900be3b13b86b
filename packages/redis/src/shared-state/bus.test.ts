import { virtualClock } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import { Bus } from "./bus.ts";
import type { BusLink } from "./bus-link.ts";

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
