import { randomUUID } from "node:crypto";
import { FrameworkError } from "@framework/core";
import type { RawData, WebSocket } from "ws";
import { Inbox } from "./inbox.ts";
import { type Message, ReceivedMessage } from "./message.ts";
import type { Closed, ServerSocket } from "./server-socket.ts";
import type { Traffic } from "./traffic.ts";
import { fittingReason, isSendable, WebSocketClose } from "./websocket-close.ts";
import type { WebSocketConfig } from "./websocket-config.ts";

/** Below this much waiting a send resolves at once. */
const HIGH_WATER_BYTES = 65_536;

/** Where a connection joins and leaves rooms. */
export interface Membership {
  join(room: string, member: OpenSocket): void;
  leave(room: string, member: OpenSocket): void;
  leaveAll(member: OpenSocket): void;
}

export interface OpenSocketParts<T> {
  readonly ws: WebSocket;
  readonly config: WebSocketConfig;
  readonly rooms: Membership;
  readonly traffic: Traffic;
  /** Checks a JSON message. @throws WebSocketClose */
  readonly check: (value: unknown) => T | Promise<T>;
}

/** A connection over one of `ws`: bounded in both directions. */
export class OpenSocket<T = unknown> implements ServerSocket<T> {
  readonly id: string = randomUUID();
  readonly #parts: OpenSocketParts<T>;
  readonly #inbox = new Inbox();
  readonly #ended = Promise.withResolvers<void>();
  #aborter: AbortController | null = null;
  #closed: Closed | null = null;
  #controlSecond = 0;
  #controlFrames = 0;
  /** When something last came from the client; whoever sweeps reads it. */
  lastSeenMs: number;

  constructor(parts: OpenSocketParts<T>, nowMs: number) {
    this.#parts = parts;
    this.lastSeenMs = nowMs;
    const { ws } = parts;
    ws.on("message", (data: RawData, isBinary) => this.#receive(data as Buffer, isBinary));
    ws.on("ping", () => this.#control());
    ws.on("pong", () => this.#control());
    ws.on("error", () => {}); // a close with its code follows
    ws.on("close", (code, reason) => this.#end(code, reason.toString("utf8")));
  }

  get protocol(): string {
    return this.#parts.ws.protocol;
  }

  get connected(): boolean {
    return this.#parts.ws.readyState === this.#parts.ws.OPEN;
  }

  get closed(): Closed | null {
    return this.#closed;
  }

  get bufferedBytes(): number {
    return this.#parts.ws.bufferedAmount;
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
    const { ws, config, traffic } = this.#parts;
    if (!this.connected) return Promise.reject(closedError());
    const waiting = ws.bufferedAmount;
    const size = typeof data === "string" ? Buffer.byteLength(data) : data.byteLength;
    if (waiting > 0 && waiting + size > config.maxSendQueueBytes) {
      traffic.overrun++;
      ws.close(1013, "the client takes messages too slowly");
      return Promise.reject(closedError());
    }
    traffic.sent++;
    if (waiting + size <= HIGH_WATER_BYTES) {
      ws.send(data, { binary });
      return sent;
    }
    return new Promise((resolve, reject) => {
      ws.send(data, { binary }, (error) => (error == null ? resolve() : reject(closedError(error))));
    });
  }

  async recv(): Promise<Message | null> {
    const message = await this.#inbox.take();
    const { ws, config } = this.#parts;
    if (ws.isPaused && this.#inbox.bytes <= config.maxReceiveQueueBytes / 2) ws.resume();
    return message;
  }

  async receiveText(): Promise<string | null> {
    const message = await this.recv();
    return message === null ? null : message.text;
  }

  async receiveJson(): Promise<T | null> {
    const message = await this.recv();
    return message === null ? null : await this.#parts.check(message.json());
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Message> {
    for (let message = await this.recv(); message !== null; message = await this.recv()) yield message;
  }

  async close(code = 1000, reason = ""): Promise<void> {
    if (!isSendable(code)) throw new WebSocketClose(code); // says which codes there are
    this.#parts.ws.close(code, fittingReason(reason));
    if (this.#parts.ws.isPaused) this.#parts.ws.resume(); // or the answer would never be read
    await this.#ended.promise;
  }

  join(room: string): void {
    this.#parts.rooms.join(room, this as OpenSocket);
  }

  leave(room: string): void {
    this.#parts.rooms.leave(room, this as OpenSocket);
  }

  /** Sends without anybody waiting: a member of a room that cannot keep up is closed by its own queue. */
  deliver(data: string | Uint8Array): void {
    this.#send(data, typeof data !== "string").catch(() => {});
  }

  ping(): void {
    if (this.connected) this.#parts.ws.ping();
  }

  /** Whether its handler holds the client back, so that nothing can be heard of it. */
  get heldBack(): boolean {
    return this.#parts.ws.isPaused;
  }

  /** Cuts the connection without a word. */
  cut(): void {
    this.#parts.ws.terminate();
  }

  #receive(data: Buffer, isBinary: boolean): void {
    const { ws, config, traffic } = this.#parts;
    this.lastSeenMs = traffic.now();
    traffic.received++;
    this.#inbox.put(new ReceivedMessage(data, isBinary));
    if (this.#inbox.bytes > config.maxReceiveQueueBytes || this.#inbox.length > MAX_WAITING_MESSAGES)
      ws.pause();
  }

  #control(): void {
    const { ws, config, traffic } = this.#parts;
    this.lastSeenMs = traffic.now();
    const second = Math.floor(this.lastSeenMs / 1000);
    if (second !== this.#controlSecond) {
      this.#controlSecond = second;
      this.#controlFrames = 0;
    }
    if (++this.#controlFrames > config.maxControlFramesPerSec) ws.close(1008, "too many control frames");
  }

  #end(code: number, reason: string): void {
    this.#closed = { code, reason };
    this.#parts.rooms.leaveAll(this as OpenSocket);
    this.#inbox.end();
    this.#aborter?.abort();
    this.#ended.resolve();
  }
}

/** Messages that may wait for a handler, however small. */
const MAX_WAITING_MESSAGES = 10_000;

const sent = Promise.resolve();

const closedError = (cause?: unknown): FrameworkError =>
  new FrameworkError(
    "WEBSOCKET_CLOSED",
    "the connection has ended",
    cause === undefined ? undefined : { cause },
  );
