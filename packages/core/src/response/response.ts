// More than 250 lines, because the web's class and the factories are one class for the program; most members are short.
import type { Key } from "../invocation/key.ts";
import { FrameworkError } from "../errors/framework-error.ts";
import { reasonPhrase } from "../http/reason-phrase.ts";
import { badBody, type StreamSource, toBodyStream, toChunks } from "./byte-stream.ts";
import { EndlessBody } from "./endless-body.ts";
import { headerValue } from "./header-rules.ts";
import {
  downloadedFile,
  type DownloadOptions,
  type FileOptions,
  type FileReply,
  type RangeRequest,
  rangesOfFile,
  wholeFile,
} from "./file-reply.ts";
import { toJsonText } from "./json/json-text.ts";
import { BodyStream, type Payload, payloadLength } from "../exchange/payload.ts";
import { markHandled } from "../middleware/mark-handled.ts";
import { markStreamHandled } from "../middleware/mark-body-handled.ts";
import type { Awaitable } from "../middleware/middleware.ts";
import { payloadBytes, toReadableStream } from "./readable-stream.ts";
import { redirectTarget } from "./redirect-target.ts";
import { BINARY_TYPE, type ResponseBody, typedPayload } from "./response-body.ts";
import { ResponseHeaders } from "./response-headers.ts";
import {
  checkedOptions,
  checkedStatus,
  type JsonReplyOptions,
  type ProblemDetails,
  type RedirectOptions,
  redirectStatus,
  type ResponseOptions,
  type SseReplyOptions,
  type StreamReplyOptions,
  type XmlReplyOptions,
} from "./response-options.ts";
import { type CookieOptions, deleteCookieLine, setCookieLine } from "./set-cookie.ts";
import { type EventInspection, eventStream, type EventSource } from "./sse.ts";
import { toXmlText } from "./xml-text.ts";

const JSON_TYPE = "application/json";
const TEXT_TYPE = "text/plain; charset=utf-8";
const noFields: readonly string[] = Object.freeze([]);
const jsonFields: readonly string[] = Object.freeze(["content-type", JSON_TYPE]);
const textFields: readonly string[] = Object.freeze(["content-type", TEXT_TYPE]);
const MAX_COOKIES = 64;

/**
 * Returns and releases the data of a JSON reply, or the function that sets the inspection of an event stream; `undefined` for other bodies, and on further
 * calls.
 */
export let takeSource: (reply: Response) => unknown;

/**
 * Returns a reply that features may change: a copy of a `Response` that the program created, because the program may return the same object to another client.
 * Copies, and replies marked with `markOwn`, are returned themselves.
 */
export let ownReply: (reply: Response) => Response;

/** Marks a reply that only the framework holds: `ownReply` returns it without a copy. */
export let markOwn: (reply: Response) => Response;

/** The web stream of a body, and whether the body was read. */
interface Reading {
  readonly of: Payload;
  stream: ReadableStream<Uint8Array<ArrayBuffer>> | null;
  used: boolean;
}

/**
 * A reply: the web's `Response` with factories, settable status and cookies.
 *
 * A body can be read once (`text()`, `json()` …). Text and bytes stay in memory and can be sent even after that; a stream can be either sent or read. The
 * object for `headers` is created on first access. A reply that a program returns is copied, so one object can be returned for many requests, unless its
 * body is a stream.
 *
 * @throws CORE_BAD_STATUS, CORE_BAD_HEADER, CORE_BAD_BODY, CORE_BODY_USED, CORE_BAD_ARGUMENT
 */
export class Response {
  /** Body for transports and middleware: a string, bytes, a `BodyStream` or `null`. Code that replaces a stream must call its `cancel`. */
  payload: Payload = null;
  private code = 200;
  /** `content-type` while `container` does not exist. */
  private mediaType: string | null = null;
  private container: ResponseHeaders | null = null;
  private reading: Reading | null = null;
  private annotations: Map<Key<unknown>, unknown> | null = null;
  /** The data of `json`, which the kernel checks for content that JSON loses; for `sse`, a function that sets the inspection of its events. */
  private source: unknown = undefined;
  /** Whether the reply belongs to one request, so features may change it. */
  private isOwn = false;

  static {
    ownReply = (reply) => (reply.isOwn ? reply : markOwn(reply.copy()));
    markOwn = (reply) => {
      reply.isOwn = true;
      return reply;
    };
    takeSource = (reply) => {
      const { source } = reply;
      reply.source = undefined;
      return source;
    };
  }

  constructor(body?: ResponseBody | null, options?: ResponseOptions) {
    if (typeof body === "string") {
      this.payload = body;
      this.mediaType = TEXT_TYPE;
    } else if (body !== undefined && body !== null) {
      const { payload, mediaType } = typedPayload(body);
      this.payload = payload;
      this.mediaType = mediaType;
    }
    if (options !== undefined) this.applyOptions(options);
  }

