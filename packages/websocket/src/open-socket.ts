// Longer than 250 lines, because the two directions of a connection, their limits and its end depend on each other.
import { randomUUID } from "node:crypto";
import { FrameworkError } from "@framework/core";
import { markHandled } from "@framework/core/feature";
import type { RawData, WebSocket } from "ws";
import { Inbox } from "./inbox.ts";
import { InflateGate } from "./inflate-gate.ts";
import { type Message, ReceivedMessage } from "./message.ts";
import { type Bytes, bytesOf, bytesOfMessage, isBytes, textOf } from "./message-data.ts";
import { readWholeFrames } from "./read-whole-frames.ts";
import type { CloseInfo, ServerSocket } from "./server-socket.ts";
import { type CountingStream, Liveness } from "./liveness.ts";
import type { Traffic } from "./traffic.ts";
import { MAX_WHOLE_BYTES, wholeFrame } from "./whole-frame.ts";
import { checkClose, truncateReason } from "./websocket-close.ts";
import type { WebSocketConfig } from "./websocket-config.ts";

/** A send resolves immediately while at most this many bytes, or `maxSendQueueBytes` if that is less, are queued. */
const HIGH_WATER_BYTES = 65_536;

/** `readyState` of an open connection. */
const OPEN = 1;

/** Bytes added for each message to the count between yields, so that many small messages also yield. */
const FRAME_COST = 128;

/** The rooms that connections join and leave. */
export interface Membership {
  join(room: string, member: OpenSocket): void;
  leave(room: string, member: OpenSocket): void;
  leaveAll(member: OpenSocket): void;
}

/** Dependencies of `OpenSocket`. */
export interface OpenSocketParts<T> {
  readonly ws: WebSocket;
  /** The stream that `ws` writes to. */
  readonly socket: CountingStream;
  readonly config: WebSocketConfig;
  readonly rooms: Membership;
  readonly traffic: Traffic;
  /** Returns a value as JSON text. @throws WEBSOCKET_NO_JSON */
  readonly write: (value: unknown) => string;
  /** Checks a JSON message. @throws WebSocketClose */
  readonly check: (value: unknown) => T | Promise<T>;
  /** Runs the work for one message, with the route's dependencies per message. */
  readonly invoke: (work: MessageWork) => unknown;
}

/** The work for one message; called with its dependencies, if any. */
export type MessageWork = (dependencies: unknown) => unknown;

/** A connection over `ws`, with bounded queues in both directions. */
export class OpenSocket<T = unknown> implements ServerSocket<T, readonly [dependencies: unknown]> {
  readonly id: string = randomUUID();
  // Separate members instead of one `parts` object: with many connections, each object that a message accesses costs a cache miss.
  private readonly ws: WebSocket;
  private readonly socket: OpenSocketParts<T>["socket"];
  private readonly config: WebSocketConfig;
  private readonly highWaterBytes: number;
  private readonly rooms: Membership;
  private readonly traffic: Traffic;
  private readonly write: OpenSocketParts<T>["write"];
  private readonly check: OpenSocketParts<T>["check"];
  private readonly invoke: OpenSocketParts<T>["invoke"];
  private readonly inbox = new Inbox();
  private readonly endedSignal = Promise.withResolvers<void>();
  /** Whether the connection has no extension, which would transform frames. */
  private readonly isPlain: boolean;
  private aborter: AbortController | null = null;
  private closedWith: CloseInfo | null = null;
  private controlSecond = 0;
  private controlFrames = 0;
  /** Whether a message was dropped because the connection is closing and the queue was full. */
  private hasDropped = false;
  /** Bytes sent since the last yield to the event loop. */
  private sentInTurn = 0;
  /** Bytes sent while a message larger than the send queue is being written; `null` without such a message. */
  private sentWhileLargeWaits: number | null = null;
  /** Time of the client's last activity, for the heartbeat. */
  lastSeenMs: number;
  private readonly liveness: Liveness;
  /** `null` for a connection without compression. */
  private readonly gate: InflateGate | null;

  constructor(
    { ws, socket, config, rooms, traffic, write, check, invoke }: OpenSocketParts<T>,
    nowMs: number,
  ) {
    this.ws = ws;
    this.socket = socket;
    this.config = config;
    this.highWaterBytes = Math.min(HIGH_WATER_BYTES, config.maxSendQueueBytes);
    this.rooms = rooms;
    this.traffic = traffic;
    this.write = write;
    this.check = check;
    this.invoke = invoke;
    this.lastSeenMs = nowMs;
    this.liveness = new Liveness(socket);
    this.isPlain = ws.extensions === "";
    this.gate = this.isPlain ? null : new InflateGate(ws);
    if (this.gate !== null) socket.once("close", () => this.resume()); // `ws` emits `close` only after the frames that it has read, so the gate must release a held one
    const receive = (data: RawData, isBinary: boolean): void => this.receive(data as Buffer, isBinary);
    ws.on("message", receive);
    if (this.isPlain) readWholeFrames(ws, config.maxMessageBytes, receive);
    ws.on("ping", () => this.control());
    ws.on("pong", () => this.control());
    ws.on("error", () => {}); // the close event follows, with its code
    ws.on("close", (code, reason) => this.end(code, reason.toString("utf8")));
  }

