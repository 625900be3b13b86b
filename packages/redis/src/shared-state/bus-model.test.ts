import { virtualClock, type VirtualClock } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { Bus } from "./bus.ts";
import type { BusLink } from "./bus-link.ts";
import { SimulatedServer } from "./simulated-server.test-kit.ts";

const log = { error() {} };

/** One process: a copy of a value, and the clients of a room. */
class Process {
  readonly id: string;
  readonly bus: Bus;
  /** Version of the copy; `null` without one. */
  copy: number | null = null;
  readonly heard: number[] = [];
  isAlive = true;
  firstConnectedAt = Infinity;
  lastConnectedAt = -Infinity;

  constructor(id: string, server: SimulatedServer, clock: VirtualClock) {
    this.id = id;
    this.bus = new Bus({ id, link: server.link(id), subscriberMs: 1000, joinMs: 2000, clock, log });
    const drop = (): void => void (this.copy = null);
    this.bus.subscribe("drop", drop, { missed: drop });
    this.bus.subscribe("room", (message) => void this.heard.push(message as number));
  }
}

/** Several processes, the truth, and what was promised about it. */
class World {
  readonly clock = virtualClock();
  readonly server = new SimulatedServer(this.clock);
  readonly processes: Process[] = [];
  readonly outcomes: string[] = [];
  private serial = 0;
  private version = 0;
  private confirmed = 0;
  private messages = 0;
  private dataLostAt = -Infinity;

  constructor(count: number) {
    for (let at = 0; at < count; at++) this.processes.push(this.create());
  }

  process(at: number): Process {
    const process = this.processes[at % this.processes.length];
    if (process === undefined) throw new Error("no process");
    return process;
  }

  /** Reads the value, and keeps a copy. */
  fill(at: number): void {
    const process = this.process(at);
    if (process.bus.isConnected) process.copy = this.version;
  }

  /** Changes the value, then drops the copies. */
  write(at: number): void {
    const version = ++this.version;
    const { bus } = this.process(at);
    bus.publish("drop", "1").then(
      () => {
        this.confirmed = Math.max(this.confirmed, version);
        this.outcomes.push("dropped");
        this.check();
      },
      () => this.outcomes.push("failed"),
    );
  }

  /** Sends a message to the room. */
  say(at: number): void {
    const message = ++this.messages;
    this.check();
    const now = this.clock.now();
    const listening = this.processes.filter(({ lastConnectedAt }) => now - lastConnectedAt <= 1000);
    const sender = this.process(at);
    sender.bus
      .publish("room", String(message))
      .then(
        (isComplete) => {
          this.outcomes.push(isComplete ? "said" : "not heard");
          if (!isComplete) return;
          const deaf = listening.filter(
            (each) =>
              each.isAlive &&
              !each.heard.includes(message) &&
              (this.knewOthers(sender, now) || this.isConnected(each)),
          );
          if (deaf.length > 0)
            throw new Error(`message ${message} did not reach ${deaf.map(({ id }) => id).join()}`);
        },
        () => this.outcomes.push("failed"),
      )
      .catch((error: unknown) => this.broken.push(error));
  }

  crash(at: number): void {
    const process = this.process(at);
    process.isAlive = false;
    this.server.crash(process.id);
    this.processes[at % this.processes.length] = this.create();
  }

  loseData(): void {
    this.dataLostAt = this.clock.now();
    this.server.kill(false);
  }

  readonly broken: unknown[] = [];

  /** No process uses a copy that is older than a confirmed drop; no process hears a message twice. */
  check(): void {
    for (const process of this.processes) {
      const { id, bus, copy, heard } = process;
      if (bus.isConnected) process.lastConnectedAt = this.clock.now();
      if (bus.joining === null && process.firstConnectedAt === Infinity)
        process.firstConnectedAt = this.clock.now();
      if (bus.isConnected && copy !== null && copy < this.confirmed)
        this.broken.push(`${id} uses version ${copy}`);
      if (new Set(heard).size < heard.length) this.broken.push(`${id} heard a message twice`);
    }
  }

  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 50) {
      await this.clock.advance(50);
      this.check();
    }
  }

  /** A process that joins knows only of the members that are left by then; on a server without data, of those that came back before their leases ended. */
  private knewOthers({ firstConnectedAt }: Process, saidAt: number): boolean {
    if (firstConnectedAt > saidAt) return false;
    return firstConnectedAt < this.dataLostAt || saidAt - this.dataLostAt > 8000;
  }

  /** Whether a process has been connected up to now. */
  private isConnected({ lastConnectedAt }: Process): boolean {
    return this.clock.now() - lastConnectedAt <= 50;
  }

  private create(): Process {
    return new Process(`p${this.serial++}`, this.server, this.clock);
  }
}

type Step = readonly [
  step: "fill" | "write" | "say" | "wait" | "kill" | "lose" | "start" | "cut" | "silence" | "heal" | "crash",
  at: number,
  ms: number,
];

