import type { VirtualClock } from "@framework/core/testing";
import type { BusLink, BusLinkEvents, MemberList } from "./bus-link.ts";

/** One-way latency of a message, duration of a reconnect, and time until a silent connection is detected, in milliseconds. */
const ONE_WAY_MS = 2;
const RECONNECT_MS = 150;
const SILENCE_MS = 2000;

/** The connection of a simulated process. */
interface Connection {
  readonly id: string;
  events: BusLinkEvents | null;
  isSubscribed: boolean;
  /** `silent`: nothing is delivered, detected after two seconds; `cut`: every connection fails immediately. */
  network: "up" | "silent" | "cut";
  isDead: boolean;
}

/** A server with pub/sub and a list of members, on a virtual clock, with faults. */
export class SimulatedServer {
  private readonly clock: VirtualClock;
  private readonly members = new Map<string, number>();
  private readonly connections = new Map<string, Connection>();
  private isUp = true;
  private startedAt = -Infinity;

  constructor(clock: VirtualClock) {
    this.clock = clock;
  }

  /** Ends the server; without `keepsData` the list of members is lost. */
  kill(keepsData: boolean): void {
    this.isUp = false;
    if (!keepsData) this.members.clear();
    for (const connection of this.connections.values()) {
      if (connection.network !== "silent") this.drop(connection);
    }
  }

  start(): void {
    if (this.isUp) return;
    this.isUp = true;
    this.startedAt = this.clock.now();
  }

  /** Changes the network between a process and the server. */
  network(id: string, state: Connection["network"]): void {
    const connection = this.connections.get(id);
    if (connection === undefined || connection.network === state) return;
    const previous = connection.network;
    connection.network = state;
    if (state === "cut") this.drop(connection);
    if (state === "silent")
      this.clock.after(SILENCE_MS, () => connection.network === "silent" && this.drop(connection));
    // The server has closed its end of a connection that was silent while it restarted.
    if (state === "up" && previous === "silent" && connection.isSubscribed && this.startedAt > -Infinity)
      this.drop(connection);
  }

  /** Ends a process without closing its bus. */
  crash(id: string): void {
    const connection = this.connections.get(id);
    if (connection === undefined) return;
    connection.isDead = true;
    connection.isSubscribed = false;
    connection.events = null;
    this.connections.delete(id);
  }

  link(id: string): BusLink {
    const connection: Connection = { id, events: null, isSubscribed: false, network: "up", isDead: false };
    this.connections.set(id, connection);
    return {
      open: (events) => {
        connection.events = events;
        this.reconnect(connection);
      },
      renew: (lifetimeMs) =>
        this.call(connection, () => {
          this.members.set(id, this.clock.now() + lifetimeMs);
          return this.list();
        }),
      announce: (text) =>
        this.call(connection, () => {
          for (const each of this.connections.values()) this.deliver(each, text);
          return this.list();
        }),
      send: (member, text) =>
        this.call(connection, () => {
          const to = this.connections.get(member);
          if (to !== undefined) this.deliver(to, text);
        }),
      leave: () =>
        this.call(connection, () => {
          this.members.delete(id);
          this.members.set(`-${id}`, this.clock.now());
        }),
      close: () => this.crash(id),
    };
  }

  /** A call succeeds, or fails: immediately on a cut connection, after a second on a silent one. */
  private call<T>(connection: Connection, perform: () => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const reaches = (): boolean => this.isUp && connection.network === "up" && !connection.isDead;
    const fail = (): void => {
      this.clock.after(connection.network === "silent" ? 1000 : ONE_WAY_MS, () =>
        reject(new Error("no reply")),
      );
    };
    this.clock.after(ONE_WAY_MS, () => {
      if (!reaches()) return fail();
      const result = perform();
      this.clock.after(ONE_WAY_MS, () => (reaches() ? resolve(result) : fail()));
    });
    return promise;
  }

  private deliver(to: Connection, text: string): void {
    const { events } = to;
    if (!to.isSubscribed || to.network !== "up") return;
    this.clock.after(ONE_WAY_MS, () => {
      if (to.isSubscribed && to.network === "up" && to.events === events) events?.onMessage(text);
    });
  }

  private drop(connection: Connection): void {
    if (!connection.isSubscribed) return;
    connection.isSubscribed = false;
    connection.events?.onLost();
    this.reconnect(connection);
  }

  private reconnect(connection: Connection): void {
    this.clock.after(RECONNECT_MS, () => {
      if (connection.isDead || connection.isSubscribed) return;
      if (!this.isUp || connection.network !== "up") return this.reconnect(connection);
      connection.isSubscribed = true;
      connection.events?.onSubscribed();
    });
  }

  private list(): MemberList {
    const now = this.clock.now();
    const rows = Array.from(this.members, ([name, endsAt]) => {
      const hasLeft = name.startsWith("-");
      return { id: hasLeft ? name.slice(1) : name, leftMs: endsAt - now, hasLeft };
    });
    return { rows, uptimeMs: Math.floor((now - this.startedAt) / 1000) * 1000 };
  }
}
