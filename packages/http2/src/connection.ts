// More than 250 lines, because the streams, deadlines and end of a connection share one state.
import type { ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import {
  type BodyGraceListener,
  type OpenConnection,
  type ProtocolHost,
  type Socket,
  throttledLog,
  type TransportOptions,
  WriteWatch,
} from "@framework/core/feature";
import { BlockWatch } from "./block-watch.ts";
import { Http2Exchange, type Http2ExchangeHost } from "./exchange.ts";
import { endQuickly, listenToBody, listenToEnd } from "./stream-events.ts";
import { FloodWatch } from "./flood-watch.ts";
import type { Http2Config } from "./http2-config.ts";
import { QuietWatch } from "./quiet-watch.ts";
import type { ReplyFields } from "./reply-fields.ts";
import { RequestHeads } from "./request-heads.ts";
import type { RespondTo } from "./respond.ts";
import type { CloseReason, Http2Totals } from "./totals.ts";

/** State that the connections of one transport share. */
export interface SharedState {
  readonly host: ProtocolHost;
  readonly config: Http2Config;
  readonly totals: Http2Totals;
  readonly replyFields: ReplyFields;
  readonly respond: RespondTo;
}

const END_STREAM = 1;
const REFUSED_STREAM = 7;
const ENHANCE_YOUR_CALM = 11;
/** Milliseconds for a client to close a connection after its last reply and GOAWAY. */
const LINGER_MS = 2000;
/** Maximum number of running handlers of a connection, as a multiple of its streams: handlers of requests that the client resets keep running. */
const HANDLERS_PER_STREAM = 2;

const logThrottled = throttledLog();

/** One HTTP/2 connection, which owns its streams and enforces its limits. */
export class Http2Connection implements OpenConnection, Http2ExchangeHost {
  readonly options: TransportOptions;
  readonly replyFields: ReplyFields;
  readonly respond: RespondTo;
  private readonly session: ServerHttp2Session;
  private readonly socket: Socket;
  private readonly shared: SharedState;
  private readonly heads: RequestHeads;
  private readonly exchanges = new Set<Http2Exchange>();
  private readonly floods: FloodWatch;
  private readonly quiet: QuietWatch;
  private readonly writes: WriteWatch;
  private readonly blocks: BlockWatch;
  private readonly address: string | null;
  /** Number of running handlers, including handlers of closed streams. */
  private handlers = 0;
  private requests = 0;
  private isReady = false;
  private isFinishing = false;
  private isCloseCounted = false;
  private readonly openedAt: number;
  private lastCheck: number;
  private idleSince: number;
  private flushedByClosed = 0;

  constructor(session: ServerHttp2Session, socket: Socket, shared: SharedState) {
    const { host, config, totals } = shared;
    this.session = session;
    this.socket = socket;
    this.shared = shared;
    this.options = host.options;
    this.replyFields = shared.replyFields;
    this.respond = shared.respond;
    this.address = socket.remoteAddress ?? null;
    this.heads = new RequestHeads(host.options.limits);
    this.floods = new FloodWatch(config, socket);
    this.quiet = new QuietWatch(config, socket);
    const { writeSecs } = host.options.timeouts;
    this.writes = new WriteWatch(this.writeCounters(), writeSecs);
    this.blocks = new BlockWatch(socket, writeSecs);
    this.openedAt = host.now;
    this.lastCheck = host.now;
    this.idleSince = host.now;
    totals.connections++;
    session.on("stream", this.onStream);
    session.on("ping", this.onControlFrame);
    session.on("remoteSettings", this.onSettings);
    session.on("error", this.onError);
    session.on("close", this.onClose);
    if (host.draining) this.drain();
  }

  get date(): string {
    return this.shared.host.date;
  }

  get remoteAddress(): string | null {
    return this.address;
  }

  get idle(): boolean {
    return this.exchanges.size === 0 && !this.isFinishing;
  }

  get used(): boolean {
    return this.requests > 0;
  }

  check(now: number): void {
    const elapsed = now - this.lastCheck;
    this.lastCheck = now;
    const { idleSecs, readHeaderSecs } = this.options.timeouts;
    if (this.floods.tick(elapsed)) return this.endFlooding("bytes");
    if (this.blocks.checkBlocked(now)) return this.end("slow");
    if (!this.isReady && now - this.openedAt >= readHeaderSecs * 1000) return this.end("slow");
    if (this.exchanges.size > 0) return this.checkStreams(now, elapsed);
    if (this.isFinishing) {
      if (now - this.idleSince >= LINGER_MS) this.cut();
    } else if (now - this.idleSince >= idleSecs * 1000) this.finish("idle");
  }

  cut(): void {
    this.session.destroy();
    this.socket.destroy();
  }

  /**
   * Keeps serving requests in transit for `drainIdleMs` (1000 by default), then sends GOAWAY with the last stream id. nghttp2 reads no requests after a GOAWAY.
   */
  drain(): void {
    const { host } = this.shared;
    host.after(host.options.drainIdleMs ?? 1000, () => this.finish("drain"));
  }

  bodyArrived(bytes: number): void {
    this.floods.addUseful(bytes);
  }

  bodyCut(rest: number | null): void {
    const { streamWindowBytes } = this.shared.config;
    this.floods.addClosedStreamBytes(rest === null ? streamWindowBytes : Math.min(rest, streamWindowBytes));
  }

  handlerBegan(): void {
    this.handlers++;
    this.shared.host.inFlight++;
  }

  handlerEnded(): void {
    this.handlers--;
  }

  streamClosed(exchange: Http2Exchange): void {
    this.exchanges.delete(exchange);
    this.flushedByClosed += exchange.bytesWritten;
    this.shared.totals.streams--;
    if (exchange.wasServed) this.shared.host.inFlight--;
    if (this.exchanges.size === 0) this.idleSince = this.shared.host.now;
  }

  finishByReply(): void {
    this.finish("drain");
  }

  awaitBody(exchange: BodyGraceListener): void {
    this.shared.host.bodyGrace.begin(exchange);
  }

  private readonly onStream = (
    stream: ServerHttp2Stream,
    _headers: unknown,
    flags: number,
    raw: readonly string[],
  ): void => {
    if (stream.destroyed) {
      stream.on("error", ignore);
      return;
    }
    const { config, totals } = this.shared;
    const hasNoBody = (flags & END_STREAM) !== 0;
    if (this.handlers >= HANDLERS_PER_STREAM * config.maxConcurrentStreams) {
      totals.refusedStreams++;
      if (!hasNoBody) this.bodyCut(null);
      stream.on("error", ignore);
      return stream.close(REFUSED_STREAM);
    }
    if (hasNoBody) endQuickly(stream);
    const head = this.heads.read(raw, hasNoBody);
    this.floods.addUseful(head.size);
    totals.streams++;
    const exchange = new Http2Exchange(this, stream, head);
    listenToEnd(stream, exchange);
    if (!hasNoBody) listenToBody(stream, exchange);
    this.exchanges.add(exchange);
    exchange.begin();
    if (++this.requests === this.options.limits.maxRequestsPerConnection) this.finish("requests");
  };

  private readonly onSettings = (): void => {
    this.isReady = true;
    this.onControlFrame();
  };

  private readonly onControlFrame = (): void => {
    if (this.floods.addControlFrame()) this.endFlooding("frames");
  };

  private checkStreams(now: number, elapsed: number): void {
    if (this.quiet.checkSilent(elapsed, this.session)) return this.end("silent");
    let waiting = 0;
    for (const { writableLength } of this.exchanges) if (writableLength > 0) waiting++;
    const isSlow = this.writes.checkTooSlow(now);
    for (const exchange of this.exchanges) {
      exchange.check(elapsed);
      const hasWaited = exchange.checkWaiting(now); // a new reply is not the cause of a slow connection
      if (exchange.checkStalled(elapsed, waiting) || (isSlow && hasWaited)) {
        exchange.reset();
        this.blocks.addReset();
      }
    }
  }

  /** Ends the connection of a client that sends too many overhead bytes or control frames. */
  private endFlooding(kind: "bytes" | "frames"): void {
    if (this.session.destroyed) return;
    logThrottled((omitted) =>
      this.options.log.warn("an HTTP/2 connection was closed: too many overhead bytes or control frames", {
        what: kind,
        remoteAddress: this.address,
        omitted,
      }),
    );
    this.countClose("flood");
    this.session.destroy(new Error("too many overhead bytes or control frames"), ENHANCE_YOUR_CALM);
  }

  private end(reason: CloseReason): void {
    this.countClose(reason);
    this.cut();
  }

  /** Counts the end of the connection once, with the first reason. */
  private countClose(reason: CloseReason): void {
    if (this.isCloseCounted) return;
    this.isCloseCounted = true;
    this.shared.totals.countClose(reason);
  }

  /** Accepts no more requests, and closes after the last reply. */
  private finish(reason: CloseReason): void {
    if (this.isFinishing || this.session.destroyed) return;
    this.isFinishing = true;
    this.idleSince = this.shared.host.now;
    this.countClose(reason);
    this.session.close();
  }

  private readonly onError = (): void => this.countClose("error");

  private readonly onClose = (): void => {
    this.shared.totals.connections--;
    this.shared.host.remove(this);
    this.socket.destroy();
  };

  private writeCounters() {
    const { exchanges } = this;
    const written = (): number => this.flushedByClosed;
    return {
      get writableLength() {
        let waiting = 0;
        for (const { writableLength } of exchanges) waiting += writableLength;
        return waiting;
      },
      get bytesWritten() {
        let bytes = written();
        for (const { bytesWritten } of exchanges) bytes += bytesWritten;
        return bytes;
      },
    };
  }
}

/** A stream error needs no handling: the stream closes after it. */
const ignore = (): void => {};