  /** JSON. @throws CORE_BAD_REPLY with the path of a value that JSON cannot express */
  static json(data: unknown, options?: JsonReplyOptions): Response {
    const response = Response.of(toJsonText(data, options), JSON_TYPE, options);
    response.source = data;
    return response;
  }

  /** A text reply, `text/plain` in UTF-8. @throws CORE_BAD_BODY for a value that is not a string */
  static text(text: string, options?: ResponseOptions): Response {
    if (typeof text !== "string") throw badBody(text, "text");
    return Response.of(text, TEXT_TYPE, options);
  }

  /** An HTML reply, in UTF-8. @throws CORE_BAD_BODY for a value that is not a string */
  static html(html: string, options?: ResponseOptions): Response {
    if (typeof html !== "string") throw badBody(html, "text");
    return Response.of(html, "text/html; charset=utf-8", options);
  }

  /** An XML document; see `XmlReplyOptions`. @throws CORE_BAD_REPLY for a cycle, nesting deeper than 500, or a promise */
  static xml(data: unknown, options: XmlReplyOptions = {}): Response {
    return Response.of(toXmlText(data, options.rootName), "application/xml; charset=utf-8", options);
  }

  /** Bytes, by default as `application/octet-stream`. */
  static binary(data: ArrayBuffer | ArrayBufferView, options?: ResponseOptions): Response {
    return new Response(data, options);
  }

  /** A streamed body, which is pulled while it is sent, by default as `application/octet-stream`. */
  static stream(source: StreamSource, options?: StreamReplyOptions): Response {
    const body = options?.untilDrain === true ? new EndlessBody(toChunks(source)) : toBodyStream(source);
    return Response.of(body, BINARY_TYPE, options);
  }

  /** Server-sent events (HTML Standard 9.2), one chunk each; comments keep an inactive connection alive, and by default a drain ends the stream. */
  static sse(events: EventSource, options: SseReplyOptions = {}): Response {
    const inspection: EventInspection = { inspect: null };
    const body = eventStream(events, options, inspection);
    const response = Response.of(body, "text/event-stream; charset=utf-8", options);
    response.source = (inspect: EventInspection["inspect"]) => void (inspection.inspect = inspect);
    const { headers } = response;
    if (!headers.has("cache-control")) headers.set("cache-control", "no-cache");
    headers.set("x-accel-buffering", "no");
    return response;
  }

  /**
   * A file as a download, with its entity tag and `Last-Modified`.
   *
   * @throws NotFoundError when there is no regular file; CORE_BAD_HEADER for an invalid `contentType`; CORE_BAD_ARGUMENT for options that are not an object;
   * CORE_NEEDS_NODE
   */
  static file(path: string | URL, options?: DownloadOptions): Promise<Response> {
    return markHandled(downloadedFile(path, options).then(Response.ofFile));
  }

  /** A file to display, with its entity tag and `Last-Modified`. @throws the errors of `file` */
  static sendFile(path: string | URL, options?: FileOptions): Promise<Response> {
    return markHandled(wholeFile(path, options).then(Response.ofFile));
  }

  /**
   * The parts of a file that a request's `Range` selects: 206, or 200 with the complete file if `Range` is absent or invalid. The request's conditions are also
   * evaluated (RFC 9110 13): 304 if the client has the file, the complete file if `If-Range` does not match.
   *
   * @param request the request, or its `Range` alone, for a file without conditions
   * @throws HttpError 412 when a condition of the request fails, 416 when none of the parts exists; the errors of `file`
   */
  static fileRange(path: string | URL, request: RangeRequest, options?: FileOptions): Promise<Response> {
    return markHandled(rangesOfFile(path, request, options).then(Response.ofFile));
  }

  /**
   * A redirect, by default 302. Pass `sameOrigin: true` for a target that comes from a client.
   *
   * @throws ValueError (400, CORE_BAD_REDIRECT) for control characters, `javascript:` and similar schemes, and another origin with `sameOrigin`;
   * CORE_BAD_STATUS for a status that is not a redirect; CORE_BAD_ARGUMENT for a target that is neither a string nor a URL, and for
   * options that are neither an object nor a status
   */
  static redirect(url: string | URL, options: RedirectOptions | number = {}): Response {
    const given = typeof options === "number" ? { status: options } : checkedOptions(options);
    const response = new Response(null, { status: redirectStatus(given) });
    response.setHeader("location", redirectTarget(url, given));
    return response;
  }

  /** 204 without a body. */
  static noContent(): Response {
    const response = new Response();
    response.code = 204;
    return response;
  }

