// Above 250 lines because what is buffered, what is under way and what is written decide together when to read, serve, write, close and hand over.
import { HttpError } from "../errors/http-error.ts";
import { BodyStream } from "../response/payload.ts";
import { isAuthority } from "./authority.ts";
import { FastBodySink } from "./fast-body-sink.ts";
import { FastExchange, type FastExchangeConnection } from "./fast-exchange.ts";
import { headText, ordinaryHeadText } from "./fast-head-text.ts";
import { bytesToText, type MemoryPayload, shortLength, sliceAbove, toWriterBody } from "./fast-payload.ts";
import { type FastHead, FOREIGN, INCOMPLETE, readFastHead } from "./fast-request-head.ts";
import { NodeBodyWriter } from "./node-body-writer.ts";
import type { Socket } from "./node-socket.ts";
import { prepareReply, type Reply, type ReplyHead } from "./reply-head.ts";
import type { TransportOptions } from "./transport.ts";

/** What a connection needs of its transport. */
export interface FastConnectionHost {
  readonly options: TransportOptions;
  readonly draining: boolean;
  /** Value of `Date`, at most a second old. */
  readonly date: string;
  /** The whole line of `date`. */
  readonly dateLine: string;
  /** Monotonic milliseconds, as of the last sweep. */
  readonly now: number;
  /** Where heads are read into. */
  readonly head: FastHead;
  started(): void;
  ended(): void;
  closed(connection: FastConnection): void;
  /** Calls `bodyIsLate` in a moment. */
  awaitBody(connection: FastConnection): void;
  /** Another transport goes on with the connection, on which `served` requests were answered. */
  handOver(connection: FastConnection, served: number): void;
}

/** Requests of one connection that the app works on at the same time; those behind wait, and reading stops. */
const maxPipelined = 16;
/** Reads that a message may take: each one looks at its head again. */
const maxReads = 8;
/** Answers are joined up to about this length. */
const joinedLength = 65_536;
/** Bytes and time that a closing connection may still send, so that the client can read the last answer before a reset. */
const lingerBytes = 65_536;
const lingerMs = 2000;

/**
 * One connection of the fast path: serves ordinary requests in order, and gives the connection away, with all unread bytes, at the first
 * message that is anything else. That happens when every answer in front is out and before the message is answered in any way.
 */
export class FastConnection implements FastExchangeConnection {
  readonly socket: Socket;
  private readonly host: FastConnectionHost;
  private address: string | null = null;
  /** Bytes that are not served yet, from `at` on. */
  private bytes: Buffer | null = null;
  private at = 0;
  /** Whether those are the beginning of a message, and how many reads it has taken. */
  private partial = false;
  private reads = 0;
  /** Whether the message has its head, and is waited for a little. */
  private lacksBody = false;
  /** The Host of the request before, which is known to be well-formed. */
  private authority: string | null = null;
  private served = 0;
  /** Exchanges whose answer is not out, in order; `unsent` is the first that is not wholly written. */
  private first: FastExchange | null = null;
  private last: FastExchange | null = null;
  private unsent: FastExchange | null = null;
  private active = 0;
  /** Answers of this turn, one character a byte. */
  private out = "";
  private sink: FastBodySink | null = null;
  private writer: NodeBodyWriter | null = null;
  private working = false;
  private flushing = false;
  private advancing = false;
  private held = false;
  /** Nothing that arrives is served any more. */
  private stopped = false;
  /** The message at `at` is for another transport. */
  private foreign = false;
  private lingersSince: number | null = null;
  private lingered = 0;
  private idleSince: number;
  private stalledSince: number | null = null;
  private flushedBytes = -1;

  constructor(socket: Socket, host: FastConnectionHost) {
    this.socket = socket;
    this.host = host;
    this.idleSince = host.now;
    socket.on("data", this.onData);
    socket.on("end", this.onEnd);
    socket.on("drain", this.onDrain);
    socket.on("error", ignore); // a socket that fails closes too
    socket.on("close", this.onClose);
    if (socket.isPaused()) socket.resume();
  }

  get options(): TransportOptions {
    return this.host.options;
  }

  get remoteAddress(): string | null {
    return (this.address ??= this.socket.remoteAddress ?? null);
  }

