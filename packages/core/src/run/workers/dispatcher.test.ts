import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { type Accepted, createDispatcher, MAX_UNCONFIRMED, MAX_WAITING, type Taker } from "./dispatcher.ts";

class FakeSocket extends EventEmitter {
  destroyed = false;
  destroy(): void {
    this.destroyed = true;
  }
}

const socket = (): Socket & FakeSocket => new FakeSocket() as unknown as Socket & FakeSocket;

class FakeTaker implements Taker {
  readonly given: { id: number; socket: Socket; sent: (error: Error | null) => void }[] = [];
  take(id: number, { socket: taken }: Accepted, sent: (error: Error | null) => void): void {
    this.given.push({ id, socket: taken, sent });
  }
}

test("passes sockets to the open takers in turn", () => {
  const dispatcher = createDispatcher();
  const takers = [new FakeTaker(), new FakeTaker(), new FakeTaker()] as const;
  for (const taker of takers) dispatcher.open(taker);
  for (let count = 0; count < 9; count++) dispatcher.accept(socket());
  expect(takers.map(({ given }) => given.length)).toEqual([3, 3, 3]);
});

test("queues sockets while no taker is ready, and passes them on in order", () => {
  const dispatcher = createDispatcher();
  const [first, second] = [socket(), socket()];
  dispatcher.accept(first);
  dispatcher.accept(second);
  expect(dispatcher.waiting).toBe(2);
  const taker = new FakeTaker();
  dispatcher.open(taker);
  expect(taker.given.map((item) => item.socket)).toEqual([first, second]);
  expect(dispatcher.waiting).toBe(0);
});

test("closes new sockets when 1,000 are queued", () => {
  const dispatcher = createDispatcher();
  const waiting = Array.from({ length: MAX_WAITING }, socket);
  for (const each of waiting) dispatcher.accept(each);
  const last = socket();
  dispatcher.accept(last);
  expect(last.destroyed).toBe(true);
  expect(waiting.some(({ destroyed }) => destroyed)).toBe(false);
  expect(dispatcher.dismiss()).toBe(MAX_WAITING);
  expect(waiting.every(({ destroyed }) => destroyed)).toBe(true);
});

test("keeps its copy of a socket until the taker confirms it", () => {
  const dispatcher = createDispatcher();
  const taker = new FakeTaker();
  dispatcher.open(taker);
  const one = socket();
  dispatcher.accept(one);
  taker.given[0]?.sent(null);
  expect(one.destroyed).toBe(false);
  dispatcher.confirm(taker, taker.given[0]?.id ?? 0);
  expect(one.destroyed).toBe(true);
});

test("passes a socket to another taker if the first one dies before confirming it, but not after", () => {
  const dispatcher = createDispatcher();
  const [dying, living] = [new FakeTaker(), new FakeTaker()];
  dispatcher.open(dying);
  const [confirmed, lost] = [socket(), socket()];
  dispatcher.accept(confirmed);
  dispatcher.accept(lost);
  dispatcher.confirm(dying, dying.given[0]?.id ?? 0);
  dispatcher.open(living);
  dispatcher.gone(dying);
  expect(living.given.map((item) => item.socket)).toEqual([lost]);
});

test("passes a socket to another taker if sending it fails", () => {
  const dispatcher = createDispatcher();
  const [broken, living] = [new FakeTaker(), new FakeTaker()];
  dispatcher.open(broken);
  const one = socket();
  dispatcher.accept(one);
  dispatcher.open(living);
  broken.given[0]?.sent(new Error("EPIPE"));
  expect(living.given.map((item) => item.socket)).toEqual([one]);
  dispatcher.accept(socket());
  expect(broken.given).toHaveLength(1);
});

test("skips a taker with 64 unconfirmed sockets", () => {
  const dispatcher = createDispatcher();
  const [busy, quick] = [new FakeTaker(), new FakeTaker()];
  dispatcher.open(busy);
  for (let count = 0; count < MAX_UNCONFIRMED + 1; count++) dispatcher.accept(socket());
  expect([busy.given.length, dispatcher.waiting]).toEqual([MAX_UNCONFIRMED, 1]);
  dispatcher.open(quick);
  expect(quick.given).toHaveLength(1);
  for (let count = 0; count < 5; count++) dispatcher.accept(socket());
  expect(quick.given).toHaveLength(6);
});

test("prefers takers with fewer unconfirmed sockets", () => {
  const dispatcher = createDispatcher();
  const [blocked, quick] = [new FakeTaker(), new FakeTaker()];
  dispatcher.open(blocked);
  dispatcher.open(quick);
  for (let count = 0; count < 9; count++) {
    dispatcher.accept(socket());
    for (const { id } of quick.given) dispatcher.confirm(quick, id);
  }
  expect([blocked.given.length, quick.given.length]).toEqual([1, 8]);
  for (const { id } of blocked.given) dispatcher.confirm(blocked, id);
  dispatcher.accept(socket());
  dispatcher.accept(socket());
  expect(blocked.given).toHaveLength(2);
});

test("loses no socket and passes none to two living takers, in any sequence of events", () => {
  const step = fc.record({
    act: fc.constantFrom("accept", "open", "shut", "gone", "confirm", "fail"),
    who: fc.nat(3),
    which: fc.nat(9),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const dispatcher = createDispatcher();
      const takers: FakeTaker[] = [];
      const dead = new Set<FakeTaker>();
      const done = new Set<Socket>();
      const sockets: (Socket & FakeSocket)[] = [];
      for (const { act, who, which } of steps) {
        const taker = takers[who];
        const item = taker?.given[which];
        if (act === "accept") {
          const one = socket();
          sockets.push(one);
          dispatcher.accept(one);
        } else if (act === "open") {
          const fresh = new FakeTaker();
          takers.push(fresh);
          dispatcher.open(fresh);
        } else if (taker === undefined || dead.has(taker)) continue;
        else if (act === "shut") dispatcher.shut(taker);
        else if (act === "gone") {
          dead.add(taker);
          dispatcher.gone(taker);
        } else if (item !== undefined && act === "confirm") {
          dispatcher.confirm(taker, item.id);
          if (item.socket.destroyed) done.add(item.socket);
        } else if (item !== undefined && act === "fail" && !done.has(item.socket)) {
          taker.given.splice(which, 1);
          item.sent(new Error("EPIPE"));
        }
      }
      const held = takers
        .filter((taker) => !dead.has(taker))
        .flatMap(({ given }) => given.map((item) => item.socket))
        .filter((each) => !done.has(each));
      expect(new Set(held).size).toBe(held.length);
      expect(held.length + dispatcher.waiting + done.size).toBe(sockets.length);
      expect(sockets.filter(({ destroyed }) => destroyed)).toHaveLength(done.size);
    }),
  );
});