  /** 201 with JSON and the location of the new resource. @throws the errors of `json`, and CORE_BAD_REDIRECT of `redirect` */
  static created(data: unknown, location?: string | URL, options: JsonReplyOptions = {}): Response {
    const response = Response.json(data, { ...checkedOptions(options), status: options.status ?? 201 });
    if (location !== undefined) response.setHeader("location", redirectTarget(location));
    return response;
  }

  /** A problem document (RFC 9457). */
  static problem({ type = "about:blank", title, status = 500, ...rest }: ProblemDetails): Response {
    const body = { type, title: title ?? reasonPhrase(status), status, ...rest };
    const response = Response.of(toJsonText(body), "application/problem+json", { status });
    response.source = body;
    return response;
  }

  /** 101: the reply of `request.upgrade.accept`; it cannot be sent without that call. */
  static switchingProtocols(): Response {
    const response = new Response();
    response.code = 101;
    return response;
  }

  /** The web's network error, status 0; it cannot be sent. */
  static error(): Response {
    const response = new Response();
    response.code = 0;
    return response;
  }

  private static of(payload: Payload, mediaType: string, options?: ResponseOptions): Response {
    const response = new Response();
    response.payload = payload;
    response.mediaType = mediaType;
    if (options !== undefined) response.applyOptions(options);
    return response;
  }

  private static ofFile({ payload, contentType, status, headers }: FileReply): Response {
    if (contentType === null) return new Response(payload, { status, headers });
    return Response.of(payload, contentType, { status, headers });
  }

  /** The status. */
  get status(): number {
    return this.code;
  }

  set status(status: number) {
    this.code = checkedStatus(status);
  }

  get [Symbol.toStringTag](): string {
    return "Response";
  }

  /** Whether the status is from 200 to 299. */
  get ok(): boolean {
    return this.code >= 200 && this.code <= 299;
  }

  /** The reason phrase of the status. */
  get statusText(): string {
    return this.code === 0 ? "" : reasonPhrase(this.code);
  }

  /** The header fields; changes are sent. */
  get headers(): ResponseHeaders {
    if (this.container === null) {
      this.container = new ResponseHeaders();
      if (this.mediaType !== null) this.container.set("content-type", this.mediaType);
    }
    return this.container;
  }

  /**
   * Every line for transports: name, value, name, value … with `content-type`, without creating `headers`. The caller must not change the list.
   *
   * JSON and text replies without other fields share frozen lists, so that a transport can recognise them; see `Reply.fields`.
   */
  fields(): readonly string[] {
    if (this.container !== null) return this.container.toFields();
    const { mediaType } = this;
    if (mediaType === JSON_TYPE) return jsonFields;
    if (mediaType === TEXT_TYPE) return textFields;
    return mediaType === null ? noFields : ["content-type", mediaType];
  }

  /** Sets a header field and replaces earlier values. */
  setHeader(name: string, value: string): this {
    this.headers.set(name, value);
    return this;
  }

  /** Adds a value to a header field. */
  appendHeader(name: string, value: string): this {
    this.headers.append(name, value);
    return this;
  }

  /** The media type, `null` when there is none; settable. */
  get contentType(): string | null {
    return this.container === null ? this.mediaType : this.container.get("content-type");
  }

  set contentType(value: string | null) {
    const checked = value === null ? null : headerValue("content-type", value);
    if (this.container === null) this.mediaType = checked;
    else if (checked === null) this.container.delete("content-type");
    else this.container.set("content-type", checked);
  }

  /** Length of the body in bytes, `null` while unknown. */
  get contentLength(): number | null {
    return payloadLength(this.payload);
  }

  /** Adds a cookie, at most 64. @throws CORE_BAD_COOKIE for values that RFC 6265bis does not allow */
  setCookie(name: string, value: string, options?: CookieOptions): this {
    return this.addCookie(setCookieLine(name, value, options));
  }

  /** Deletes a cookie in the client; `path` and `domain` must be the same as when it was set. @throws CORE_BAD_COOKIE */
  deleteCookie(name: string, options?: CookieOptions): this {
    return this.addCookie(deleteCookieLine(name, options));
  }

  /** Attaches a value for the middleware around the handler; replaces an earlier value of the key, and is never sent. */
  annotate<T>(key: Key<T>, value: NoInfer<T>): this {
    this.annotations = (this.annotations ?? new Map()).set(key, value);
    return this;
  }

  /** The value attached under a key, by default the key's `initial`. */
  annotation<T>(key: Key<T>): T {
    const { annotations } = this;
    return annotations !== null && annotations.has(key) ? (annotations.get(key) as T) : key.initial; // `annotate` sets the key's type
  }