  /** Whether no request is under way, not even a part of one. */
  get idle(): boolean {
    return this.first === null && this.bytes === null && this.lingersSince === null;
  }

  cut(): void {
    this.stopped = true;
    this.socket.destroy();
  }

  /** Looks at the deadlines; called by the transport's sweep, once a second. */
  check(now: number): void {
    if (this.lingersSince !== null) {
      if (now - this.lingersSince >= lingerMs) this.cut();
    } else if (this.first !== null) {
      if (this.writeStalled(now)) this.cut();
    } else if (this.bytes !== null) {
      this.giveAway(); // what does not come at once is watched there
    } else if (now - this.idleSince >= this.options.timeouts.idleSecs * 1000) this.cut();
  }

  /** A body should have followed its head by now; the app may want to answer without it. */
  bodyIsLate(): void {
    if (!this.lacksBody) return;
    this.foreign = true;
    this.work();
  }

  replied(): void {
    if (this.working || this.advancing) return;
    if (this.unsent === this.last) return this.work();
    // Answers that are ready in the same turn go out together.
    this.advancing = true;
    queueMicrotask(() => {
      this.advancing = false;
      this.work();
    });
  }

  private readonly onData = (chunk: Buffer): void => {
    if (this.lingersSince !== null) {
      this.lingered += chunk.length;
      if (this.lingered > lingerBytes) this.cut();
    } else if (!this.stopped) {
      this.bytes = this.bytes === null ? chunk : Buffer.concat([this.bytes.subarray(this.at), chunk]);
      this.at = 0;
      this.partial = false;
      this.lacksBody = false;
      this.work();
    }
  };

  /** Serves, writes and reads on as far as it goes. */
  private work(): void {
    if (this.working) return;
    this.working = true;
    do {
      this.serveBuffered();
      this.advance();
      this.flush();
    } while (this.isServable() && this.hasRoom());
    this.working = false;
    if (this.foreign && this.first === null) this.giveAway();
    else if (this.bytes !== null && (this.foreign || !this.partial)) this.hold();
    else this.release();
  }

  private serveBuffered(): void {
    while (this.isServable() && this.hasRoom()) {
      const { at, host } = this;
      const bytes = this.bytes as Buffer;
      const end = readFastHead(bytes, at, host.options.limits, host.head);
      const messageEnd = end + host.head.bodyLength;
      if (end === INCOMPLETE || messageEnd > bytes.length) return this.awaitRest(end !== INCOMPLETE);
      if (end === FOREIGN || !this.serve(bytes, end, messageEnd)) {
        this.foreign = true;
        return;
      }
      this.reads = 0;
      this.at = messageEnd;
      if (this.stopped || messageEnd === bytes.length) this.bytes = null;
    }
  }

  private awaitRest(lacksBody: boolean): void {
    this.partial = true;
    this.foreign = ++this.reads > maxReads;
    this.lacksBody = lacksBody;
    if (lacksBody) this.host.awaitBody(this);
  }

  private isServable(): boolean {
    return this.bytes !== null && !this.partial && !this.foreign;
  }

  private hasRoom(): boolean {
    return !this.stopped && this.active < maxPipelined && !this.socket.writableNeedDrain;
  }

  /** Hands a message to the app, unless its Host is malformed. */
  private serve(bytes: Buffer, headEnd: number, end: number): boolean {
    const { head } = this.host;
    if (!this.isKnownHost(bytes, head.hostStart, head.hostEnd)) {
      const authority = bytes.toString("latin1", head.hostStart, head.hostEnd);
      if (!isAuthority(authority)) return false;
      this.authority = authority;
    }
    const exchange = new FastExchange(
      this,
      head.method,
      bytes.toString("latin1", head.targetStart, head.targetEnd),
      this.authority as string,
      bytes,
      head.fieldsStart,
      head.fieldsEnd,
      end === headEnd ? null : new Uint8Array(bytes.subarray(headEnd, end)),
    );
    if (++this.served === this.options.limits.maxRequestsPerConnection) this.stopped = true;
    if (this.last === null) this.first = exchange;
    else this.last.next = exchange;
    this.last = exchange;
    this.unsent ??= exchange;
    this.active++;
    this.host.started();
    exchange.start();
    if (this.unsent === exchange) this.advance();
    return true;
  }