const perform = async (world: World, [step, at, ms]: Step): Promise<void> => {
  const { server } = world;
  if (step === "fill" || step === "write" || step === "say" || step === "crash") world[step](at);
  else if (step === "kill") server.kill(true);
  else if (step === "lose") world.loseData();
  else if (step === "start") server.start();
  else if (step === "cut") server.network(world.process(at).id, "cut");
  else if (step === "silence") server.network(world.process(at).id, "silent");
  else if (step === "heal") server.network(world.process(at).id, "up");
  await world.pass(ms);
};

const settled = async (world: World): Promise<void> => {
  world.server.start();
  for (const { id } of world.processes) world.server.network(id, "up");
  await world.pass(12_000);
};

const step = (names: readonly Step[0][]): fc.Arbitrary<Step> =>
  fc.tuple(fc.constantFrom(...names), fc.nat({ max: 2 }), fc.constantFrom(0, 50, 200, 500, 1000, 3000, 7000));

/** Runs the steps after everyone has joined, and returns what was broken. */
const run = async (steps: readonly Step[]): Promise<World> => {
  const world = new World(3);
  await world.pass(500);
  for (const each of steps) await perform(world, each);
  await settled(world);
  return world;
};

const usual: readonly Step[0][] = ["fill", "fill", "write", "say", "wait"];

test("whatever fails, a confirmed drop leaves no older copy, and a confirmed message has reached everyone, once", async () => {
  const faults: readonly Step[0][] = [
    "kill",
    "lose",
    "start",
    "start",
    "cut",
    "silence",
    "heal",
    "heal",
    "crash",
  ];
  await fc.assert(
    fc.asyncProperty(fc.array(step([...usual, ...faults]), { maxLength: 25, size: "max" }), async (steps) => {
      const { broken } = await run(steps);
      expect(broken).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

test("once the faults are over, drops and messages are confirmed, and every copy may be used", async () => {
  const faults: readonly Step[0][] = ["kill", "lose", "start", "cut", "silence", "heal"];
  await fc.assert(
    fc.asyncProperty(fc.array(step([...usual, ...faults]), { maxLength: 12 }), async (steps) => {
      const world = await run(steps);
      world.outcomes.length = 0;
      world.write(0);
      world.say(1);
      await world.pass(500);
      expect(world.outcomes.toSorted()).toEqual(["dropped", "said"]);
      expect(world.processes.map(({ bus }) => bus.isConnected)).toEqual([true, true, true]);
    }),
    { numRuns: 100 },
  );
});

test("after a restart without data a message is delivered to a process that comes back later", async () => {
  const world = new World(2);
  await world.pass(500);
  world.server.network(world.process(1).id, "cut");
  world.server.kill(false);
  world.server.start();
  await world.pass(300);
  world.say(0);
  await world.pass(1000);
  expect(world.outcomes).toEqual([]);
  world.server.network(world.process(1).id, "up");
  await world.pass(300);
  expect([world.outcomes, world.process(1).heard]).toEqual([["said"], [1]]);
});

test("a message to a process that died is reported as not confirmed, when its membership has ended", async () => {
  const world = new World(2);
  await world.pass(500);
  world.server.crash(world.process(1).id);
  world.say(0);
  world.write(0);
  await world.pass(4000);
  expect(world.outcomes).toEqual([]);
  await world.pass(4000);
  expect(world.outcomes).toEqual(["not heard", "dropped"]);
  world.say(0);
  await world.pass(100);
  expect(world.outcomes.at(-1)).toBe("said");
});

test("a process that leaves in order delays no message", async () => {
  const world = new World(2);
  await world.pass(500);
  void world.process(1).bus.close();
  await world.pass(50);
  world.say(0);
  await world.pass(50);
  expect(world.outcomes).toEqual(["said"]);
});

test("a process without a connection uses no copy, and reports the gap once it is back", async () => {
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
  world.say(0);
  await world.pass(1500);
  expect(world.outcomes).toEqual([]);
  await world.pass(8000);
  expect(world.outcomes).toEqual(["said"]);
  expect(world.process(1).heard).toEqual([1]);
});

test("a process that was not renewed in time reports a gap before it counts as connected again", async () => {
  const clock = virtualClock();
  const events: string[] = [];
  const answers: (() => void)[] = [];
  const link: BusLink = {
    open: ({ subscribed }) => subscribed(),
    renew: () => new Promise((resolve) => answers.push(() => resolve({ rows: [], uptimeMs: Infinity }))),
    announce: async () => ({ rows: [], uptimeMs: Infinity }),
    send: async () => {},
    leave: async () => {},
    close: () => {},
  };
  const bus = new Bus({ id: "a", link, subscriberMs: 1000, joinMs: 2000, clock, log });
  bus.subscribe("drop", () => {}, {
    missed: () => void events.push(`missed, connected: ${bus.isConnected}`),
  });
  const answer = async (): Promise<void> => {
    answers.splice(0).forEach((resolve) => resolve());
    await clock.advance(0);
  };
  await answer();
  expect(bus.isConnected).toBe(true);
  await clock.advance(3999);
  expect(bus.isConnected).toBe(true);
  await clock.advance(1);
  expect(bus.isConnected).toBe(false);
  await answer();
  await clock.advance(1000);
  await answer();
  expect([events, bus.isConnected]).toEqual([["missed, connected: false", "missed, connected: false"], true]);
});
