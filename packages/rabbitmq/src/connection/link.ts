import type { Logger } from "@framework/core";
import type { Clock } from "@framework/core/feature";
import { backoffMs, pause, untilAborted } from "@framework/messaging/adapter";
import type { ChannelModel } from "amqplib";
import type { RabbitMQConfig } from "../rabbitmq-config.ts";
import { amqplib } from "./amqplib.ts";
import { reasonOf, refusalOf, unavailable } from "./server-error.ts";

/** Dependencies of `Link`. */
export interface LinkParts {
  readonly config: RabbitMQConfig;
  /** Purpose of the connection, shown in the server's list of connections. */
  readonly purpose: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** Called after each successful connection. */
  readonly onOpened: () => void;
}

/** Uptime after which a lost connection resets the backoff. */
const STABLE_MS = 5000;
/** Maximum remaining backoff while a send is waiting. */
const MAX_SHORT_BACKOFF_MS = 1000;
/** Maximum number of channels awaiting close-ok before a reset; by default, the server allows 2047 channels. */
const MAX_CLOSING = 256;
/** Longest wait for the server's response to a close. */
const CLOSE_MS = 2000;

/** A connection to the server. Opened on first use, and again after it was lost. */
export class Link {
  private readonly parts: LinkParts;
  private readonly ending = new AbortController();
  private current: ChannelModel | null = null;
  private opening: Promise<ChannelModel> | null = null;
  private failures = 0;
  private lastReason: string | null = null;
  /** Number of channels awaiting close-ok. */
  private closing = 0;
  private wasRequested = false;
  private wasReset = false;
  /** The current backoff before an attempt; `null` if there is none. */
  private backoff: { readonly end: AbortController; isShort: boolean } | null = null;
  /** Destroys the socket of the current connection. */
  private socket = new AbortController();
  private blocked: { readonly reason: string; readonly end: PromiseWithResolvers<void> } | null = null;

  constructor(parts: LinkParts) {
    this.parts = parts;
  }

  /** The open connection; `null` if there is none. */
  get model(): ChannelModel | null {
    return this.current;
  }

  /** Whether the connection was ever requested. */
  get isUsed(): boolean {
    return this.wasRequested;
  }

  get isClosed(): boolean {
    return this.ending.signal.aborted;
  }

  /** Why there is no connection; `null` if there is one, and before the first attempt has ended. */
  get problem(): string | null {
    return this.current === null ? this.lastReason : null;
  }

  /** Why the server blocks publishers on this connection, such as a memory or disk alarm; `null` if it does not. */
  get blockedReason(): string | null {
    return this.blocked?.reason ?? null;
  }

  /** Resolves when the server no longer blocks publishers, or the connection has ended. */
  async whenUnblocked(): Promise<void> {
    await this.blocked?.end.promise;
  }

  /** Returns the connection; connects if there is none, after a backoff. Concurrent calls share an attempt. @throws RABBITMQ_UNAVAILABLE */
  async open(): Promise<ChannelModel> {
    if (this.ending.signal.aborted) throw unavailable("it was closed");
    this.wasRequested = true;
    if (this.current !== null) return this.current;
    this.opening ??= this.connect().finally(() => (this.opening = null));
    return await this.opening;
  }

  /** Like `open`, for work with a time limit: shortens the remaining backoff to at most 1 s. */
  async openSoon(): Promise<ChannelModel> {
    const opened = this.open();
    const { backoff } = this;
    if (backoff !== null && !backoff.isShort) {
      backoff.isShort = true;
      const cancel = this.parts.clock.after(Math.round(this.parts.random() * MAX_SHORT_BACKOFF_MS), () =>
        backoff.end.abort(),
      );
      backoff.end.signal.addEventListener("abort", cancel, { once: true });
    }
    return await opened;
  }

  /** Ends the current backoff. Called when another connection was opened. */
  skipBackoff(): void {
    this.backoff?.end.abort();
  }