  private isKnownHost(bytes: Buffer, start: number, end: number): boolean {
    const { authority } = this;
    if (authority === null || authority.length !== end - start) return false;
    for (let index = 0; index < authority.length; index++) {
      if (bytes[start + index] !== authority.charCodeAt(index)) return false;
    }
    return true;
  }

  /** Writes the answers whose turn it is. */
  private advance(): void {
    while (this.unsent !== null && this.unsent.ready && this.writer === null) this.write(this.unsent);
  }

  private write(exchange: FastExchange): void {
    const { reply } = exchange;
    exchange.reply = null;
    if (reply === null) return this.writeFailure(exchange);
    try {
      if (this.writeOrdinary(exchange, reply)) return;
      const head = this.prepare(exchange, reply);
      this.writePrepared(exchange, head);
      if (head.payload === null) exchange.discard(reply);
    } catch (error) {
      exchange.discard(reply);
      exchange.logBroken(error);
      this.writeFailure(exchange);
    }
  }

  /** Writes a reply whose body is in memory and not long; `false` when the rules for all others have to be asked. */
  private writeOrdinary(exchange: FastExchange, reply: Reply): boolean {
    const { payload } = reply;
    if (payload instanceof BodyStream) return false;
    const length = shortLength(payload);
    if (length < 0) return false;
    const close = this.closesBehind(exchange);
    const text = ordinaryHeadText(reply.status, reply.fields(), length, close, this.host.dateLine);
    if (text === null) return false;
    if (close) this.closeBehind(exchange);
    this.writeBody(text, exchange.method === "HEAD" ? null : payload, length);
    this.wrote(exchange);
    return true;
  }

  /** A plain 500 that tells nothing. */
  private writeFailure(exchange: FastExchange): void {
    const { reject, log } = this.options;
    this.stop();
    exchange.last = true;
    try {
      const reply = reject(new HttpError(500, "The server failed"), exchange.asPartialHead());
      this.writePrepared(exchange, this.prepare(exchange, reply));
    } catch (error) {
      log.error("the reply to a failure could not be written", { error });
      this.cut();
      this.wrote(exchange);
    }
  }

  private closesBehind(exchange: FastExchange): boolean {
    return exchange.last || (exchange.next === null && (this.stopped || this.host.draining));
  }

  private closeBehind(exchange: FastExchange): void {
    this.stop();
    exchange.last = true;
  }

  private prepare(exchange: FastExchange, reply: Reply): ReplyHead {
    const close = this.closesBehind(exchange);
    return prepareReply(reply, { method: exchange.method, minor: 1, close, date: this.host.date });
  }

  private writePrepared(exchange: FastExchange, head: ReplyHead): void {
    const { payload, length } = head;
    const text = headText(head);
    if (head.close) this.closeBehind(exchange);
    if (payload instanceof BodyStream || length === null || length > sliceAbove) {
      return this.stream(exchange, text, head);
    }
    this.writeBody(text, payload, length);
    this.wrote(exchange);
  }

  private writeBody(text: string, payload: MemoryPayload, length: number): void {
    if (payload === null) this.out += text;
    else if (typeof payload !== "string") this.writeBytes(text, payload);
    else if (length === payload.length) this.out += text + payload;
    else this.out += text + Buffer.from(payload).toString("latin1");
  }

  private writeBytes(text: string, bytes: Uint8Array): void {
    this.out += text;
    if (bytes.byteLength <= joinedLength / 4) this.out += bytesToText(bytes);
    else {
      this.socket.cork();
      this.send();
      this.socket.write(bytes);
      this.socket.uncork();
    }
  }

  /** Sends a long or streamed body, with its head in front. */
  private stream(exchange: FastExchange, text: string, { payload, framing }: ReplyHead): void {
    const body = toWriterBody(payload);
    this.out += text;
    this.send();
    const sink = new FastBodySink(this.socket, framing === "chunked", () => {
      this.sink = null;
      this.writer = null;
      this.wrote(exchange);
      if (!this.working) this.work();
    });
    const { method, target } = exchange;
    this.sink = sink;
    this.writer = new NodeBodyWriter(sink, body, {
      failed: (error) => {
        this.options.log.error("a streamed reply broke off", { method, target, error });
        this.cut();
      },
      late: (error) => exchange.logLate(error),
    });
    this.writer.start();
  }

