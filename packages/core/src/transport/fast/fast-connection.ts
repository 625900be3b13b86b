// More than 250 lines, because buffered input and pending replies together determine when to read, serve, close and hand over.
import type { BodyGraceListener } from "../hub/body-grace.ts";
import { type ConnectionHub, type OpenConnection, SWEEP_MS } from "../hub/connection-hub.ts";
import { FastExchange, type FastExchangeConnection } from "./fast-exchange.ts";
import { FastInput } from "./fast-input.ts";
import type { CachedHead } from "./fast-cached-head.ts";
import { FastPipeline } from "./fast-pipeline.ts";
import { type FastReplyConnection, FastReplyWriter } from "./fast-reply-writer.ts";
import type { FastHead } from "./fast-head.ts";
import { SHORT_WINDOW } from "./head-window.ts";
import type { ReplyHeads } from "./reply-heads.ts";
import { Linger } from "../hub/linger.ts";
import type { ClosesPromptly } from "../hub/prompt-close.ts";
import { DirectReading, type SocketOwner } from "../hub/direct-reading.ts";
import type { Socket } from "../../exchange/socket.ts";
import type { TransportOptions } from "../../exchange/transport.ts";
import { resetSocket } from "../hub/reset-socket.ts";
import { lastLoad } from "../../exchange/input-window.ts";
import { HalfCloseWatch } from "../hub/half-close-watch.ts";
import { WriteWatch } from "../hub/write-watch.ts";

/** Dependencies of `FastConnection`. */
export interface FastConnectionHost {
  readonly hub: ConnectionHub;
  /** Scratch object for the head being read; all connections share it, since reading is synchronous. */
  readonly head: FastHead;
  readonly replyHeads: ReplyHeads;
  /**
   * Moves the connection to `node:http`.
   *
   * @param served number of requests so far, for `maxRequestsPerConnection`
   * @param headSince time of the sweep that found the connection's incomplete head; `null` if none did
   */
  handOver(connection: FastConnection, socket: Socket, served: number, headSince: number | null): void;
}

/** Maximum number of concurrent requests of one connection. Further requests wait, and the socket is not read. */
const MAX_PIPELINED = 16;

/** Idle milliseconds after which the cached head of a connection is dropped. */
const KEEP_HEAD_MS = 5000;

/**
 * One connection of the fast path: serves ordinary requests in order, and hands the socket with all unread bytes to `node:http` at the first unsupported
 * message. The hand-over happens after all earlier replies are sent and before any byte of a reply to that message.
 */