  get protocol(): string {
    return this.ws.protocol;
  }

  get connected(): boolean {
    return this.ws.readyState === OPEN;
  }

  get closed(): CloseInfo | null {
    return this.closedWith;
  }

  get bufferedBytes(): number {
    return this.ws.bufferedAmount;
  }

  get signal(): AbortSignal {
    this.aborter ??= new AbortController();
    if (this.closedWith !== null) this.aborter.abort();
    return this.aborter.signal;
  }

  sendText(text: string): Promise<void> {
    if (typeof text === "string") return this.sendFrame(text, false);
    return attempt(() => this.sendFrame(textOf(text), false));
  }

  sendBinary(data: Bytes): Promise<void> {
    if (data instanceof Uint8Array) return this.sendFrame(data, true);
    return attempt(() => this.sendFrame(bytesOf(data), true));
  }

  sendJson(value: unknown): Promise<void> {
    return attempt(() => this.sendFrame(this.write(value), false));
  }

  send(message: string | Bytes | Message): Promise<void> {
    if (typeof message === "string") return this.sendText(message);
    if (message instanceof ReceivedMessage) return this.sendFrame(message.data, message.isBinary);
    if (isBytes(message)) return this.sendBinary(message);
    return attempt(() => this.sendFrame(bytesOfMessage(message), message.isBinary));
  }