  /** The answer is written, though perhaps not out. */
  private wrote(exchange: FastExchange): void {
    this.active--;
    this.unsent = exchange.next;
    if (exchange.last && this.unsent !== null) this.abortFrom(this.unsent);
    if (this.out.length > joinedLength) this.flush();
  }

  private send(): void {
    const { out } = this;
    if (out === "") return;
    this.out = "";
    this.socket.write(out, "latin1");
  }

  private flush(): void {
    this.send();
    if (this.first === this.unsent || this.flushing || this.socket.destroyed) return;
    if (this.socket.writableLength === 0) return this.endThrough(this.unsent);
    this.flushing = true;
    const { unsent } = this;
    const last = unsent === null ? this.last : null;
    this.socket.write("", (error) => {
      this.flushing = false;
      if (error !== null && error !== undefined) return;
      this.endThrough(unsent === null ? (last?.next ?? null) : unsent);
      this.work();
    });
  }

  /** The answers in front of an exchange are out. */
  private endThrough(limit: FastExchange | null): void {
    while (this.first !== null && this.first !== limit) {
      const exchange = this.first;
      this.first = exchange.next;
      if (this.first === null) this.last = null;
      this.host.ended();
      exchange.finish("sent");
      if (exchange.last) return this.linger();
    }
    if (this.first === null) this.idleSince = this.host.now;
  }

  private stop(): void {
    this.stopped = true;
    this.bytes = null;
    this.foreign = false;
    this.lacksBody = false;
  }

  /** Half-closes; then reads a bounded rest away, so that no reset destroys the answer before the client has read it. */
  private linger(): void {
    this.stop();
    this.lingersSince = this.host.now;
    this.socket.end();
    this.release();
  }

  private giveAway(): void {
    const { socket, bytes, at } = this;
    if (socket.destroyed || bytes === null) return;
    this.stop();
    socket.pause();
    socket.off("data", this.onData);
    socket.off("end", this.onEnd);
    socket.off("drain", this.onDrain);
    socket.off("error", ignore);
    socket.off("close", this.onClose);
    socket.unshift(at === 0 ? bytes : bytes.subarray(at));
    this.host.handOver(this, this.served);
  }

  private writeStalled(now: number): boolean {
    const waiting = this.socket.writableLength;
    const flushed = this.socket.bytesWritten - waiting;
    if (waiting === 0) this.stalledSince = null;
    else if (this.stalledSince === null || flushed !== this.flushedBytes) {
      this.flushedBytes = flushed;
      this.stalledSince = now;
    } else return now - this.stalledSince >= this.options.timeouts.writeSecs * 1000;
    return false;
  }

  private hold(): void {
    if (this.held) return;
    this.held = true;
    this.socket.pause();
  }

  private release(): void {
    if (!this.held) return;
    this.held = false;
    this.socket.resume();
  }

  private readonly onDrain = (): void => {
    if (this.sink !== null) this.sink.drain();
    else this.work();
  };

  /** Who half-closes gives up what was not answered yet; what was written still goes out. */
  private readonly onEnd = (): void => {
    this.stop();
    this.socket.end();
    if (this.unsent !== null) this.abortFrom(this.unsent);
  };

  private readonly onClose = (): void => {
    this.stop();
    if (this.first !== null) this.abortFrom(this.first);
    this.host.closed(this);
  };

  private abortFrom(start: FastExchange): void {
    this.unsent = null;
    this.writer?.stop();
    this.writer = null;
    this.sink = null;
    if (start === this.first) this.first = this.last = null;
    else {
      let before = this.first;
      while (before !== null && before.next !== start) before = before.next;
      if (before !== null) before.next = null;
      this.last = before;
    }
    for (let exchange: FastExchange | null = start; exchange !== null; exchange = exchange.next) {
      this.host.ended();
      exchange.finish("aborted");
    }
  }
}

const ignore = (): void => {};
