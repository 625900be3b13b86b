// More than 250 lines, because the order of replies, the stop after an error and the close of a connection share one state.
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { HttpError } from "../../errors/http-error.ts";
import type { BodyGraceListener } from "../hub/body-grace.ts";
import type { ConnectionHub, OpenConnection } from "../hub/connection-hub.ts";
import { Linger } from "../hub/linger.ts";
import { NodeExchange, type ExchangeConnection } from "./node-exchange.ts";
import { finalReply } from "./node-final-reply.ts";
import { NodeInput } from "./node-input.ts";
import type { NodeResponse } from "./node-messages.ts";
import { notImplemented, type ParseError, parseFailure, restOfMethod } from "./node-parse-errors.ts";
import { readPartialHead } from "./node-partial-head.ts";
import { isWebSocketUpgrade } from "./node-upgrade.ts";
import { NodeWatch } from "./node-watch.ts";
import { type PartialHead, RefusedMessage, unreadableHead } from "../wire/refused-message.ts";
import { readHead, type RequestHead } from "../wire/request-head.ts";
import type { TransportOptions } from "../../exchange/transport.ts";
import { UpgradeConnection } from "../upgrade/upgrade-connection.ts";
import { resetSocket } from "../hub/reset-socket.ts";
import { HalfCloseWatch } from "../hub/half-close-watch.ts";
import { WriteWatch } from "../hub/write-watch.ts";

/** Maximum number of concurrent requests of one connection. Further requests wait, and the socket is not read. */
const MAX_PIPELINED = 16;

/**
 * One connection on `node:http`: orders and bounds its exchanges, and closes it where `node:http` would close too early or too late.
 *
 * After a framing error or a reply with `Connection: close` nothing more is served, although `node:http` may still parse messages. Valid
 * requests before a malformed one get their replies first.
 */
export class NodeConnection implements OpenConnection, BodyGraceListener, ExchangeConnection {
  private readonly socket: Socket;
  private readonly hub: ConnectionHub;
  private readonly input: NodeInput;
  private readonly watch: NodeWatch;
  private readonly writes: WriteWatch;
  private address: string | null = null;
  /** Unfinished exchanges, as a linked list in the order of their requests. */
  private first: NodeExchange | null = null;
  private last: NodeExchange | null = null;
  /** The first exchange that has not been passed to the app. */
  private waiting: NodeExchange | null = null;
  private active = 0;
  /** The exchange whose reply is written at the end of the batch, or before anything else of its connection is read. */
  private held: NodeExchange | null = null;
  private requests: number;
  /** A request whose body is still arriving after its reply. */
  private unread: IncomingMessage | null = null;
  private stopped = false;
  /** The exchange whose reply has `connection: close`: exchanges that wait after it are not served. */
  private closing: NodeExchange | null = null;
  /** The refusal of a malformed message; it is written after the replies before it. */
  private failure: Failure | null = null;
  private undecided = false;
  /** Whether the connection closes with its next reply because this process has more than its share of connections. */
  private excess = false;
  private lingering: Linger | null = null;
  /** Set when the client has half-closed. */
  private halfClose: HalfCloseWatch | null = null;
  private readingPaused = false;

  /**
   * @param served number of earlier requests on this connection
   * @param headSince start time of an incomplete head; `null` for none
   */
  constructor(socket: Socket, hub: ConnectionHub, served: number, headSince: number | null) {
    this.socket = socket;
    this.hub = hub;
    this.requests = served;
    this.input = new NodeInput(socket, this, hub.batch);
    this.watch = new NodeWatch(this.input, hub.options.timeouts, hub.now, headSince);
    this.writes = new WriteWatch(socket, hub.options.timeouts.writeSecs);
    // node:http ends the socket by `destroySoon` after the last reply. Replaced by a lingering close; if a release of Node did not call it, the
    // socket would close without lingering.
    socket.destroySoon = () => this.linger();
    socket.on("end", this.onEnd);
    socket.on("close", this.onClose);
    socket.on("error", ignore); // node:http also reports the first error, and then stops listening
  }

  /** Begins to read. Must be called after `node:http` has added its listeners. */
  begin(): void {
    this.input.begin();
  }

  get options(): TransportOptions {
    return this.hub.options;
  }

