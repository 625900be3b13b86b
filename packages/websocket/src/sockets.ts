import {
  type AppSettings,
  FrameworkError,
  type HttpRequest,
  type Invocation,
  type Logger,
} from "@framework/core";
import { type HostInsight, jsonWriter, type Operations, type SharedValues } from "@framework/core/feature";
import type { WebSocketServer } from "ws";
import { Heartbeat } from "./heartbeat.ts";
import { type CheckOffers, compression, createCheckOffers } from "./negotiation.ts";
import type { Rooms } from "./rooms.ts";
import { messageOperation, sessionOperation } from "./socket-operations.ts";
import { newTraffic, type Traffic } from "./traffic.ts";
import { WebSocketConfig } from "./websocket-config.ts";

/** All WebSocket connections of an app, with their shared state. */
export class Sockets {
  config: WebSocketConfig = WebSocketConfig.of();
  readonly rooms: Rooms;
  readonly traffic: Traffic = newTraffic(monotonicClock());
  /** Publishes each connection as an operation. */
  readonly sessions: Operations<HttpRequest>;
  /** Publishes each message of `each` as an operation. */
  readonly messages: Operations<Invocation>;
  private startedHeartbeat: Heartbeat | null = null;
  private Server: typeof WebSocketServer | null = null;
  private check: CheckOffers | null = null;
  private settings: AppSettings | null = null;

  constructor(rooms: Rooms, { operation }: Pick<HostInsight, "operation">) {
    this.rooms = rooms;
    this.sessions = operation(sessionOperation);
    this.messages = operation(messageOperation);
  }

  get size(): number {
    return this.startedHeartbeat?.size ?? 0;
  }

  get heartbeat(): Heartbeat {
    this.startedHeartbeat ??= new Heartbeat(this.config, this.traffic);
    return this.startedHeartbeat;
  }

  get log(): Logger | null {
    return this.settings?.log ?? null;
  }

  /** Loads `ws` and connects the rooms; returns a function that disconnects them. Not called in an app without WebSocket routes. */
  async start(shared: SharedValues, settings: AppSettings): Promise<() => void> {
    this.settings = settings;
    const ws = await import("ws");
    this.Server = ws.WebSocketServer;
    this.check = createCheckOffers(ws);
    return this.rooms.connect(shared, this.jsonWriter("a message to a room"));
  }

  /** Creates the JSON writer of a route, or of rooms. @param subject subject of the error message @throws WEBSOCKET_NOT_STARTED */
  jsonWriter(subject: string): (value: unknown) => string {
    if (this.settings === null) throw notStarted();
    const { debug, log } = this.settings;
    return jsonWriter(subject, { debug, log, code: "WEBSOCKET_NO_JSON" });
  }

  /** Checks the sub-protocols and extensions that a client offers. Returns the extension to accept, if any. @throws HttpError 400 */
  checkOffers(request: HttpRequest, deflate: boolean): string | null {
    if (this.check === null) throw notStarted();
    return this.check(request, deflate);
  }

  /** Creates the `ws` server of one route, which reads its handshakes and frames. */
  newServer(
    { maxMessageBytes, maxFragments, maxControlFramesPerSec, closeWaitSecs, deflate }: WebSocketConfig,
    protocols: readonly string[],
  ): WebSocketServer {
    if (this.Server === null) throw notStarted();
    // `ws` cuts the connection above this number of unsent pongs. It is above the limit of two seconds, so that `OpenSocket` closes a client that pings too often.
    const maxPendingAutoPongs = 2 * maxControlFramesPerSec + 1;
    return new this.Server({
      noServer: true,
      clientTracking: false,
      maxPayload: maxMessageBytes,
      maxFragments: Math.min(maxFragments, MAX_COUNT),
      maxBufferedChunks: Math.max(MIN_READS, Math.ceil(maxMessageBytes / MIN_BYTES_PER_READ)),
      maxPendingAutoPongs: Math.min(maxPendingAutoPongs, MAX_COUNT),
      closeTimeout: closeWaitSecs * 1000,
      handleProtocols: (offered: Set<string>) =>
        [...offered].find((name) => protocols.includes(name)) ?? false,
      perMessageDeflate: deflate && compression,
    } as ConstructorParameters<typeof WebSocketServer>[0]);
  }
}

/** `ws` reads its limits as integers of 32 bits. */
const MAX_COUNT = 2 ** 31 - 1;

/**
 * A frame may arrive in this many reads, and in more if they have at least `MIN_BYTES_PER_READ` on average. Each read takes 370 bytes of memory until its frame
 * is complete; the default of `ws`, 262 144 reads, would allow a client to occupy 97 MB.
 */
const MIN_READS = 1024;
const MIN_BYTES_PER_READ = 64;

const notStarted = (): FrameworkError =>
  new FrameworkError("WEBSOCKET_NOT_STARTED", "the app has not started");

/** Returns a clock in milliseconds. `performance` is read once: the global is a getter that takes longer than the clock itself. */
const monotonicClock = (): (() => number) => {
  const { performance: clock } = globalThis;
  return () => clock.now();
};