  private sendFrame(data: string | Uint8Array, isBinary: boolean): Promise<void> {
    const ws = this.ws;
    const socket = this.socket;
    if (ws.readyState !== OPEN) return markHandled(Promise.reject(closedError()));
    const waiting = this.waiting;
    const size = typeof data === "string" ? Buffer.byteLength(data) : data.byteLength;
    if (this.exceedsQueue(waiting, size)) {
      this.traffic.overrun++;
      ws.close(1013, "the client reads too slowly");
      return markHandled(Promise.reject(closedError()));
    }
    this.traffic.sent++;
    if (this.sentWhileLargeWaits !== null) this.sentWhileLargeWaits += size;
    const fits = waiting + size <= this.highWaterBytes;
    if (fits && this.isPlain && size <= MAX_WHOLE_BYTES) {
      socket.write(wholeFrame(data, size, isBinary));
      return this.resolvedOrYield(size);
    }
    if (fits && typeof data === "string") {
      ws.send(data, { binary: isBinary });
      return this.resolvedOrYield(size);
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const written = markHandled(promise); // a rejected send that is not awaited must not end the process
    const isFirstLarge = size > this.config.maxSendQueueBytes && this.sentWhileLargeWaits === null;
    ws.send(data, { binary: isBinary }, (error) => {
      if (isFirstLarge) this.sentWhileLargeWaits = null;
      if (error == null) setImmediate(resolve);
      else reject(closedError(error));
    });
    if (isFirstLarge) this.sentWhileLargeWaits = 0;
    return fits && this.waiting === 0 ? this.resolvedOrYield(size) : written; // queued bytes are not copied, and the handler may change them once the promise has resolved
  }

  private get waiting(): number {
    return this.isPlain ? this.socket.writableLength : this.ws.bufferedAmount;
  }

  /**
   * Whether a message does not fit into the send queue. At most the high-water mark is queued for a sender that awaits, so its next message may have any size.
   * A message larger than the queue does not count against other sends while it is being written.
   */
  private exceedsQueue(waiting: number, size: number): boolean {
    const { maxSendQueueBytes } = this.config;
    if (this.sentWhileLargeWaits !== null) return this.sentWhileLargeWaits + size > maxSendQueueBytes;
    return waiting > this.highWaterBytes && waiting + size > maxSendQueueBytes;
  }

  /**
   * Returns a resolved promise, but after every 64 KiB one that resolves in the next turn of the event loop: while the system accepts all writes, a handler
   * that only sends would otherwise block the event loop, and the disconnect of its client would never be noticed.
   */
  private resolvedOrYield(size: number): Promise<void> {
    this.sentInTurn += size + FRAME_COST;
    if (this.sentInTurn <= HIGH_WATER_BYTES) return resolved;
    this.sentInTurn = 0;
    return new Promise((resolve) => setImmediate(resolve));
  }

  recv(): Promise<Message | null> {
    const message = this.take();
    if (message !== undefined) return Promise.resolve(message);
    return new Promise((resolve) => this.inbox.wait(resolve));
  }

  /** Removes a message from the inbox; resumes the client once the queue is at most half full. */
  private take(): Message | null | undefined {
    const message = this.inbox.take();
    if (this.ws.isPaused && this.isHalfEmpty) this.resume();
    return message;
  }

  private get isHalfEmpty(): boolean {
    const { bytes, length } = this.inbox;
    return bytes <= this.config.maxReceiveQueueBytes / 2 && length <= MAX_WAITING_MESSAGES / 2;
  }

  private resume(): void {
    this.ws.resume();
    this.gate?.open();
  }

  receiveText(): Promise<string | null> {
    return markHandled(this.recv().then((message) => (message === null ? null : message.text)));
  }

  receiveJson(): Promise<T | null> {
    return markHandled(this.recv().then((message) => (message === null ? null : this.check(message.json()))));
  }

  each(handler: (message: Message, dependencies: unknown) => unknown): Promise<void> {
    return markHandled(this.forEach((message) => message, handler));
  }

  eachJson(handler: (value: T, dependencies: unknown) => unknown): Promise<void> {
    return markHandled(this.forEach((message) => this.check(message.json()), handler));
  }

  private async forEach<V>(
    read: (message: Message) => V | Promise<V>,
    handler: (value: V, dependencies: unknown) => unknown,
  ): Promise<void> {
    for (let message = await this.recv(); message !== null; message = await this.recv()) {
      const value = await read(message);
      await this.invoke((dependencies) => handler(value, dependencies));
    }
  }

  /** Not a generator, which would await three times per message. */
  [Symbol.asyncIterator](): AsyncIterator<Message> {
    const wait = (resolve: (result: IteratorResult<Message>) => void): void =>
      this.inbox.wait((message) => resolve(step(message)));
    return {
      next: () => {
        const message = this.take();
        return message === undefined ? new Promise(wait) : Promise.resolve(step(message));
      },
    };
  }

  close(code = 1000, reason = ""): Promise<void> {
    return attempt(() => {
      checkClose(code, reason);
      this.ws.close(code, truncateReason(reason));
      if (this.ws.isPaused) this.resume(); // the client's close frame must be read
      return this.endedSignal.promise;
    });
  }

  /** Resolves when the connection has ended and `closed` is set. */
  get ended(): Promise<void> {
    return this.endedSignal.promise;
  }

  join(room: string): void {
    this.rooms.join(room, this as OpenSocket);
  }

  leave(room: string): void {
    this.rooms.leave(room, this as OpenSocket);
  }

  /** Sends without waiting. The send queue limit closes the connection of a room member that cannot keep up. */
  deliver(data: string | Uint8Array): void {
    this.sendFrame(data, typeof data !== "string").catch(() => {});
  }

  ping(): void {
    if (this.connected) this.ws.ping();
  }

  /** Milliseconds without activity after which the connection is terminated. */
  get timeoutMs(): number {
    return this.config.timeoutSecs * 1000;
  }

  /** Updates `lastSeenMs` for activity of the client other than messages and pongs. */
  updateLastSeen(nowMs: number): void {
    if (this.liveness.checkActivity(this.ws.isPaused)) this.lastSeenMs = nowMs;
  }

  /** Destroys the connection without a close frame. */
  terminate(): void {
    this.ws.terminate();
  }

  private receive(data: Buffer, isBinary: boolean): void {
    const traffic = this.traffic;
    this.lastSeenMs = traffic.now();
    traffic.received++;
    const isOpen = this.ws.readyState === OPEN;
    // A closing connection is not paused, because the close frame follows these messages. After one dropped message, all further messages are dropped.
    if (!isOpen && (this.hasDropped ||= this.isFull)) return;
    if (this.inbox.put(new ReceivedMessage(data, isBinary))) return;
    if (isOpen && this.isFull) this.ws.pause();
  }

  private get isFull(): boolean {
    const { bytes, length } = this.inbox;
    return bytes > this.config.maxReceiveQueueBytes || length > MAX_WAITING_MESSAGES;
  }

  private control(): void {
    this.lastSeenMs = this.traffic.now();
    const second = Math.floor(this.lastSeenMs / 1000);
    if (second !== this.controlSecond) {
      this.controlSecond = second;
      this.controlFrames = 0;
    }
    if (++this.controlFrames > this.config.maxControlFramesPerSec)
      this.ws.close(1008, "too many control frames");
  }

  private end(code: number, reason: string): void {
    this.closedWith = { code, reason };
    this.rooms.leaveAll(this as OpenSocket);
    this.inbox.end();
    this.aborter?.abort();
    this.endedSignal.resolve();
  }
}

/** Maximum number of queued messages, regardless of their size. */
const MAX_WAITING_MESSAGES = 10_000;

const resolved = Promise.resolve();

/** Converts an error thrown by a send or a close to a rejection, which does not end the process if it is not awaited. */
const attempt = (work: () => Promise<void>): Promise<void> => {
  try {
    return work();
  } catch (error) {
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- rejects with the thrown value
    return markHandled(Promise.reject(error));
  }
};

const step = (message: Message | null): IteratorResult<Message> =>
  message === null ? { value: undefined, done: true } : { value: message, done: false };

const closedError = (cause?: unknown): FrameworkError =>
  new FrameworkError(
    "WEBSOCKET_CLOSED",
    "the connection has ended",
    cause === undefined ? undefined : { cause },
  );
