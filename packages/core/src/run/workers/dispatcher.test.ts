import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  type Accepted,
  createDispatcher,
  MAX_UNCONFIRMED,
  MAX_WAITING,
  type SocketTarget,
} from "./dispatcher.ts";

class FakeSocket extends EventEmitter {
  destroyed = false;
  destroy(): void {
    this.destroyed = true;
  }
}

const socket = (): Socket & FakeSocket => new FakeSocket() as unknown as Socket & FakeSocket;

class FakeTarget implements SocketTarget {
  readonly received: { id: number; socket: Socket; sent: (error: Error | null) => void }[] = [];
  take(id: number, { socket: taken }: Accepted, sent: (error: Error | null) => void): void {
    this.received.push({ id, socket: taken, sent });
  }
}

test("passes sockets to the ready targets, round-robin", () => {
  const dispatcher = createDispatcher();
  const targets = [new FakeTarget(), new FakeTarget(), new FakeTarget()] as const;
  for (const target of targets) dispatcher.open(target);
  for (let count = 0; count < 9; count++) dispatcher.accept(socket());
  expect(targets.map(({ received }) => received.length)).toEqual([3, 3, 3]);
});

test("queues sockets while no target is ready, and passes them on in order", () => {
  const dispatcher = createDispatcher();
  const [first, second] = [socket(), socket()];
  dispatcher.accept(first);
  dispatcher.accept(second);
  expect(dispatcher.waiting).toBe(2);
  const target = new FakeTarget();
  dispatcher.open(target);
  expect(target.received.map((item) => item.socket)).toEqual([first, second]);
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
  expect(dispatcher.closeQueued()).toBe(MAX_WAITING);
  expect(waiting.every(({ destroyed }) => destroyed)).toBe(true);
});

test("keeps its copy of a socket until the target confirms it", () => {
  const dispatcher = createDispatcher();
  const target = new FakeTarget();
  dispatcher.open(target);
  const one = socket();
  dispatcher.accept(one);
  target.received[0]?.sent(null);
  expect(one.destroyed).toBe(false);
  dispatcher.confirm(target, target.received[0]?.id ?? 0);
  expect(one.destroyed).toBe(true);
});

test("passes a socket to another target if the first one dies before confirming it, but not after", () => {
  const dispatcher = createDispatcher();
  const [dying, living] = [new FakeTarget(), new FakeTarget()];
  dispatcher.open(dying);
  const [confirmed, lost] = [socket(), socket()];
  dispatcher.accept(confirmed);
  dispatcher.accept(lost);
  dispatcher.confirm(dying, dying.received[0]?.id ?? 0);
  dispatcher.open(living);
  dispatcher.remove(dying);
  expect(living.received.map((item) => item.socket)).toEqual([lost]);
});

test("passes a socket to another target if sending it fails", () => {
  const dispatcher = createDispatcher();
  const [broken, living] = [new FakeTarget(), new FakeTarget()];
  dispatcher.open(broken);
  const one = socket();
  dispatcher.accept(one);
  dispatcher.open(living);
  broken.received[0]?.sent(new Error("EPIPE"));
  expect(living.received.map((item) => item.socket)).toEqual([one]);
  dispatcher.accept(socket());
  expect(broken.received).toHaveLength(1);
});

test("passes a socket on only once when sending it fails after its target has exited", () => {
  const dispatcher = createDispatcher();
  const [dying, ...living] = [new FakeTarget(), new FakeTarget(), new FakeTarget()];
  dispatcher.open(dying);
  dispatcher.accept(socket());
  for (const target of living) dispatcher.open(target);
  dispatcher.remove(dying);
  dying.received[0]?.sent(new Error("ERR_IPC_CHANNEL_CLOSED"));
  expect(living.map(({ received }) => received.length)).toEqual([1, 0]);
});

test("skips a target with 64 unconfirmed sockets", () => {
  const dispatcher = createDispatcher();
  const [busy, quick] = [new FakeTarget(), new FakeTarget()];
  dispatcher.open(busy);
  for (let count = 0; count < MAX_UNCONFIRMED + 1; count++) dispatcher.accept(socket());
  expect([busy.received.length, dispatcher.waiting]).toEqual([MAX_UNCONFIRMED, 1]);
  dispatcher.open(quick);
  expect(quick.received).toHaveLength(1);
  for (let count = 0; count < 5; count++) dispatcher.accept(socket());
  expect(quick.received).toHaveLength(6);
});

test("prefers targets with fewer unconfirmed sockets", () => {
  const dispatcher = createDispatcher();
  const [blocked, quick] = [new FakeTarget(), new FakeTarget()];
  dispatcher.open(blocked);
  dispatcher.open(quick);
  for (let count = 0; count < 9; count++) {
    dispatcher.accept(socket());
    for (const { id } of quick.received) dispatcher.confirm(quick, id);
  }
  expect([blocked.received.length, quick.received.length]).toEqual([1, 8]);
  for (const { id } of blocked.received) dispatcher.confirm(blocked, id);
  dispatcher.accept(socket());
  dispatcher.accept(socket());
  expect(blocked.received).toHaveLength(2);
});

test("loses no socket and passes none to two living targets, in any sequence of events", () => {
  const step = fc.record({
    act: fc.constantFrom("accept", "open", "exclude", "remove", "confirm", "fail"),
    who: fc.nat(3),
    which: fc.nat(9),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const dispatcher = createDispatcher();
      const targets: FakeTarget[] = [];
      const dead = new Set<FakeTarget>();
      const done = new Set<Socket>();
      const sockets: (Socket & FakeSocket)[] = [];
      for (const { act, who, which } of steps) {
        const target = targets[who];
        const item = target?.received[which];
        if (act === "accept") {
          const one = socket();
          sockets.push(one);
          dispatcher.accept(one);
        } else if (act === "open") {
          const fresh = new FakeTarget();
          targets.push(fresh);
          dispatcher.open(fresh);
        } else if (target === undefined || (dead.has(target) && act !== "fail")) continue;
        else if (act === "exclude") dispatcher.exclude(target);
        else if (act === "remove") {
          dead.add(target);
          dispatcher.remove(target);
        } else if (item !== undefined && act === "confirm") {
          dispatcher.confirm(target, item.id);
          if (item.socket.destroyed) done.add(item.socket);
        } else if (item !== undefined && act === "fail" && !done.has(item.socket)) {
          target.received.splice(which, 1);
          item.sent(new Error("EPIPE"));
        }
      }
      const held = targets
        .filter((target) => !dead.has(target))
        .flatMap(({ received }) => received.map((item) => item.socket))
        .filter((each) => !done.has(each));
      expect(new Set(held).size).toBe(held.length);
      expect(held.length + dispatcher.waiting + done.size).toBe(sockets.length);
      expect(sockets.filter(({ destroyed }) => destroyed)).toHaveLength(done.size);
    }),
  );
});