  /** Counts a channel as closing until the server confirms its close; a leaderless queue delays that confirmation. */
  trackClosing(closed: Promise<unknown>): void {
    const { current: model } = this;
    this.closing++;
    void closed.then(() => {
      if (model === this.current) this.closing--;
    });
    if (this.closing > MAX_CLOSING) this.reset("the server does not close channels");
  }

  /** Destroys the connection: the server no longer responds, and buffered data must not be sent later. */
  reset(reason: string): void {
    if (this.current === null) return;
    this.parts.log.warn(`rabbitmq: the connection for ${this.parts.purpose} is replaced`, { reason });
    this.wasReset = true;
    this.socket.abort();
  }

  async close(): Promise<void> {
    this.ending.abort(unavailable("it was closed"));
    if (this.current === null) this.socket.abort(); // the server may not respond until the time limit of connecting
    await this.opening?.catch(() => {});
    const model = this.current;
    if (model === null) return;
    const limit = new AbortController();
    const cancel = this.parts.clock.after(CLOSE_MS, () => limit.abort());
    await untilAborted(model.close(), limit.signal).catch(() => this.socket.abort());
    cancel();
  }

  private async connect(): Promise<ChannelModel> {
    const { signal } = this.ending;
    if (this.failures > 0) await this.backOff();
    signal.throwIfAborted();
    try {
      const model = this.adopt(await this.dial());
      this.parts.onOpened();
      return model;
    } catch (error) {
      this.failures++;
      this.lastReason = refusalOf(error, this.parts.config.url);
      throw unavailable(this.lastReason, error);
    }
  }

  private async backOff(): Promise<void> {
    const { clock, random } = this.parts;
    const end = new AbortController();
    this.backoff = { end, isShort: false };
    await pause(clock, backoffMs(this.failures, random()), AbortSignal.any([this.ending.signal, end.signal]));
    this.backoff = null;
    end.abort();
  }

  private async dial(): Promise<ChannelModel> {
    const { config, purpose } = this.parts;
    const url = new URL(config.url);
    if (!url.searchParams.has("heartbeat")) url.searchParams.set("heartbeat", String(config.heartbeatSecs));
    this.socket = new AbortController();
    const options = {
      noDelay: true,
      timeout: config.connectionTimeoutMs,
      clientProperties: { connection_name: `framework ${purpose}` },
      signal: this.socket.signal, // an option of Node's sockets that amqplib passes on
      ...(config.ca === undefined ? {} : { ca: config.ca }),
      ...credentialsIn(url),
    };
    return await amqplib().connect(url.href, options);
  }

  private adopt(model: ChannelModel): ChannelModel {
    const { clock, log, purpose } = this.parts;
    const from = clock.now();
    this.current = model;
    this.wasReset = false;
    this.closing = 0;
    let reason = "the server closed it";
    model.on("error", (error: Error) => (reason = reasonOf(error)));
    model.on("blocked", (why: string) => {
      this.blocked ??= { reason: why, end: Promise.withResolvers() };
      log.warn("rabbitmq: the server blocks publishers", { reason: why });
    });
    model.on("unblocked", () => this.unblock());
    model.on("close", () => {
      this.current = null;
      this.lastReason = reason;
      this.unblock();
      if (clock.now() - from >= STABLE_MS) this.failures = 0;
      if (!this.wasReset) this.failures++; // a reset does not count as a failure
      if (!this.ending.signal.aborted)
        log.warn(`rabbitmq: the connection for ${purpose} was lost`, { reason });
    });
    return model;
  }

  private unblock(): void {
    this.blocked?.end.resolve();
    this.blocked = null;
  }
}

/**
 * Returns the credentials of an address as a socket option, because amqplib would decode escaped bytes as Latin-1, not as UTF-8; `{}` for invalid UTF-8, which
 * amqplib decodes.
 */
const credentialsIn = ({ username, password }: URL): object => {
  if (username === "" && password === "") return {}; // the default user
  try {
    const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
    return { credentials: amqplib().credentials.plain(user, secret) };
  } catch {
    return {};
  }
};
