// Above 250 lines because the order of answers, the stop behind an error and the end of a connection share one state, which two files would
// have to hand back and forth.
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { HttpError } from "../../errors/http-error.ts";
import type { AwaitsBody } from "../hub/body-grace.ts";
import type { ConnectionHub, OpenConnection } from "../hub/connection-hub.ts";
import { Linger } from "../hub/linger.ts";
import { NodeExchange, type ExchangeConnection } from "./node-exchange.ts";
import { NodeHeadCache, type RecentFields } from "./node-head-cache.ts";
import { finalReply } from "./node-final-reply.ts";
import type { NodeRequest, NodeResponse } from "./node-messages.ts";
import { notImplemented, type ParseError, parseFailure, restOfMethod } from "./node-parse-errors.ts";
import { readPartialHead } from "./node-partial-head.ts";
import { wantsWebSocket } from "./node-upgrade.ts";
import { NodeWatch } from "./node-watch.ts";
import { type PartialHead, RefusedMessage, unreadableHead } from "../wire/refused-message.ts";
import type { RequestHead } from "../wire/request-head.ts";
import type { TransportOptions } from "../../exchange/transport.ts";
import { UpgradeConnection } from "../upgrade/upgrade-connection.ts";
import { WriteWatch } from "../hub/write-watch.ts";

/** Requests of one connection that the app works on at the same time; those behind wait, and reading stops. */
const maxPipelined = 16;

/**
 * One connection on `node:http`: keeps the order of its exchanges, their number, and what `node:http` alone gets wrong about the end.
 *
 * After a framing error or an answer with `Connection: close` nothing that arrives is served any more, though the parser below may still
 * find messages in it. Good requests in front of a bad one get their answers first.
 */
export class NodeConnection implements OpenConnection, AwaitsBody, ExchangeConnection {
  private readonly socket: Socket;
  private readonly hub: ConnectionHub;
  private readonly watch: NodeWatch;
  private readonly writes: WriteWatch;
  readonly heads: NodeHeadCache;
  private address: string | null = null;
  /** Exchanges that are not over, in order. */
  private first: NodeExchange | null = null;
  private last: NodeExchange | null = null;
  /** The first exchange that waits for the app. */
  private waiting: NodeExchange | null = null;
  /** Whether a request is being handed to the app that is not in the list. */
  private lone = false;
  private active = 0;
  private requests: number;
  /** A message whose body still arrives though its answer is out. */
  private unread: IncomingMessage | null = null;
  private stopped = false;
  /** The answer to a message that could not be parsed, for when those in front are replySent. */
  private failure: Failure | null = null;
  private undecided = false;
  private lingering: Linger | null = null;
  private readingPaused = false;
  private detached = false;

  /** @param served requests that were replySent on the connection before */
  constructor(socket: Socket, hub: ConnectionHub, recent: RecentFields, served: number) {
    this.socket = socket;
    this.hub = hub;
    this.requests = served;
    this.watch = new NodeWatch(socket, hub.options.timeouts, hub.now);
    this.writes = new WriteWatch(socket, hub.options.timeouts.writeSecs);
    this.heads = new NodeHeadCache(hub.options.limits, recent);
    // node:http destroys the socket after the last answer; that is this connection's to decide.
    socket.destroySoon = () => this.linger();
    socket.on("close", this.onClose);
    socket.on("error", ignore); // node:http reports the first as well, and stops listening then
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
    return this.first === null && this.lingering === null && this.unread === null && !this.watch.headBegan;
  }

  /** A message's head was parsed. */
  onRequest(request: IncomingMessage, response: NodeResponse): void {
    if (this.stopped) return this.boundLinger();
    const head = this.readHead(request);
    const { maxRequestsPerConnection } = this.options.limits;
    this.requests++;
    if (
      head instanceof HttpError ||
      head.last ||
      !response.shouldKeepAlive ||
      this.requests === maxRequestsPerConnection
    ) {
      this.stopped = true;
    }
    const exchange = new NodeExchange(this, request, response, head);
    this.unread = null;
    this.watch.bodyBegins();
    if (this.last === null && exchange.complete) this.serveLone(exchange);
    else this.append(exchange);
  }

  /** Whether a wish for another protocol is put before the app; otherwise its request is one like any other. */
  canUpgrade(request: IncomingMessage): boolean {
    if (this.stopped || this.first !== null || !wantsWebSocket(request)) return false;
    return !(this.readHead(request) instanceof HttpError);
  }

  /** `node:http` gave the socket away for another protocol: the request is another connection's to answer. */
  onUpgrade(request: IncomingMessage, rest: Uint8Array): void {
    const head = this.canUpgrade(request) ? this.readHead(request) : notImplemented(); // early lines of Node 24 do not ask before
    if (head instanceof HttpError) {
      this.detached = true;
      return this.fail(head, headOf(request));
    }
    const { socket, hub } = this;
    // Put back, not deleted: a socket that lost a property is slow with every other one for as long as it lives.
    const { destroySoon } = Object.getPrototypeOf(socket) as Socket;
    socket.destroySoon = destroySoon;
    socket.off("close", this.onClose);
    const connection = new UpgradeConnection(socket, hub, head, rest);
    hub.add(connection);
    hub.remove(this);
    connection.start();
  }

  /** `node:http` gave the socket away for CONNECT: there is no response object, and nothing is parsed any more. */
  onConnect(request: IncomingMessage): void {
    this.detached = true;
    this.fail(notImplemented(), headOf(request));
  }

