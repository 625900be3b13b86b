import { expect, test } from "@jest/globals";
import { HalfCloseWatch } from "./half-close-watch.ts";

test("a stream may be silent for 2 s, also directly after a half-close that happens just before a check", () => {
  const socket = { bytesWritten: 100, writableLength: 0 };
  const watch = new HalfCloseWatch(socket);
  expect([10_000, 11_000].map((now) => watch.checkIdle(now))).toEqual([false, false]);
  socket.bytesWritten = 200;
  expect([12_000, 13_000, 14_000].map((now) => watch.checkIdle(now))).toEqual([false, false, true]);
});

test("bytes that wait to be sent count as written", () => {
  const watch = new HalfCloseWatch({ bytesWritten: 100, writableLength: 1 });
  expect([0, 1000, 2000, 3000].map((now) => watch.checkIdle(now))).toEqual([false, false, false, false]);
});
