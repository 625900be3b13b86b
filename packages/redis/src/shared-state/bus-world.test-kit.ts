// Processes that share a simulated Redis server, with the invariants of their messages.
import { virtualClock, type VirtualClock } from "@framework/core/testing";
import { Bus } from "./bus.ts";
import { SimulatedServer } from "./simulated-server.test-kit.ts";

const log = { error() {} };

/** One process: a copy of a value, and the clients of a room. */
class Process {
  readonly id: string;
  readonly bus: Bus;
  /** Version of the copy; `null` without one. */
  copy: number | null = null;
  readonly received: number[] = [];
  isAlive = true;
  firstConnectedAt: number = Infinity;
  lastConnectedAt: number = -Infinity;

  constructor(id: string, server: SimulatedServer, clock: VirtualClock) {
    this.id = id;
    this.bus = new Bus({ id, link: server.link(id), subscriberMs: 1000, joinMs: 2000, clock, log });
    const drop = (): void => void (this.copy = null);
    this.bus.subscribe("drop", drop, { onMissed: drop });
    this.bus.subscribe("room", (message) => void this.received.push(message as number));
  }
}

/** Several processes, the current value, and violations of the invariants. */
export class World {
  readonly clock: VirtualClock = virtualClock();
  readonly server: SimulatedServer = new SimulatedServer(this.clock);
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
  send(at: number): void {
    const message = ++this.messages;
    this.check();
    const now = this.clock.now();
    const listening = this.processes.filter(({ lastConnectedAt }) => now - lastConnectedAt <= 1000);
    const sender = this.process(at);
    sender.bus
      .publish("room", String(message))
      .then(
        (isComplete) => {
          this.outcomes.push(isComplete ? "sent" : "incomplete");
          if (!isComplete) return;
          const unreached = listening.filter(
            (each) =>
              each.isAlive &&
              !each.received.includes(message) &&
              (this.knewOthers(sender, now) || this.isConnected(each)),
          );
          if (unreached.length > 0)
            throw new Error(`message ${message} did not reach ${unreached.map(({ id }) => id).join()}`);
        },
        () => this.outcomes.push("failed"),
      )
      .catch((error: unknown) => this.violations.push(error));
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

  readonly violations: unknown[] = [];

  /** No process uses a copy that is older than a confirmed drop; no process receives a message twice. */
  check(): void {
    for (const process of this.processes) {
      const { id, bus, copy, received } = process;
      if (bus.isConnected) process.lastConnectedAt = this.clock.now();
      if (bus.joining === null && process.firstConnectedAt === Infinity)
        process.firstConnectedAt = this.clock.now();
      if (bus.isConnected && copy !== null && copy < this.confirmed)
        this.violations.push(`${id} uses version ${copy}`);
      if (new Set(received).size < received.length) this.violations.push(`${id} received a message twice`);
    }
  }

  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 50) {
      await this.clock.advance(50);
      this.check();
    }
  }

  /** Whether a process knew the other members when it sent. Just after the server lost its data, a new process knows only members that have rejoined. */
  private knewOthers({ firstConnectedAt }: Process, sentAt: number): boolean {
    if (firstConnectedAt > sentAt) return false;
    return firstConnectedAt < this.dataLostAt || sentAt - this.dataLostAt > 8000;
  }

  /** Whether a process has stayed connected. */
  private isConnected({ lastConnectedAt }: Process): boolean {
    return this.clock.now() - lastConnectedAt <= 50;
  }

  private create(): Process {
    return new Process(`p${this.serial++}`, this.server, this.clock);
  }
}