  get date(): string {
    return this.hub.date;
  }

  get remoteAddress(): string | null {
    return (this.address ??= this.socket.remoteAddress ?? null);
  }

  get idle(): boolean {
    if (this.first !== null || this.lingering !== null || this.unread !== null) return false;
    return !this.input.headBegan && !this.input.waits && this.socket.readableLength === 0;
  }

  get used(): boolean {
    return this.requests > 0;
  }

  /** Handles a parsed head. */
  onRequest(request: IncomingMessage, response: NodeResponse): void {
    if (this.stopped) return this.limitLinger();
    const head = this.readHead(request);
    if (!(head instanceof HttpError)) this.input.expectBody(head.bodyLength);
    const { maxRequestsPerConnection } = this.options.limits;
    this.requests++;
    if (
      head instanceof HttpError ||
      head.last ||
      !response.shouldKeepAlive ||
      isWebSocketUpgrade(request) || // the bytes after it may not be HTTP
      this.requests === maxRequestsPerConnection
    ) {
      this.stopped = true;
    }
    const exchange = new NodeExchange(this, request, response, head);
    this.unread = null;
    this.watch.headComplete();
    this.append(exchange);
  }

  /** Whether the app gets an Upgrade request as an upgrade; otherwise it is served like any other request. */
  canUpgrade(request: IncomingMessage): boolean {
    if (this.stopped || this.first !== null || !isWebSocketUpgrade(request)) return false;
    return !(this.readHead(request) instanceof HttpError);
  }

  /** Handles an upgrade: `node:http` has detached from the socket, and an `UpgradeConnection` serves the request. */
  onUpgrade(request: IncomingMessage, rest: Uint8Array): void {
    const head = this.canUpgrade(request) ? this.readHead(request) : notImplemented(); // early releases of Node 24 do not call canUpgrade first
    if (head instanceof HttpError) return this.fail(head, headOf(request));
    const { socket, hub } = this;
    // Assigned, not deleted: `delete` would make the object permanently slow.
    const { destroySoon } = Object.getPrototypeOf(socket) as Socket;
    socket.destroySoon = destroySoon;
    socket.off("end", this.onEnd);
    socket.off("close", this.onClose);
    const connection = new UpgradeConnection(socket, hub, head, Buffer.concat([rest, this.input.detach()]));
    hub.add(connection);
    hub.remove(this);
    connection.start();
  }

  /** Refuses CONNECT: `node:http` has detached from the socket, so there is no response object and no parser. */
  onConnect(request: IncomingMessage): void {
    this.fail(notImplemented(), headOf(request));
  }

  /** Handles parse errors, and errors of the socket. */
  onParseError(error: ParseError): void {
    if (this.lingering !== null) return this.limitLinger();
    // A client that disconnects within a message gets no reply to it.
    if (error.code === "HPE_INVALID_EOF_STATE") return this.first === null ? this.cut() : undefined;
    if (error.code?.startsWith("HPE_") !== true) return this.cut();
    if (this.stopped && !this.undecided && !this.bodyArrives) return;
    const { rawPacket = new Uint8Array() } = error;
    const atStart = !this.undecided && this.input.isFromStart;
    const verdict = this.undecided ? restOfMethod(rawPacket) : parseFailure(error, atStart);
    if (verdict !== "undecided") this.refuse(verdict, this.input.headWith(rawPacket));
    else {
      this.undecided = true;
      this.stopped = true;
    }
  }

  refuse(failure: HttpError, head: Uint8Array | null): void {
    this.fail(failure, head === null ? unreadableHead : readPartialHead(head, this.options.limits));
  }

  discarded(): void {
    this.limitLinger();
  }

  closesAfter(exchange: NodeExchange): boolean {
    if (exchange.next !== null || this.failure !== null) return false;
    if ((this.stopped && !this.undecided) || this.hub.draining) return true;
    this.excess ||= this.hub.takeExcess();
    return this.excess;
  }

  stopAfter(exchange: NodeExchange): void {
    this.stopped = true;
    this.closing ??= exchange;
  }

  holdReply(exchange: NodeExchange): boolean {
    const { batch } = this.hub;
    if (!batch.isEnabled || this.first !== exchange) return false;
    this.held = exchange;
    batch.hold(this);
    return true;
  }