  /** What arrived cannot be parsed, or the socket failed. */
  onParseError(error: ParseError): void {
    if (this.lingering !== null) return this.boundLinger();
    // A client that leaves in the middle of a message wants no answer to it.
    if (error.code?.startsWith("HPE_") !== true || error.code === "HPE_INVALID_EOF_STATE") return this.cut();
    if (this.stopped && !this.undecided && !this.bodyArrives) return;
    const { rawPacket = new Uint8Array() } = error;
    const { limits } = this.options;
    const atStart = !this.undecided && this.watch.beginsMessage(rawPacket.byteLength);
    const verdict = this.undecided ? restOfMethod(rawPacket) : parseFailure(error, limits, atStart);
    const whole = atStart && this.last === null; // else messages in front are in these bytes
    if (verdict !== "undecided") {
      this.fail(verdict, whole ? readPartialHead(rawPacket, limits) : unreadableHead);
    } else {
      this.undecided = true;
      this.stopped = true;
    }
  }

  closesAfter(exchange: NodeExchange): boolean {
    const stops = (this.stopped && !this.undecided) || this.hub.draining;
    return exchange.next === null && this.failure === null && stops;
  }

  stop(): void {
    this.stopped = true;
  }

  isFirst(exchange: NodeExchange): boolean {
    return this.lone || this.first === exchange;
  }

  replySent(exchange: NodeExchange): void {
    if (exchange.end !== null) return; // the connection is lost
    if (!this.isFirst(exchange)) return this.cut(); // node:http answers in order, so this cannot be told from corruption
    this.end(exchange, "sent");
    if (this.lone) return this.settle();
    this.first = exchange.next;
    if (this.first === null) this.last = null;
    this.first?.startBody();
    this.advance();
    if (this.first === null) this.settle();
  }

  discardBody(message: IncomingMessage): void {
    this.unread = message;
    message.on("data", this.boundLinger);
    message.resume();
  }

  cut(): void {
    this.socket.destroy();
  }

  check(now: number): void {
    this.watch.look(now);
    this.bodyGraceEnded();
    if (this.lingering?.isLate(now) === true || this.writes.isStalled(now)) return this.cut();
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

  /** Serves those whose turn it is: an answer was flushed, or a body is here. */
  advance(): void {
    while (this.waiting !== null && this.waiting.ready && this.hasRoom()) {
      const exchange = this.waiting;
      this.waiting = exchange.next;
      this.serve(exchange);
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

  /** Says the last words on a connection without requests, and closes it. */
  fail(failure: HttpError, head: PartialHead): void {
    const { bodyArrives } = this;
    if (this.stopped && !this.undecided && !bodyArrives) return;
    this.undecided = false;
    this.stopped = true;
    if (bodyArrives) {
      // The message has, or had, its own answer: a second one would be taken for another request's.
      this.last?.failBody(failure);
      if (this.last === null) this.linger();
      return;
    }
    this.failure = { error: failure, head };
    if (this.first === null) this.settle();
  }

  /** Half-closes; then reads a bounded rest away, so that no reset destroys the answer before the client has read it. */
  linger(): void {
    if (this.lingering !== null) return;
    this.stopped = true;
    this.failure = null;
    if (this.detached) this.socket.on("data", this.boundLinger);
    this.lingering = new Linger(this.socket, this.hub.now);
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
    return this.heads.read(raw, (request as NodeRequest).cachedFields ?? undefined);
  }

  /** Serves a request that no other is in front of; most are over then, and were never in the list, which each one of them would have to be written to. */
  private serveLone(exchange: NodeExchange): void {
    this.lone = true;
    this.serve(exchange);
    this.lone = false;
    if (exchange.end === null) this.first = this.last = exchange;
  }

  private append(exchange: NodeExchange): void {
    if (this.last === null) this.first = exchange;
    else this.last.next = exchange;
    this.last = exchange;
    this.waiting ??= exchange;
    if (exchange.collect()) this.hub.bodyGrace.begin(this);
    this.advance();
  }

  /** Whether the last message is not in yet: what is wrong is then wrong with its body. */
  private get bodyArrives(): boolean {
    return this.last !== null ? !this.last.request.complete : this.unread?.complete === false;
  }

  private hasRoom(): boolean {
    return this.active < maxPipelined && !this.socket.writableNeedDrain;
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

  /** Nothing is under way any more: says what is left to say, or becomes idle. */
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
      if (socket.writable) socket.write(finalReply(reply, date));
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

  private readonly boundLinger = (): void => {
    if (this.lingering?.isTooLong() === true) this.pauseReading();
  };

  private checkHead(now: number): void {
    const found = this.watch.head(now);
    if (found === "slow") this.fail(slow(), unreadableHead);
    else if (found === "idle too long") this.cut();
  }

  /** Stops reading: also `node:http`, which resumes the socket after each message. */
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

  private readonly onClose = (): void => {
    this.stopped = true;
    this.waiting = null;
    for (let exchange = this.first; exchange !== null; exchange = exchange.next)
      this.end(exchange, "aborted");
    this.first = null;
    this.last = null;
    this.hub.remove(this);
  };
}

/** Why a message without an exchange is refused, and what is known of it. */
interface Failure {
  readonly error: HttpError;
  readonly head: PartialHead;
}

const headOf = ({ method, url, rawHeaders }: IncomingMessage): PartialHead => ({
  method: method ?? null,
  target: url ?? null,
  fields: rawHeaders,
});

const slow = (): HttpError => new HttpError(408, "The request took too long to arrive");

const ignore = (): void => {};

function stayPaused(this: Socket): Socket {
  return this;
}