  /** The body as a web byte stream, which is pulled on demand; `null` without a body. */
  get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    if (this.payload === null) return null;
    const reading = this.currentReading();
    const used = (): void => void (reading.used = true);
    reading.stream ??= markStreamHandled(toReadableStream(this.payload, used));
    return reading.stream;
  }

  /** Whether the body was read, by one of the methods below or through `body`. */
  get bodyUsed(): boolean {
    return this.reading !== null && this.currentReading().used;
  }

  /** Always empty, as for a web `Response` that a program creates. */
  get url(): string {
    return "";
  }

  /** Always false. */
  get redirected(): boolean {
    return false;
  }

  /** `error` for `Response.error()`, else `default`. */
  get type(): "default" | "error" {
    return this.code === 0 ? "error" : "default";
  }

  // Promises of the body are marked as handled: a reply may stream the request's body, whose client may disconnect or send malformed data.

  /** Reads the body as bytes. */
  bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return this.read((bytes) => new Uint8Array(bytes));
  }

  /** Reads the body as an `ArrayBuffer`. */
  arrayBuffer(): Promise<ArrayBuffer> {
    return this.read((bytes) => new Uint8Array(bytes).buffer);
  }

  /** Reads the body as text in UTF-8. */
  text(): Promise<string> {
    return this.read((bytes) => new TextDecoder().decode(bytes));
  }

  /** Reads the body as JSON. */
  json(): Promise<unknown> {
    return this.read((bytes) => JSON.parse(new TextDecoder().decode(bytes)) as unknown);
  }

  /** Reads the body as a `Blob`. */
  blob(): Promise<Blob> {
    return this.read((bytes) => new Blob([new Uint8Array(bytes)], { type: this.contentType ?? "" }));
  }

  /** Reads the body as a form. */
  formData(): Promise<FormData> {
    const headers = { "content-type": this.contentType ?? "" };
    return this.read((bytes) => new globalThis.Response(new Uint8Array(bytes), { headers }).formData());
  }

  private read<T>(convert: (bytes: Uint8Array) => Awaitable<T>): Promise<T> {
    return markHandled(this.convertedBody(convert));
  }

  private async convertedBody<T>(convert: (bytes: Uint8Array) => Awaitable<T>): Promise<T> {
    return convert(await payloadBytes(this.use()));
  }

  /** The body as a stream of text in UTF-8. */
  textStream(): ReadableStream<string> {
    const body = this.body ?? new globalThis.Response("").body;
    return (body as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(new TextDecoderStream());
  }

  /** A second reply with the same body; a stream is read once and buffered for the slower reader. @throws TypeError when the body was read or has a reader */
  clone(): Response {
    const { stream } = this.readableBody();
    const copy = this.copy();
    copy.reading = null;
    copy.source = undefined;
    if (this.payload instanceof BodyStream) {
      const { length } = this.payload;
      const isEndless = this.payload instanceof EndlessBody;
      const [ours, theirs] = (stream ?? toReadableStream(this.payload))
        .tee()
        .map((branch) =>
          isEndless ? new EndlessBody(toChunks(branch)) : new BodyStream(toChunks(branch), length),
        );
      this.payload = ours as BodyStream; // `tee` returns two branches
      copy.payload = theirs as BodyStream;
    }
    return copy;
  }

  /** A second object for the same body. */
  private copy(): Response {
    const copy = new Response();
    copy.payload = this.payload;
    copy.code = this.code;
    copy.mediaType = this.mediaType;
    if (this.container !== null) copy.container = this.container.copy();
    copy.reading = this.reading;
    if (this.annotations !== null) copy.annotations = new Map(this.annotations);
    copy.source = this.source;
    return copy;
  }

  private applyOptions(options: ResponseOptions): void {
    const { status, headers, contentType } = checkedOptions(options);
    if (status !== undefined) this.code = checkedStatus(status);
    if (headers !== undefined) {
      const container = new ResponseHeaders(headers);
      if (this.mediaType !== null && !container.has("content-type"))
        container.set("content-type", this.mediaType);
      this.container = container;
    }
    if (contentType !== undefined) this.contentType = contentType;
  }

  private addCookie(line: string): this {
    const { headers } = this;
    if (headers.getSetCookie().length >= MAX_COOKIES) {
      throw new FrameworkError("CORE_BAD_COOKIE", `a reply sets at most ${MAX_COOKIES} cookies`);
    }
    headers.append("set-cookie", line);
    return this;
  }

  private currentReading(): Reading {
    if (this.reading?.of !== this.payload) this.reading = null;
    this.reading ??= { stream: null, of: this.payload, used: false };
    return this.reading;
  }

  /** Takes the body for reading, once, as the web's class does. */
  private use(): Payload {
    this.readableBody().used = this.payload !== null;
    return this.payload;
  }

  /** @throws TypeError when the body was read or has a reader */
  private readableBody(): Reading {
    const reading = this.currentReading();
    if (reading.used || reading.stream?.locked === true) throw new TypeError("the body was read already");
    return reading;
  }
}