export class FastConnection
  implements
    OpenConnection,
    BodyGraceListener,
    ClosesPromptly,
    FastExchangeConnection,
    FastReplyConnection,
    SocketOwner
{
  readonly hub: ConnectionHub;
  readonly replyHeads: ReplyHeads;
  private readonly socket: Socket;
  private readonly host: FastConnectionHost;
  private readonly input = new FastInput();
  private readonly pipeline: FastPipeline;
  private readonly replies: FastReplyWriter;
  private address: string | null = null;
  private served = 0;
  private pumping = false;
  private pumpQueued = false;
  private readingPaused = false;
  /** Whether no further message is served; input is then discarded. */
  private stopped = false;
  /** Whether the client has requested the close and has sent nothing after that message. */
  private closeRequested = false;
  private lingering: Linger | null = null;
  /** Set when the client has half-closed. */
  private halfClose: HalfCloseWatch | null = null;
  private idleSince: number;
  private writes: WriteWatch | null = null;
  private readonly reading: DirectReading;
  /** The exchange whose reply is written at the end of the batch. */
  private held: FastExchange | null = null;

  constructor(socket: Socket, host: FastConnectionHost) {
    this.socket = socket;
    this.host = host;
    this.hub = host.hub;
    this.replyHeads = host.replyHeads;
    this.pipeline = new FastPipeline(host.hub);
    this.replies = new FastReplyWriter(socket, this);
    this.idleSince = host.hub.now;
    this.reading = new DirectReading(socket, this, host.hub.batch);
    if (socket.isPaused()) socket.resume();
  }

  get options(): TransportOptions {
    return this.hub.options;
  }

  get remoteAddress(): string | null {
    return (this.address ??= this.socket.remoteAddress ?? null);
  }

  get idle(): boolean {
    if (this.pipeline.first !== null || this.lingering !== null) return false;
    return this.input.bytes === null && !this.reading.waits;
  }

  get used(): boolean {
    return this.served > 0;
  }

  cut(): void {
    this.stopped = true;
    this.socket.destroy();
  }

  private reset(): void {
    this.stopped = true;
    resetSocket(this.socket);
  }

  check(now: number): void {
    if (this.lingering?.isLate(now) === true || this.halfClose?.checkIdle(now) === true) this.cut();
    else if (this.readsTooSlowly(now)) this.reset();
    else if (this.pipeline.first !== null || this.lingering !== null) return;
    else if (this.input.bytes !== null) this.handOver(now); // node:http has the deadlines for incomplete messages
    else if (now - this.idleSince >= this.options.timeouts.idleSecs * 1000 + SWEEP_MS) this.cut();
    else if (now - this.idleSince >= KEEP_HEAD_MS) this.input.dropCache();
  }

  bodyGraceEnded(): void {
    if (!this.input.lacksBody) return;
    this.input.unsupported = true;
    this.pump();
  }

  onReplyReady(exchange: FastExchange): void {
    if (this.pumping || this.pumpQueued) return;
    if (this.hub.batch.isEnabled && this.isLone(exchange)) this.hub.batch.hold(this);
    else this.sendReady(exchange);
  }

  /** Writes the reply that was held until the end of a batch. */
  send(): void {
    const { held } = this;
    if (held === null) return this.sendFirst();
    this.held = null;
    if (this.replies.writeLone(held)) return this.loneReplySent(held);
    this.pipeline.append(held);
    this.pump();
  }

  private sendFirst(): void {
    const { first } = this.pipeline;
    if (first !== null && !this.pumping && !this.pumpQueued) this.sendReady(first);
  }

  private isLone(exchange: FastExchange): boolean {
    return this.pipeline.first === exchange && exchange.next === null && this.input.bytes === null;
  }

  private sendReady(exchange: FastExchange): void {
    const { pipeline } = this;
    if (this.isLone(exchange)) {
      if (!this.replies.writeLone(exchange)) return this.pump();
      pipeline.takeLone();
      return this.loneReplySent(exchange);
    }
    if (pipeline.unsent === pipeline.last) return this.pump();
    // Replies that become ready before this microtask runs are sent in one write.
    this.pumpQueued = true;
    queueMicrotask(() => {
      this.pumpQueued = false;
      this.pump();
    });
  }

  inform(exchange: FastExchange, text: string): boolean {
    const { unsent } = this.pipeline; // `null` while a lone exchange is served
    if ((unsent !== null && unsent !== exchange) || this.socket.writableNeedDrain || !this.socket.writable)
      return false;
    this.replies.inform(text);
    return true;
  }

  closesAfter(exchange: FastExchange): boolean {
    if (exchange.last || exchange.next !== null) return exchange.last;
    if (this.stopped || this.hub.draining) return true;
    if (this.hub.takeExcess()) this.stopped = true; // stored, because this may be called again for the same reply
    return this.stopped;
  }

  closeAfter(exchange: FastExchange): void {
    this.stop();
    exchange.last = true;
  }

  onReplyWritten(exchange: FastExchange): void {
    const { pipeline } = this;
    pipeline.markWritten(exchange);
    if (exchange.last && pipeline.unsent !== null) this.abortFrom(pipeline.unsent);
    if (this.replies.full) this.flush();
  }

  proceed(): void {
    this.pump();
  }

  onRepliesSent(exchange: FastExchange | null): void {
    if (this.pipeline.finishBefore(exchange)) this.closeAfterReply();
    else if (this.pipeline.first === null) this.idleSince = this.hub.now;
  }

  take(chunk: Buffer): void {
    if (this.held !== null) this.send(); // a socket that resumes emits all buffered bytes before the batch ends
    if (this.stopped) this.discard();
    else if (!this.serveLone(chunk)) {
      this.input.add(chunk);
      this.pump();
    }
  }

  /** Discards bytes after the last message. */
  private discard(): void {
    this.closeRequested = false;
    if (this.lingering?.isTooLong() === true) this.pauseReading();
  }

  /** Whether the end of input may be delivered: not while the connection is paused, because it still has unserved bytes. */
  get mayEnd(): boolean {
    return !this.readingPaused;
  }

  /**
   * Serves a chunk that is exactly one message if the connection has no other exchange: without buffering and pipeline. Returns whether it did. Saves about
   * 1,900 instructions of a GET whose head is cached (callgrind).
   */
  private serveLone(chunk: Buffer): boolean {
    const { input, pipeline, socket, hub, host } = this;
    if (input.bytes !== null || pipeline.first !== null || socket.writableNeedDrain) return false;
    const fields = input.takeWhole(chunk, hub.options.limits, host.head);
    if (fields === null) return false;
    const exchange = this.createExchange(chunk, fields, host.head, chunk.length);
    if (host.head.bodyLength > 0 && chunk.length <= SHORT_WINDOW) exchange.load = lastLoad();
    this.pumping = true;
    exchange.start();
    this.pumping = false;
    if (exchange.ready && hub.batch.isEnabled) {
      this.held = exchange;
      hub.batch.hold(this);
    } else if (exchange.ready && this.replies.writeLone(exchange)) this.loneReplySent(exchange);
    else {
      pipeline.append(exchange);
      if (exchange.ready) this.pump();
    }
    return true;
  }

  private loneReplySent(exchange: FastExchange): void {
    const { socket, hub, pipeline } = this;
    if (socket.writableLength > 0 || socket.destroyed) {
      pipeline.appendWritten(exchange);
      return this.flush();
    }
    hub.inFlight--;
    exchange.finish("sent");
    if (exchange.last) this.closeAfterReply();
    else this.idleSince = hub.now;
  }

  /** Serves and writes until input, the pipeline limit or the socket's buffer stops it. Not reentrant. */
  private pump(): void {
    if (this.pumping) return;
    this.pumping = true;
    do {
      this.serveBuffered();
      this.advance();
      this.flush();
    } while (this.input.servable && this.hasRoom());
    this.pumping = false;
    const { bytes, unsupported, partial } = this.input;
    if (unsupported && this.pipeline.first === null) this.handOver();
    else if (bytes !== null && (unsupported || !partial)) this.pauseReading();
    else this.resumeReading();
  }

  private serveBuffered(): void {
    const { input, hub, host } = this;
    while (input.servable && this.hasRoom()) {
      const bytes = input.bytes as Buffer;
      const end = input.readHead(bytes, hub.options.limits, host.head);
      if (end === -1) {
        if (input.lacksBody) hub.bodyGrace.begin(this);
        return;
      }
      const fields = input.takeHead(bytes, host.head);
      if (fields === null) return;
      const messageEnd = end + host.head.bodyLength;
      this.serve(bytes, fields, host.head, messageEnd);
      if (!this.stopped) input.take(messageEnd);
      else {
        if (messageEnd < bytes.length) this.discard();
        input.clear();
      }
    }
  }

  private hasRoom(): boolean {
    return !this.stopped && this.pipeline.active < MAX_PIPELINED && !this.socket.writableNeedDrain;
  }

  /** Passes a message to the app. */
  private serve(bytes: Buffer, fields: CachedHead, head: FastHead, end: number): void {
    const exchange = this.createExchange(bytes, fields, head, end);
    this.pipeline.append(exchange);
    exchange.start();
    if (this.pipeline.unsent === exchange) this.advance();
  }

  private createExchange(bytes: Buffer, fields: CachedHead, head: FastHead, end: number): FastExchange {
    this.hub.inFlight++;
    if (++this.served === this.options.limits.maxRequestsPerConnection || head.last)
      this.stopAfterMessage(head);
    return new FastExchange(this, head.method, head.target, fields, bytes, head.bodyStart, end);
  }

  private stopAfterMessage(head: FastHead): void {
    this.stopped = true;
    this.closeRequested = head.last;
  }

  /** Writes the replies that are ready, in the order of their requests. */
  private advance(): void {
    const { pipeline, replies } = this;
    while (pipeline.unsent !== null && pipeline.unsent.ready && !replies.busy) replies.write(pipeline.unsent);
  }

  private flush(): void {
    const { unsent } = this.pipeline;
    if (this.replies.flush(this.pipeline)) this.onRepliesSent(unsent);
  }

  private stop(): void {
    this.stopped = true;
    this.input.clear();
  }

  /** Closes after the last reply: promptly if the client requested the close, because it sends nothing more; otherwise with a lingering close. */
  private closeAfterReply(): void {
    this.stop();
    this.resumeReading();
    if (this.closeRequested) this.hub.promptClose.add(this);
    else this.linger();
  }

  closePromptly(): void {
    if (this.closeRequested && this.socket.writableLength === 0) this.socket.destroy();
    else this.linger();
  }

  private linger(): void {
    this.lingering = new Linger(this.socket, this.hub.now);
  }

  private handOver(headSince: number | null = null): void {
    const { socket } = this;
    const { bytes, at } = this.input;
    if (socket.destroyed || bytes === null) return;
    this.stop();
    socket.pause();
    this.reading.stop();
    socket.unshift(at === 0 ? bytes : bytes.subarray(at));
    this.reading.deliverEnd();
    this.host.handOver(this, socket, this.served, headSince);
  }

  private readsTooSlowly(now: number): boolean {
    if (this.writes === null) {
      if (this.socket.writableLength === 0) return false;
      this.writes = new WriteWatch(this.socket, this.options.timeouts.writeSecs);
    }
    return this.writes.checkTooSlow(now);
  }

  private pauseReading(): void {
    if (this.readingPaused) return;
    this.readingPaused = true;
    this.socket.pause();
  }

  private resumeReading(): void {
    if (!this.readingPaused) return;
    this.readingPaused = false;
    this.socket.resume();
    this.reading.deliverEnd();
  }

  drained(): void {
    if (!this.replies.drain()) this.pump();
  }

  /** A client that half-closes abandons its unanswered requests; the replies before them are still sent. */
  ended(): void {
    const { pipeline } = this;
    if (this.held !== null) this.send();
    this.stop();
    const unanswered = pipeline.unanswered();
    if (unanswered !== null) pipeline.abortFrom(unanswered);
    if (pipeline.last === null) return void this.socket.end();
    pipeline.last.last = true;
    this.halfClose = new HalfCloseWatch(this.socket);
  }

  closed(): void {
    this.stop();
    if (this.pipeline.first !== null) this.abortFrom(this.pipeline.first);
    this.hub.remove(this);
  }

  private abortFrom(start: FastExchange): void {
    this.replies.stop();
    this.pipeline.abortFrom(start);
  }
}
