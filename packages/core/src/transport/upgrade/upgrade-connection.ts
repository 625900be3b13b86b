import type { ConnectionHub, OpenConnection } from "../hub/connection-hub.ts";
import { logUnwritableReply } from "../wire/exchange.ts";
import type { FastExchange, FastExchangeConnection } from "../fast/fast-exchange.ts";
import { FastPipeline } from "../fast/fast-pipeline.ts";
import { type FastReplyConnection, FastReplyWriter } from "../fast/fast-reply-writer.ts";
import { ReplyHeads } from "../fast/reply-heads.ts";
import { Linger } from "../hub/linger.ts";
import type { Socket } from "../../exchange/socket.ts";
import { withoutConnectionFields } from "../wire/reply-head.ts";
import type { RequestHead } from "../wire/request-head.ts";
import type { TransportOptions } from "../../exchange/transport.ts";
import type { UpgradeHandler } from "../../exchange/upgrade.ts";
import { UpgradedReading } from "./upgraded-reading.ts";
import { UpgradeExchange } from "./upgrade-exchange.ts";
import { resetSocket } from "../hub/reset-socket.ts";
import { HalfCloseWatch } from "../hub/half-close-watch.ts";
import { WriteWatch } from "../hub/write-watch.ts";

/** Number of bytes after the request at which reading pauses while the app decides; only reading detects a disconnect. */
const MAX_EARLY = 65_536;

/**
 * A connection with an Upgrade request, detached from any parser. Either the request gets an HTTP reply and the connection closes, or the app accepts the
 * upgrade and the new protocol takes the socket. An upgraded connection still counts as open, is notified of a drain, and is cut at the deadline of the drain.
 */
export class UpgradeConnection implements OpenConnection, FastExchangeConnection, FastReplyConnection {
  /** Always false: the request is in progress, or the connection is closing or upgraded. */
  readonly idle = false;
  readonly used = true;
  readonly hub: ConnectionHub;
  readonly replyHeads: ReplyHeads = new ReplyHeads();
  private readonly socket: Socket;
  private readonly exchange: UpgradeExchange;
  private readonly pipeline: FastPipeline;
  private readonly replies: FastReplyWriter;
  private readonly writes: WriteWatch;
  private readonly early: Uint8Array[];
  private earlyBytes: number;
  private lingering: Linger | null = null;
  /** Set when the client has half-closed. */
  private halfClose: HalfCloseWatch | null = null;
  /** Aborted at a drain; set when the connection is upgraded. */
  private upgraded: AbortController | null = null;

  /** @param rest bytes after the head that have already been read */
  constructor(socket: Socket, hub: ConnectionHub, head: RequestHead, rest: Uint8Array) {
    this.socket = socket;
    this.hub = hub;
    this.exchange = new UpgradeExchange(this, head);
    this.pipeline = new FastPipeline(hub);
    this.replies = new FastReplyWriter(socket, this);
    this.writes = new WriteWatch(socket, hub.options.timeouts.writeSecs);
    this.early = [rest];
    this.earlyBytes = rest.byteLength;
    socket.on("readable", this.onReadable);
    socket.on("end", this.onEnd);
    socket.on("drain", this.onDrain);
    socket.on("error", ignore); // a socket that fails also closes
    socket.on("close", this.onClose);
  }

  get options(): TransportOptions {
    return this.hub.options;
  }

  get remoteAddress(): string | null {
    return this.socket.remoteAddress ?? null;
  }

  /** Passes the request to the app. */
  start(): void {
    this.hub.inFlight++;
    this.pipeline.append(this.exchange);
    this.exchange.start();
    this.onReplyReady();
  }

  cut(): void {
    this.socket.destroy();
  }

  check(now: number): void {
    if (this.upgraded !== null) return;
    if (this.lingering?.isLate(now) === true || this.halfClose?.checkIdle(now) === true) this.cut();
    else if (this.writes.checkTooSlow(now)) resetSocket(this.socket);
  }

  drain(): void {
    this.upgraded?.abort();
  }

  onReplyReady(): void {
    const { exchange } = this;
    if (!exchange.ready || this.pipeline.unsent !== exchange) return;
    const begin = exchange.accepted;
    if (begin !== null) return this.beginUpgraded(begin);
    this.replies.write(exchange);
    this.proceed();
  }

  inform(exchange: FastExchange, text: string): boolean {
    const { unsent } = this.pipeline; // `null` after the reply
    if ((unsent !== null && unsent !== exchange) || this.socket.writableNeedDrain || !this.socket.writable)
      return false;
    this.replies.inform(text);
    return true;
  }

  closesAfter(): boolean {
    return true;
  }

  closeAfter(exchange: FastExchange): void {
    exchange.last = true;
  }

  onReplyWritten(exchange: FastExchange): void {
    this.pipeline.markWritten(exchange);
  }

  proceed(): void {
    if (this.replies.flush(this.pipeline)) this.onRepliesSent(null);
  }

  onRepliesSent(exchange: FastExchange | null): void {
    if (!this.pipeline.finishBefore(exchange)) return;
    this.lingering = new Linger(this.socket, this.hub.now);
    this.socket.off("readable", this.onReadable);
    this.socket.on("data", this.limitLinger);
  }

  private beginUpgraded(begin: UpgradeHandler): void {
    const { socket, exchange, hub } = this;
    const fields = withoutConnectionFields(exchange.reply?.fields() ?? []);
    socket.off("readable", this.onReadable);
    socket.off("end", this.onEnd);
    socket.off("drain", this.onDrain);
    socket.allowHalfOpen = false; // the default of sockets from a server of node:net
    this.upgraded = new AbortController();
    if (hub.draining) this.upgraded.abort();
    this.pipeline.markWritten(exchange);
    try {
      void new UpgradedReading(socket, hub.batch);
      begin({ socket, head: Buffer.concat(this.early), fields, draining: this.upgraded.signal });
    } catch (error) {
      logUnwritableReply(exchange, error);
      this.cut();
      this.abort(); // no 101 was sent
    }
    this.early.length = 0;
    this.pipeline.finishBefore(null);
  }

  /** Reads while the app decides, because only reading detects a disconnect. */
  private readonly onReadable = (): void => {
    while (this.earlyBytes < MAX_EARLY) {
      const chunk = this.socket.read() as Buffer | null;
      if (chunk === null) return;
      this.early.push(chunk);
      this.earlyBytes += chunk.byteLength;
    }
  };

  private readonly limitLinger = (): void => {
    if (this.lingering?.isTooLong() === true) this.socket.pause();
  };

  private readonly onDrain = (): void => {
    this.replies.drain();
  };

  /** A client that half-closes abandons its unanswered request; a reply is still sent. */
  private readonly onEnd = (): void => {
    if (this.lingering !== null) return;
    if (this.exchange.ready) this.halfClose = new HalfCloseWatch(this.socket);
    else {
      this.socket.end();
      this.abort();
    }
  };

  private readonly onClose = (): void => {
    if (this.pipeline.first !== null) this.abort();
    this.hub.remove(this);
  };

  private abort(): void {
    this.replies.stop();
    this.pipeline.abortFrom(this.exchange);
  }
}

const ignore = (): void => {};
