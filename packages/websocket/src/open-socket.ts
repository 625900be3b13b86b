// Above 250 lines because both directions of one connection, their limits and its end decide on each other.
import { randomUUID } from "node:crypto";
import type { Writable } from "node:stream";
import { FrameworkError } from "@framework/core";
import type { RawData, WebSocket } from "ws";
import { Inbox } from "./inbox.ts";
import { type Message, ReceivedMessage } from "./message.ts";
import type { Closed, ServerSocket } from "./server-socket.ts";
import type { Traffic } from "./traffic.ts";
import { MAX_WHOLE_BYTES, wholeFrame } from "./whole-frame.ts";
import { fittingReason, isSendable, WebSocketClose } from "./websocket-close.ts";
import type { WebSocketConfig } from "./websocket-config.ts";

/** Below this much waiting a send resolves at once. */
const HIGH_WATER_BYTES = 65_536;

/** `readyState` of a connection that is open. */
const OPEN = 1;

/** What a message counts besides its bytes, so that many small ones give way, too. */
const FRAME_COST = 128;

/** Where a connection joins and leaves rooms. */
export interface Membership {
  join(room: string, member: OpenSocket): void;
  leave(room: string, member: OpenSocket): void;
  leaveAll(member: OpenSocket): void;
}

export interface OpenSocketParts<T> {
  readonly ws: WebSocket;
  /** What `ws` writes to. */
  readonly socket: Writable;
  readonly config: WebSocketConfig;
  readonly rooms: Membership;
  readonly traffic: Traffic;
  /** Checks a JSON message. @throws WebSocketClose */
  readonly check: (value: unknown) => T | Promise<T>;
  /** Calls work for one message, with the route's dependencies of each message. */
  readonly invoke: (work: MessageWork) => unknown;
}

/** What is done for one message, with its dependencies, if there are any. */
export type MessageWork = (dependencies: unknown) => unknown;

/** A connection over one of `ws`: bounded in both directions. */
export class OpenSocket<T = unknown> implements ServerSocket<T, readonly [dependencies: unknown]> {
  readonly id: string = randomUUID();
  // Not the parts as one object: each object that a message touches costs a miss of the cache when many connections take turns.
  readonly #ws: WebSocket;
  readonly #socket: Writable;
  readonly #config: WebSocketConfig;
  readonly #rooms: Membership;
  readonly #traffic: Traffic;
  readonly #check: OpenSocketParts<T>["check"];
  readonly #invoke: OpenSocketParts<T>["invoke"];
  readonly #inbox = new Inbox();
  readonly #ended = Promise.withResolvers<void>();
  /** Whether frames go out as they are; an extension would have its say in them. */
  readonly #plain: boolean;
  #aborter: AbortController | null = null;
  #closed: Closed | null = null;
  #controlSecond = 0;
  #controlFrames = 0;
  /** Bytes that were sent since a send last waited for a turn of the event loop. */
  #sentInTurn = 0;
  /** When something last came from the client; whoever sweeps reads it. */
  lastSeenMs: number;

