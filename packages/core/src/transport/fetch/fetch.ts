import { describeValue } from "../../config/wrong-value.ts";
import { FrameworkError } from "../../errors/framework-error.ts";
import { HttpError } from "../../errors/http-error.ts";
import { fieldValue } from "../../http/field-values.ts";
import type { Awaitable } from "../../middleware/middleware.ts";
import type { OpenCall, OpenCalls } from "../../lifecycle/open-calls.ts";
import type { Logger } from "../../log/logger.ts";
import { EndlessBody } from "../../response/endless-body.ts";
import { onBodyEnd } from "../../response/body-end.ts";
import { BodyStream } from "../../exchange/payload.ts";
import type { Response } from "../../response/response.ts";
import { toWebResponse } from "../../response/web-response.ts";
import { type DescribedRequest, exchangeFields } from "../../exchange/request-fields.ts";
import type { ExchangeEnd, RequestSource } from "../../exchange/request-source.ts";
import { type EndListener, notify } from "../wire/exchange.ts";
import { lengthToSend } from "../wire/reply-head.ts";

type Serve = (source: RequestSource) => Awaitable<Response>;

/** Dependencies of `serveWebRequest`. */
interface WebHost {
  /** Counts the calls in progress. */
  readonly calls: OpenCalls;
  /** Its logger receives the errors of listeners, and of replies that cannot be sent. */
  readonly settings: { readonly log: Logger };
  /** Creates the reply that is sent instead of one that cannot be sent. */
  replyWithoutRequest(error: HttpError): Response;
}

/** Serves a web request by a compiled app, as a transport without a socket. @throws CORE_BAD_ARGUMENT for another value; the error of `serve` */
export const serveWebRequest = async (
  serve: Serve,
  request: globalThis.Request,
  host: WebHost,
): Promise<globalThis.Response> => {
  assertRequest(request);
  const exchange = new WebExchange(request, host);
  try {
    const response = await serve(exchange);
    return exchange.reply(response.status === 101 ? exchange.replaceSwitching(host) : response);
  } catch (error) {
    exchange.cut();
    throw error;
  }
};

/** Checks the argument of `fetch`. Accepts requests of other realms and libraries. @throws CORE_BAD_ARGUMENT */
const assertRequest = (request: unknown): void => {
  if (request instanceof Request) return; // avoids the getter of `url`, which creates a new string on each call
  const { url, headers } = Object(request) as { readonly url?: unknown; readonly headers?: unknown };
  if (typeof url === "string" && typeof headers === "object") return;
  throw new FrameworkError(
    "CORE_BAD_ARGUMENT",
    `fetch takes a Request, such as new Request("http://localhost/"), not ${describeValue(request)}`,
  );
};

/** The exchange of one web request; ends with its web response. */
class WebExchange implements RequestSource, OpenCall {
  readonly method: string;
  readonly target: string;
  readonly scheme: "http" | "https";
  readonly authority: string;
  readonly remoteAddress = null;
  described: DescribedRequest | null = null;
  readonly fields: readonly string[];
  readonly bodyLength: number | null;
  readonly buffered = null;
  private readonly request: globalThis.Request;
  private readonly calls: OpenCalls;
  private readonly log: Logger;
  private ended: ExchangeEnd | undefined;
  private listeners: EndListener[] = [];

  constructor(request: globalThis.Request, { calls, settings }: WebHost) {
    const { protocol, host, pathname, search } = new URL(request.url);
    this.request = request;
    this.calls = calls;
    this.log = settings.log;
    this.method = request.method;
    this.target = pathname + search;
    this.scheme = protocol === "https:" ? "https" : "http";
    this.authority = host;
    this.fields = [...request.headers].flat();
    this.bodyLength = request.body === null ? 0 : declaredLength(request.headers.get("content-length"));
    const signal = request.signal as AbortSignal | null | undefined; // requests of some libraries have none
    if (signal?.aborted === true) this.end("aborted");
    else signal?.addEventListener("abort", () => this.end("aborted"), { once: true });
    if (this.ended === undefined) calls.add(this); // last: a constructor that threw would leave an open call, for which a stop waits
  }

  field(name: string): string | null {
    return fieldValue(this.fields, name);
  }

  chunks(): AsyncIterable<Uint8Array> {
    return this.request.body ?? nothing();
  }

  onEnd(listener: EndListener): void {
    if (this.ended === undefined) this.listeners.push(listener);
    else notify(listener, this.ended, this, this.log);
  }

  /** Converts the reply to a web `Response`. The exchange ends when its streamed body was read or cancelled; without a streamed body, in the next microtask. */
  reply(response: Response): globalThis.Response {
    const { payload, status } = response;
    const isReset = status === 205;
    const length = isReset ? 0 : lengthToSend(this.method, response);
    const isBodiless = isReset || status === 0 || status === 204 || status === 304;
    const sendsStream = payload instanceof BodyStream && this.method !== "HEAD" && !isBodiless;
    if (sendsStream)
      response.payload = onBodyEnd(payload, ({ how }) => this.end(how === "complete" ? "sent" : "aborted"));
    else queueMicrotask(() => this.end("sent"));
    if (this.method === "HEAD" || isBodiless) {
      if (payload instanceof BodyStream) payload.cancel().catch(() => {}); // the reply has no body: an error of its source is irrelevant
      response.payload = null;
    }
    if (sendsStream) this.calls.remove(this); // otherwise a body that is never read would delay a stop until its deadline
    const isEndless = payload instanceof EndlessBody; // the drain ends it even if it is not read
    const reply = toWebResponse(response, () => {
      if (!isEndless && this.ended === undefined) this.calls.add(this);
    });
    // Set after the app's own lines, as on the other transports.
    if (length !== null && (isReset || !isBodiless)) reply.headers.set("content-length", String(length));
    return reply;
  }

  /** Logs that the app replied with 101 and returns a 500: a web request offers no upgrade, and a web `Response` cannot have this status. */
  replaceSwitching(host: WebHost): Response {
    const error = new FrameworkError("CORE_BAD_REPLY", "101 is not a final status: use 200 to 599");
    this.log.error("a reply could not be written", { ...exchangeFields(this), error });
    return host.replyWithoutRequest(new HttpError(500, "The server failed"));
  }

  cut(): void {
    this.end("aborted");
  }

  private end(end: ExchangeEnd): void {
    if (this.ended !== undefined) return;
    this.ended = end;
    this.calls.remove(this);
    const { listeners } = this;
    this.listeners = [];
    for (const listener of listeners) notify(listener, end, this, this.log);
  }
}

const declaredLength = (value: string | null): number | null =>
  value !== null && /^\d{1,15}$/.test(value) ? Number(value) : null;

async function* nothing(): AsyncGenerator<Uint8Array> {}