  /** Writes the reply that was held until the end of a batch. */
  send(): void {
    const { held } = this;
    this.held = null;
    held?.send();
  }

  isFirst(exchange: NodeExchange): boolean {
    return this.first === exchange;
  }

  onReplySent(exchange: NodeExchange): void {
    if (exchange.end !== null) return; // aborted
    if (!this.isFirst(exchange)) return this.cut(); // node:http writes replies in order: anything else would be corrupt
    this.end(exchange, "sent");
    this.first = exchange.next;
    if (this.first === null) this.last = null;
    if (exchange === this.closing) this.abortAfter(null);
    this.first?.startBody();
    this.advance();
    if (this.first === null) this.settle();
  }

  discardBody(message: IncomingMessage): void {
    this.unread = message;
    message.on("data", this.limitLinger);
    message.resume();
  }

  cut(): void {
    this.socket.destroy();
  }

  check(now: number): void {
    this.watch.tick(now);
    this.bodyGraceEnded();
    if (this.lingering?.isLate(now) === true || this.halfClose?.checkIdle(now) === true) return this.cut();
    if (this.writes.checkTooSlow(now)) return resetSocket(this.socket);
    if (this.unread?.complete === true) this.bodyIsIn();
    const { last } = this;
    if (last !== null) {
      if (last.complete || !last.waitsForBody) return;
      if (!this.watch.bodyTooSlow()) return;
      this.stopped = true;
      last.failBody(new HttpError(408, "The request body took too long to arrive"));
    } else if (this.unread !== null) {
      if (this.watch.bodyTooSlow()) this.cut();
    } else if (this.lingering === null) this.checkHead(now);
  }

  /** Passes waiting exchanges to the app, in order, up to the pipeline limit. Called when a reply was sent or a body is complete. */
  advance(): void {
    while (this.closing === null && this.waiting !== null && this.waiting.ready && this.hasRoom()) {
      const exchange = this.waiting;
      this.waiting = exchange.next;
      this.serve(exchange);
      if (this.halfClose !== null && !exchange.replied) this.abandon();
    }
    if (this.waiting?.ready === true) this.pauseReading();
    else this.resumeReading();
  }

  bodyGraceEnded(): void {
    if (this.waiting === null) return;
    for (let exchange: NodeExchange | null = this.waiting; exchange !== null; exchange = exchange.next) {
      exchange.stopCollecting();
    }
    this.advance();
  }

  /** Refuses a message and closes the connection, after the replies to the messages before it. */
  fail(failure: HttpError, head: PartialHead): void {
    const { bodyArrives } = this;
    this.input.close();
    if (this.stopped && !this.undecided && !bodyArrives) return;
    this.undecided = false;
    this.stopped = true;
    if (bodyArrives) {
      // The message has a reply already: the client would read a second one as the reply to its next request.
      this.last?.failBody(failure);
      if (this.last === null) this.linger();
      return;
    }
    this.failure = { error: failure, head };
    if (this.first === null) this.settle();
  }

  /** Begins a lingering close; see `Linger`. */
  linger(): void {
    if (this.lingering !== null) return;
    this.stopped = true;
    this.failure = null;
    this.input.close();
    this.lingering = new Linger(this.socket, this.hub.now);
    this.resumeReading();
    this.socket.resume();
  }

  private readHead(request: IncomingMessage): RequestHead | HttpError {
    const raw = {
      method: request.method ?? "",
      target: request.url ?? "",
      major: request.httpVersionMajor,
      minor: request.httpVersionMinor,
      fields: request.rawHeaders,
    };
    return readHead(raw, this.options.limits);
  }

  private append(exchange: NodeExchange): void {
    if (this.last === null) this.first = exchange;
    else this.last.next = exchange;
    this.last = exchange;
    this.waiting ??= exchange;
    if (exchange.collect()) this.hub.bodyGrace.begin(this);
    this.advance();
  }

  /** Whether the body of the last message is incomplete: a parse error then concerns the body. */
  private get bodyArrives(): boolean {
    return this.last !== null ? !this.last.request.complete : this.unread?.complete === false;
  }

  private hasRoom(): boolean {
    return this.active < MAX_PIPELINED && !this.socket.writableNeedDrain;
  }