  constructor({ ws, socket, config, rooms, traffic, check, invoke }: OpenSocketParts<T>, nowMs: number) {
    this.#ws = ws;
    this.#socket = socket;
    this.#config = config;
    this.#rooms = rooms;
    this.#traffic = traffic;
    this.#check = check;
    this.#invoke = invoke;
    this.lastSeenMs = nowMs;
    this.#plain = ws.extensions === "";
    ws.on("message", (data: RawData, isBinary) => this.#receive(data as Buffer, isBinary));
    ws.on("ping", () => this.#control());
    ws.on("pong", () => this.#control());
    ws.on("error", () => {}); // a close with its code follows
    ws.on("close", (code, reason) => this.#end(code, reason.toString("utf8")));
  }

  get protocol(): string {
    return this.#ws.protocol;
  }

  get connected(): boolean {
    return this.#ws.readyState === OPEN;
  }

  get closed(): Closed | null {
    return this.#closed;
  }

  get bufferedBytes(): number {
    return this.#ws.bufferedAmount;
  }

  get signal(): AbortSignal {
    this.#aborter ??= new AbortController();
    if (this.#closed !== null) this.#aborter.abort();
    return this.#aborter.signal;
  }

  sendText(text: string): Promise<void> {
    return this.#send(text, false);
  }

  sendBinary(data: Uint8Array): Promise<void> {
    return this.#send(data, true);
  }

  async sendJson(value: unknown): Promise<void> {
    const text = JSON.stringify(value);
    if (text === undefined) throw new FrameworkError("WEBSOCKET_NO_JSON", `${typeof value} is no JSON value`);
    await this.#send(text, false);
  }

  send(message: string | Uint8Array | Message): Promise<void> {
    if (typeof message === "string") return this.sendText(message);
    if (message instanceof Uint8Array) return this.sendBinary(message);
    return this.#send(message.data, message.isBinary);
  }

  #send(data: string | Uint8Array, binary: boolean): Promise<void> {
    const ws = this.#ws;
    const socket = this.#socket;
    if (ws.readyState !== OPEN) return Promise.reject(closedError());
    const waiting = this.#plain ? socket.writableLength : ws.bufferedAmount;
    const size = typeof data === "string" ? Buffer.byteLength(data) : data.byteLength;
    if (waiting > 0 && waiting + size > this.#config.maxSendQueueBytes) {
      this.#traffic.overrun++;
      ws.close(1013, "the client takes messages too slowly");
      return Promise.reject(closedError());
    }
    this.#traffic.sent++;
    if (waiting + size <= HIGH_WATER_BYTES) {
      if (this.#plain && size <= MAX_WHOLE_BYTES) socket.write(wholeFrame(data, size, binary));
      else ws.send(data, { binary });
      return this.#atOnce(size);
    }
    return new Promise((resolve, reject) => {
      ws.send(data, { binary }, (error) => {
        if (error == null) setImmediate(resolve);
        else reject(closedError(error));
      });
    });
  }

  /**
   * Resolves at once, and now and then in the next turn of the event loop: while the system takes all that is written, a handler that only sends would
   * keep others from their turn for ever, and its own connection from learning that the client is gone.
   */
  #atOnce(size: number): Promise<void> {
    this.#sentInTurn += size + FRAME_COST;
    if (this.#sentInTurn <= HIGH_WATER_BYTES) return sent;
    this.#sentInTurn = 0;
    return new Promise((resolve) => setImmediate(resolve));
  }

  recv(): Promise<Message | null> {
    const message = this.#take();
    if (message !== undefined) return Promise.resolve(message);
    return new Promise((resolve) => this.#inbox.wait(resolve));
  }

  /** As of the inbox; lets the client go on once little waits. */
  #take(): Message | null | undefined {
    const message = this.#inbox.take();
    const ws = this.#ws;
    if (ws.isPaused && this.#inbox.bytes <= this.#config.maxReceiveQueueBytes / 2) ws.resume();
    return message;
  }

  async receiveText(): Promise<string | null> {
    const message = await this.recv();
    return message === null ? null : message.text;
  }

  async receiveJson(): Promise<T | null> {
    const message = await this.recv();
    return message === null ? null : await this.#check(message.json());
  }

  each(handler: (message: Message, dependencies: unknown) => unknown): Promise<void> {
    return this.#forEach((message) => message, handler);
  }

  eachJson(handler: (value: T, dependencies: unknown) => unknown): Promise<void> {
    return this.#forEach((message) => this.#check(message.json()), handler);
  }

  async #forEach<V>(
    read: (message: Message) => V | Promise<V>,
    handler: (value: V, dependencies: unknown) => unknown,
  ): Promise<void> {
    for (let message = await this.recv(); message !== null; message = await this.recv()) {
      const value = await read(message);
      await this.#invoke((dependencies) => handler(value, dependencies));
    }
  }

  /** No generator: that would wait three times for each message. */
  [Symbol.asyncIterator](): AsyncIterator<Message> {
    const wait = (resolve: (result: IteratorResult<Message>) => void): void =>
      this.#inbox.wait((message) => resolve(step(message)));
    return {
      next: () => {
        const message = this.#take();
        return message === undefined ? new Promise(wait) : Promise.resolve(step(message));
      },
    };
  }

  async close(code = 1000, reason = ""): Promise<void> {
    if (!isSendable(code)) throw new WebSocketClose(code); // says which codes there are
    this.#ws.close(code, fittingReason(reason));
    if (this.#ws.isPaused) this.#ws.resume(); // or the answer would never be read
    await this.#ended.promise;
  }

  /** Resolves when the connection has ended, and `closed` says how. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  join(room: string): void {
    this.#rooms.join(room, this as OpenSocket);
  }

  leave(room: string): void {
    this.#rooms.leave(room, this as OpenSocket);
  }

  /** Sends without anybody waiting: a member of a room that cannot keep up is closed by its own queue. */
  deliver(data: string | Uint8Array): void {
    this.#send(data, typeof data !== "string").catch(() => {});
  }

  ping(): void {
    if (this.connected) this.#ws.ping();
  }

  /** Whether its handler holds the client back, so that nothing can be heard of it. */
  get heldBack(): boolean {
    return this.#ws.isPaused;
  }

  /** Cuts the connection without a word. */
  cut(): void {
    this.#ws.terminate();
  }

  #receive(data: Buffer, isBinary: boolean): void {
    const traffic = this.#traffic;
    this.lastSeenMs = traffic.now();
    traffic.received++;
    const inbox = this.#inbox;
    if (inbox.put(new ReceivedMessage(data, isBinary))) return;
    if (inbox.bytes > this.#config.maxReceiveQueueBytes || inbox.length > MAX_WAITING_MESSAGES)
      this.#ws.pause();
  }

  #control(): void {
    this.lastSeenMs = this.#traffic.now();
    const second = Math.floor(this.lastSeenMs / 1000);
    if (second !== this.#controlSecond) {
      this.#controlSecond = second;
      this.#controlFrames = 0;
    }
    if (++this.#controlFrames > this.#config.maxControlFramesPerSec)
      this.#ws.close(1008, "too many control frames");
  }

  #end(code: number, reason: string): void {
    this.#closed = { code, reason };
    this.#rooms.leaveAll(this as OpenSocket);
    this.#inbox.end();
    this.#aborter?.abort();
    this.#ended.resolve();
  }
}

/** Messages that may wait for a handler, however small. */
const MAX_WAITING_MESSAGES = 10_000;

const sent = Promise.resolve();

const step = (message: Message | null): IteratorResult<Message> =>
  message === null ? { value: undefined, done: true } : { value: message, done: false };

const closedError = (cause?: unknown): FrameworkError =>
  new FrameworkError(
    "WEBSOCKET_CLOSED",
    "the connection has ended",
    cause === undefined ? undefined : { cause },
  );