  private serve(exchange: NodeExchange): void {
    this.active++;
    this.hub.inFlight++;
    exchange.start();
  }

  private end(exchange: NodeExchange, how: "sent" | "aborted"): void {
    if (exchange.started) {
      this.active--;
      this.hub.inFlight--;
    }
    exchange.finish(how);
  }

  /** After the last exchange: writes a pending refusal, closes, or becomes idle. */
  private settle(): void {
    if (this.failure !== null) this.writeFailure(this.failure);
    else if (this.stopped && !this.undecided) this.linger();
    else this.watch.becameIdle(this.hub.now);
  }

  private writeFailure({ error, head }: Failure): void {
    const { socket, options, remoteAddress, date } = this;
    this.failure = null;
    const message = new RefusedMessage(head, options.tls === undefined ? "http" : "https", remoteAddress);
    try {
      const reply = options.reject(error, message);
      if (socket.writable) socket.write(finalReply(reply, message.method, date));
    } catch (cause) {
      options.log.error("the reply to a malformed request could not be written", { error: cause });
    }
    message.end(socket.writable ? "sent" : "aborted", options.log);
    this.linger();
  }

  private bodyIsIn(): void {
    this.unread = null;
    if (this.first === null && this.lingering === null) this.watch.becameIdle(this.hub.now);
  }

  private readonly limitLinger = (): void => {
    if (this.lingering?.isTooLong() === true) this.pauseReading();
  };

  private checkHead(now: number): void {
    const found = this.watch.headState(now);
    if (found === "slow") this.refuse(slowRequest(), this.input.headWith(new Uint8Array(0)));
    else if (found === "idle too long") this.cut();
  }

  /**
   * Stops reading. `node:http` calls the public `socket.resume` after each message, so that method is replaced as well; if a
   * release of Node resumed in another way, more requests than the pipeline limit could wait.
   */
  private pauseReading(): void {
    if (this.readingPaused) return;
    this.readingPaused = true;
    this.socket.resume = stayPaused;
    this.socket.pause();
  }

  private resumeReading(): void {
    if (!this.readingPaused) return;
    this.readingPaused = false;
    this.socket.resume = (Object.getPrototypeOf(this.socket) as Socket).resume;
    this.socket.resume();
  }

  /** A client that half-closes abandons its unanswered requests; the replies before them are still sent. */
  private readonly onEnd = (): void => {
    this.stopped = true;
    this.undecided = false;
    if (this.lingering !== null) return;
    this.halfClose = new HalfCloseWatch(this.socket);
    this.abandon();
  };

  /** Aborts the first request to which the app has not replied, and all requests after it, except requests that could still get a reply at once. */
  private abandon(): void {
    let lastKept: NodeExchange | null = null;
    for (let next = this.first; next !== null && mayBeAnswered(next); next = next.next) lastKept = next;
    if (this.abortAfter(lastKept)) this.failure = null;
    if (lastKept === null) this.settle();
  }

  private readonly onClose = (): void => {
    this.stopped = true;
    this.abortAfter(null);
    this.hub.remove(this);
  };

  /** Aborts the exchanges after `lastKept`, or all. Returns whether there was any. */
  private abortAfter(lastKept: NodeExchange | null): boolean {
    const start = lastKept === null ? this.first : lastKept.next;
    this.last = lastKept;
    if (lastKept === null) this.first = null;
    else lastKept.next = null;
    for (let exchange = start; exchange !== null; exchange = exchange.next) {
      if (exchange === this.waiting) this.waiting = null;
      this.end(exchange, "aborted");
    }
    return start !== null;
  }
}

/** The refusal of a message without an exchange: its reason, and the readable parts of the message. */
interface Failure {
  readonly error: HttpError;
  readonly head: PartialHead;
}

const headOf = ({ method, url, rawHeaders }: IncomingMessage): PartialHead => ({
  method: method ?? null,
  target: url ?? null,
  fields: rawHeaders,
});

const mayBeAnswered = ({ replied, started, complete }: NodeExchange): boolean =>
  replied || (!started && complete);

const slowRequest = (): HttpError => new HttpError(408, "The request took too long to arrive");

const ignore = (): void => {};

function stayPaused(this: Socket): Socket {
  return this;
}
