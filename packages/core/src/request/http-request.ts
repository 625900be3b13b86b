// More than 250 lines, because one class holds every request member of the interface; the other files of the folder do the work.
import { type EarlyHints, hintLines } from "./early-hints.ts";
import type { App } from "../app.ts";
import type { InvocationScope } from "../dependencies/invocation-scope.ts";
import { clientDisconnected } from "../errors/client-disconnected.ts";
import { FrameworkError } from "../errors/framework-error.ts";
import { UnsupportedMediaTypeError } from "../errors/http-errors.ts";
import { markHandled } from "../middleware/mark-handled.ts";
import { type Awaitable, isPromise, mapAwaitable } from "../middleware/middleware.ts";
import { lowerName } from "../response/header-rules.ts";
import type { Endpoint } from "../routes/route.ts";
import type { ExchangeEnd, RequestSource } from "../exchange/request-source.ts";
import { type Upgrade, upgradeOf } from "./upgrade.ts";
import { accepts } from "../http/accept.ts";
import { type Client, clientOf } from "./client-address.ts";
import { parseContentType, requireUtf8 } from "../body/content-type.ts";
import { isFormType, isJsonType, isMultipartType, type MediaType } from "../http/media-type.ts";
import { Context } from "../invocation/context.ts";
import type { Key } from "../invocation/key.ts";
import { RequestId } from "../invocation/trace-keys.ts";
import { type Cookies, parseCookies } from "../http/cookies.ts";
import { parseForm } from "../body/parse-form.ts";
import { type Form, type ParsedForm, toFormValue } from "../body/form-data.ts";
import { type JsonBodyOptions, parseJson } from "../body/json-body.ts";
import type { JsonReader } from "../body/json-reader.ts";
import { MultipartLimits } from "../body/multipart-limits.ts";
import { markStreamHandled } from "../middleware/mark-body-handled.ts";
import { fieldsOf, peekBody } from "../body/peek-form.ts";
import { Query } from "./query.ts";
import { type BodySource, limitedChunks, readBody, withOwnMemory } from "../body/read-body.ts";
import { currentContext } from "../runtime/async-context.ts";
import { RequestHeaders } from "./request-headers.ts";
import type { RequestKernel } from "./request-kernel.ts";
import { toBoolean, toFloat, toInt } from "./typed-values.ts";
import type { UploadedFile } from "../body/uploaded-file.ts";
import { removeCoding, webRequest } from "./web-request.ts";

/** Validated values by the route's schemas; a part without a schema is `undefined`. */
export interface RequestInput {
  /** The validated path parameters. */
  readonly params: unknown;
  /** The validated query. */
  readonly query: unknown;
  /** The validated body. */
  readonly body: unknown;
}

/** Input of a route without schemas. */
export interface NoInput {
  /** The route has no schema of the path parameters. */
  readonly params: undefined;
  /** The route has no schema of the query. */
  readonly query: undefined;
  /** The route has no schema of the body. */
  readonly body: undefined;
}

/** The matched route, as the router returns it. */
export interface MatchedRoute {
  readonly value: Endpoint;
  readonly params: Readonly<Record<string, string>>;
}

const noParams: Readonly<Record<string, string>> = Object.freeze(Object.create(null));
const noInput: NoInput = Object.freeze({ params: undefined, query: undefined, body: undefined });

/**
 * One request as middleware, guards and handlers see it.
 *
 * Headers, query, cookies and other derived values are built on first access. The body is read once, within the current limit, and every
 * accessor may be called in any order and any number of times, except `stream()`.
 */
export class HttpRequest<
  Params = Readonly<Record<string, string>>,
  Input = RequestInput,
  A extends object = App,
> {
  /** Method as received. */
  readonly method: string;
  /** Canonical path, decoded once. Router, guards and prefixes all use this one. */
  readonly path: string;
  /** Pattern of the matched route, such as `/books/{id}`, or `null`. */
  readonly route: string | null;
  /** The application. */
  readonly app: A;
  /** The matched route and its options, or `null`. */
  readonly endpoint: Endpoint | null;
  /** Validated values of the parts that have a schema. */
  input: Input = noInput as Input;

  private readonly source: RequestSource;
  private readonly match: MatchedRoute | null;
  private readonly kernel: RequestKernel;
  private readonly search: string;
  /** Source of the body: the transport, or a decoder on top of it. */
  private bodySource: BodySource;
  private bodyLimit: number;
  private bytes: Awaitable<Uint8Array> | undefined;
  /** Whether the route's `JsonReader` parsed the body directly from the transport's input, without reading it as bytes. */
  private shaped = false;
  private streamed = false;
  private acceptRead = false;
  private credentialNames: readonly string[] | null = null;
  private parsedForm: Awaitable<ParsedForm> | undefined;
  private parsedQuery: Query | undefined;
  private parsedHeaders: RequestHeaders | undefined;
  private parsedCookies: Cookies | undefined;
  private parsedType: MediaType | null | undefined;
  private store: Context | undefined;
  private resolvedClient: Client | undefined;
  private aborter: AbortController | undefined;
  private web: globalThis.Request | undefined;
  private scopeOfRequest: InvocationScope | undefined;
  private afterReply: (() => Awaitable<void>)[] | undefined;

  constructor(
    source: RequestSource,
    kernel: RequestKernel,
    target: { readonly path: string; readonly search: string },
    match: MatchedRoute | null,
  ) {
    const endpoint = match === null ? null : match.value;
    this.method = source.method;
    this.path = target.path;
    this.route = endpoint === null ? null : endpoint.pattern;
    this.app = kernel.app as unknown as A;
    this.endpoint = endpoint;
    this.source = source;
    source.described = this;
    this.bodySource = source;
    this.match = match;
    this.kernel = kernel;
    this.search = target.search;
    this.bodyLimit = endpoint?.options.maxBodyBytes ?? kernel.settings.limits.maxBodyBytes;
  }

  /** Distinguishes a request from other invocations, such as messages and commands. */
  get kind(): "http" {
    return "http";
  }

  /** Method and pattern of the matched route, such as `GET /books/{id}`; the method alone without a match. */
  get name(): string {
    return this.route === null ? this.method : `${this.method} ${this.route}`;
  }

  /** Path parameters, always strings; empty without a matched route. */
  get params(): Params {
    return (this.match === null ? noParams : this.match.params) as Params;
  }

  /** The header fields. */
  get headers(): RequestHeaders {
    return (this.parsedHeaders ??= new RequestHeaders(this.source));
  }

  /** The parameters of the query. */
  get query(): Query {
    return (this.parsedQuery ??= new Query(this.search));
  }

  /** Same as `query`. */
  get queryParams(): Query {
    return this.query;
  }

  /** The cookies that the client sent. */
  get cookies(): Cookies {
    return (this.parsedCookies ??= parseCookies(this.source.field("cookie")));
  }

  /** Values that belong to this request, such as the principal. */
  get context(): Context {
    return (this.store ??= new Context());
  }

  /** Address of the client, from the socket or from trusted proxies; `null` without a socket, and possibly when it is first read after the client has disconnected. */
  get clientIp(): string | null {
    return this.client.clientIp;
  }

  /** Scheme that the client used; behind a trusted proxy, from `X-Forwarded-Proto`. */
  get scheme(): string {
    return this.kernel.trustedProxies.networks.length === 0 ? this.source.scheme : this.client.scheme;
  }

  /** `2` for a request over HTTP/2, `null` for HTTP/1.1 and 1.0. */
  get httpVersion(): "2" | null {
    return this.source.httpVersion ?? null;
  }

  /** Requested authority, including the port. */
  get host(): string {
    return this.kernel.trustedProxies.networks.length === 0 ? this.source.authority : this.client.host;
  }

  /**
   * Absolute URL of the request as the client sees it (RFC 9112 3.3). The host is `localhost` if an HTTP/1.0 request names none. There is no path
   * for `OPTIONS *` and for a rejected target.
   */
  get url(): string {
    const { target } = this.source;
    return `${this.scheme}://${this.host || "localhost"}${target.startsWith("/") ? target : ""}`;
  }

  /** Media type of the body, without parameters, or `null`. @throws ValueError when malformed */
  get contentType(): string | null {
    return this.mediaType?.type ?? null;
  }

  /** Declared length of the body in bytes, `null` when unknown. */
  get contentLength(): number | null {
    return this.source.bodyLength;
  }

  /** The field `User-Agent`, or `null`. */
  get userAgent(): string | null {
    return this.source.field("user-agent");
  }

  /** The request id that `@framework/request-id` assigned, or `null`. */
  get requestId(): string | null {
    return this.store?.get(RequestId) ?? null;
  }

  /** Whether the body is JSON, by its content type. */
  get isJson(): boolean {
    return isJsonType(this.mediaType);
  }

  /** Whether the body is `application/x-www-form-urlencoded`. */
  get isForm(): boolean {
    return isFormType(this.mediaType);
  }

  /** Whether the body is a multipart form, by its content type. */
  get isMultipart(): boolean {
    return isMultipartType(this.mediaType);
  }

  /** Whether `X-Requested-With` is `XMLHttpRequest`, as script libraries send it. */
  get isXhr(): boolean {
    return this.source.field("x-requested-with")?.toLowerCase() === "xmlhttprequest";
  }

  /** Whether the client uses TLS, to this server or to a trusted proxy. */
  get isSecure(): boolean {
    return this.scheme === "https";
  }

  /** Whether the client accepts a media type (RFC 9110 12.5.1); true without an `Accept` field. The call adds `Vary: Accept` to the reply. */
  accepts(type: string): boolean {
    this.acceptRead = true;
    return accepts(this.source.field("accept"), type);
  }

  /** Whether `accepts` was called, so that the reply may depend on `Accept`. */
  get negotiatesType(): boolean {
    return this.acceptRead;
  }

  /**
   * Whether the reply depends on its caller: guards check the route, an authentication read credentials, or the context has a principal or a single-use value.
   * Such a reply is sent with `private`, unless it has `public`.
   */
  get isPersonal(): boolean {
    const { credentialNames, endpoint, store } = this;
    if (store !== undefined && store.isPersonal) return true;
    return credentialNames !== null || (endpoint !== null && endpoint.guarded);
  }

  /** Names of the request fields that authentications have read; `null` if none has read any. */
  get credentialFields(): readonly string[] | null {
    return this.credentialNames;
  }

  /** Declares that an authentication reads these fields: the reply is private, and names them in `Vary`. */
  readCredentials(fields: readonly string[]): void {
    const { credentialNames: known } = this;
    this.credentialNames = known === null ? fields : [...known, ...fields];
  }

  // Promises of the body never become unhandled rejections: otherwise a client could end the process through a handler that does not await one.

  /** The body as bytes. @throws PayloadTooLargeError over the current limit; CORE_BODY_STREAMED after `stream` */
  body(): Promise<Uint8Array> {
    return markHandled(this.readOwnBytes());
  }

  /** The body as UTF-8 text; invalid bytes become U+FFFD. @throws as `body` */
  text(): Promise<string> {
    return markHandled(this.readText());
  }

  /**
   * The body parsed as JSON (RFC 8259).
   *
   * @throws as `body`; ValueError for an empty or malformed body, UnsupportedMediaTypeError for a charset other than UTF-8
   */
  json<T = unknown>(options?: JsonBodyOptions): Promise<T> {
    return markHandled(this.readJson(options)) as Promise<T>;
  }

  /**
   * The body in the form that schemas validate: a JSON value, or the fields of a form with its files as web `File`s; `undefined` without a body.
   *
   * @throws as `json` and `form`; UnsupportedMediaTypeError for a body of another type, or without a type
   */
  bodyValue(): Awaitable<unknown> {
    const value = this.readValue();
    return isPromise(value) ? markHandled(value) : value;
  }

  private readValue(): Awaitable<unknown> {
    const { mediaType } = this;
    const isForm = isFormType(mediaType);
    if (this.bodySource.bodyLength === 0 && !(isForm && this.isFormSent)) return undefined;
    if (isForm) return mapAwaitable(this.readForm(), toFormValue); // an empty form is a value, also if its length is unknown
    const isMultipart = isMultipartType(mediaType);
    if (isMultipart) this.limitMultipart();
    return mapAwaitable(this.readBytes(), (bytes) => {
      if (bytes.byteLength === 0) return undefined;
      if (isMultipart) return mapAwaitable(this.readForm(), toFormValue);
      if (isJsonType(mediaType)) return this.parseJsonBody(bytes);
      const given = mediaType === null ? "no Content-Type" : `the Content-Type ${mediaType.type}`;
      throw new UnsupportedMediaTypeError(`This route takes JSON or a form, but the body has ${given}`);
    });
  }

  /**
   * Whether an empty body is an empty form and not the absence of a body (RFC 9110 6.4): it has a length, or the method is POST or PUT (8.6). A multipart form
   * is never empty.
   */
  private get isFormSent(): boolean {
    const { method, source } = this;
    return method === "POST" || method === "PUT" || source.field("content-length") !== null;
  }

  /** `bodyValue`, if the reader can read the body synchronously; `undefined` otherwise. */
  private shapedValue(reader: JsonReader): unknown {
    const { bodySource, mediaType } = this;
    if (this.isBodyRead || this.streamed || !isJsonType(mediaType) || mediaType?.charset !== null)
      return undefined;
    const value = reader.read(bodySource, this.bodyLimit);
    this.shaped = value !== undefined;
    return value;
  }

  /**
   * Fields of a urlencoded or multipart body.
   *
   * @throws as `body`; UnsupportedMediaTypeError for another type, ValueError for a malformed form, HttpError 413 above a limit
   */
  form(): Promise<Form> {
    return markHandled(this.readFormAsync().then(({ form }) => form));
  }

  /** Files of a multipart body; empty for a urlencoded one. @throws as `form` */
  files(): Promise<readonly UploadedFile[]> {
    return markHandled(this.readFormAsync().then(({ files }) => files));
  }

  /**
   * The complete fields within the first `bytes` of a form, for middleware that decides before the rest is read. Other accessors still get the whole body.
   *
   * @throws as `form`, for these bytes; PayloadTooLargeError when the declared length is over the limit
   */
  peekForm(bytes: number): Promise<Form> {
    return markHandled(this.peekFields(bytes));
  }

  private async peekFields(bytes: number): Promise<Form> {
    if (this.isBodyRead || this.streamed) return this.form();
    const { mediaType } = this;
    const { beginning, source } = peekBody(this.bodySource, bytes, this.bodyLimit);
    this.bodySource = source;
    return fieldsOf(mediaType, await beginning);
  }

  /** Streams the body as it arrives, within the current limit. @throws CORE_BODY_STREAMED when called twice */
  stream(): ReadableStream<Uint8Array> {
    if (this.streamed)
      throw new FrameworkError("CORE_BODY_STREAMED", "the body has already been consumed as a stream");
    if (this.shaped) void this.readBytes(); // for later accessors
    this.streamed = true;
    const chunks =
      this.bytes === undefined ? limitedChunks(this.bodySource, this.bodyLimit) : once(this.wholeBody());
    return markStreamHandled(ReadableStream.from(chunks) as ReadableStream<Uint8Array>);
  }

  /** Sets the body limit in bytes, before the body is read; a route's own `maxBodyBytes` takes precedence. */
  limitBody(bytes: number): void {
    this.bodyLimit = this.endpoint?.options.maxBodyBytes ?? bytes;
  }

  /**
   * Decodes the body, for example a compressed body, before it is read. The limit then applies both to the received bytes and to the decoded bytes.
   *
   * @throws CORE_BODY_STREAMED when reading has begun
   */
  decodeBody(decode: (chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>): void {
    if (this.streamed || this.isBodyRead)
      throw new FrameworkError("CORE_BODY_STREAMED", "the body was read before it could be decoded");
    const { bodySource } = this;
    const chunks = () => decode(limitedChunks(bodySource, this.bodyLimit)); // read lazily, so that a later `limitBody` applies
    this.bodySource = { bodyLength: null, isDecoded: true, buffered: null, chunks };
    if (this.web !== undefined) removeCoding(this.web.headers);
  }

  /**
   * A web `Request` with the same content, built on first access; its body can be read independently of this request. If middleware has decoded the body, the
   * fields that describe its coding are absent.
   *
   * @throws HttpError 501 for TRACE, which a web `Request` cannot have
   */
  get raw(): globalThis.Request {
    return (this.web ??= webRequest(this, this.source, this.bodySource.isDecoded === true));
  }

  /** Aborts when the client disconnects or the handler times out. */
  get signal(): AbortSignal {
    return this.abortController.signal;
  }

  /**
   * Aborts when a draining service stops accepting connections, so that a long poll can end. The reason is an `HttpError` 503.
   *
   * All requests of the app share this signal: remove your listeners. A disconnect of the client aborts `signal` instead.
   */
  get draining(): AbortSignal {
    return this.kernel.draining.signal;
  }

  /**
   * Sends `103 Early Hints` (RFC 8297) before the reply, such as `{ link: "</style.css>; rel=preload; as=style" }`, so that the client can preload resources.
   * Can be called several times.
   *
   * Returns whether the hints were sent. They are not sent to an HTTP/1.0 client, by `app.fetch`, after the reply, or while earlier replies of the connection
   * are pending or unread. The reply must not depend on them.
   *
   * @throws CORE_BAD_HEADER for a malformed field, or a field of message framing or of the connection
   */
  sendEarlyHints(fields: EarlyHints): boolean {
    const lines = hintLines(fields);
    return this.source.inform?.(103, lines) === true;
  }

  /** Header lines as received: name, value, name, value …, in the client's order and case. For gateways; `headers` is case-insensitive. */
  get fields(): readonly string[] {
    return this.source.fields;
  }

  /** The WebSocket upgrade that this request asks for, to accept or to ignore; `null` for every other request. */
  get upgrade(): Upgrade | null {
    const { upgrade } = this.source;
    return upgrade === undefined ? null : upgradeOf(upgrade);
  }

  /** Aborts `signal`. */
  abort(reason: Error): void {
    this.abortController.abort(reason);
  }

  /**
   * Calls `listener` once, when the reply has been sent or the client has disconnected. It runs in the asynchronous context of the transport; pass it through
   * `AsyncLocalStorage.bind` if it needs the context of the caller.
   */
  onEnd(listener: (end: ExchangeEnd) => void): void {
    this.source.onEnd(listener);
  }

  /**
   * Runs a task after the reply has been sent, in the order of the calls and each in the asynchronous context of its call; a task may defer others. A failure
   * is logged. Dependencies of the request live until its last task is done.
   *
   * @throws CORE_TOO_MANY_TASKS when 1,000 are waiting in this process
   */
  defer(task: () => Awaitable<void>): void {
    this.kernel.background.reserve();
    const inContext = currentContext();
    const deferred = (): Awaitable<void> => inContext(task);
    if (this.afterReply !== undefined) {
      this.afterReply.push(deferred);
      return;
    }
    const tasks = [deferred];
    this.afterReply = tasks;
    this.source.onEnd(() => {
      const work = this.kernel.background.run(tasks, this, () => this.endTasks());
      this.scopeOfRequest?.during(work); // an aborted request may have ended its scope before this call
    });
  }

  /** The dependency scope of this request, disposed of after the reply and the deferred tasks. */
  get scope(): InvocationScope {
    if (this.scopeOfRequest === undefined) {
      this.scopeOfRequest = this.kernel.container.scope(this as unknown as HttpRequest);
      this.source.onEnd(() => this.endScope());
    }
    return this.scopeOfRequest;
  }

  private endTasks(): void {
    this.afterReply = undefined;
    this.endScope();
  }

  /** Ends the scope, unless deferred tasks are pending: they also use it, and the last task ends it. */
  private endScope(): void {
    if (this.afterReply === undefined) void this.scopeOfRequest?.dispose();
  }

  /** Returns a header field by its case-insensitive name; if absent the fallback, by default `null`. */
  getHeader(name: string): string | null;
  getHeader<T>(name: string, fallback: T): string | T;
  getHeader(name: string, fallback: unknown = null): unknown {
    return this.source.field(lowerName(name)) ?? fallback;
  }

  /** Returns a path parameter, or `null`. */
  getParam(name: string): string | null;
  getParam<T>(name: string, fallback: T): string | T;
  getParam(name: string, fallback: unknown = null): unknown {
    return this.param(name) ?? fallback;
  }

  /** A path parameter as an integer. @throws ValueError when it is not one */
  getParamInt(name: string): number | null;
  getParamInt<T>(name: string, fallback: T): number | T;
  getParamInt(name: string, fallback: unknown = null): unknown {
    return convertPresent(this.param(name), toInt, name, fallback);
  }

  /** Returns the first value of a query parameter, or `null`. */
  getQueryParam(name: string): string | null;
  getQueryParam<T>(name: string, fallback: T): string | T;
  getQueryParam(name: string, fallback: unknown = null): unknown {
    return this.query.get(name) ?? fallback;
  }

  /** A query parameter as an integer. @throws ValueError when it is not one */
  getQueryInt(name: string): number | null;
  getQueryInt<T>(name: string, fallback: T): number | T;
  getQueryInt(name: string, fallback: unknown = null): unknown {
    return convertPresent(this.query.get(name), toInt, name, fallback);
  }

  /** A query parameter as a finite number. @throws ValueError when it is not one */
  getQueryFloat(name: string): number | null;
  getQueryFloat<T>(name: string, fallback: T): number | T;
  getQueryFloat(name: string, fallback: unknown = null): unknown {
    return convertPresent(this.query.get(name), toFloat, name, fallback);
  }

  /** A query parameter as a boolean: true, 1, yes, on or false, 0, no, off. @throws ValueError for anything else */
  getQueryBool(name: string): boolean | null;
  getQueryBool<T>(name: string, fallback: T): boolean | T;
  getQueryBool(name: string, fallback: unknown = null): unknown {
    return convertPresent(this.query.get(name), toBoolean, name, fallback);
  }

  /** Returns the value of a context key. */
  getContext<T>(key: Key<T>): T;
  getContext(name: string): unknown;
  getContext(key: Key<unknown> | string): unknown {
    return typeof key === "string" ? this.context.get(key) : this.context.get(key);
  }

  /** Stores the value of a context key. */
  setContext<T>(key: Key<T> | string, value: NoInfer<T>): void {
    this.context.set(key, value);
  }

  /** A context value that must be a string. @throws CORE_CONTEXT_TYPE when it is not one */
  getContextString(name: string): string | null;
  getContextString<T>(name: string, fallback: T): string | T;
  getContextString(name: string, fallback: unknown = null): unknown {
    return convertPresent(this.context.get(name) ?? null, asString, name, fallback);
  }

  private async readOwnBytes(): Promise<Uint8Array> {
    return this.ownBytes();
  }

  private async readText(): Promise<string> {
    return new TextDecoder().decode(await this.readBytes());
  }

  private async readJson(options?: JsonBodyOptions): Promise<unknown> {
    return this.parseJsonBody(await this.readBytes(), options);
  }

  private async readFormAsync(): Promise<ParsedForm> {
    return this.readForm();
  }

  private parseJsonBody(bytes: Uint8Array, options?: JsonBodyOptions): unknown {
    requireUtf8(this.mediaType);
    return parseJson(bytes, options);
  }

  private param(name: string): string | null {
    const params = this.params as Readonly<Record<string, string>>;
    return Object.hasOwn(params, name) ? (params[name] ?? null) : null;
  }

  private get mediaType(): MediaType | null {
    if (this.parsedType === undefined) this.parsedType = parseContentType(this.source.field("content-type"));
    return this.parsedType;
  }

  private get client(): Client {
    return (this.resolvedClient ??= clientOf(this.source, this.kernel.trustedProxies));
  }

  private get abortController(): AbortController {
    if (this.aborter !== undefined) return this.aborter;
    const aborter = new AbortController();
    this.aborter = aborter;
    this.source.onEnd((end) => {
      if (end === "aborted") aborter.abort(clientDisconnected());
    });
    return aborter;
  }

  /** The body in separate memory, which the program may keep. */
  private ownBytes(): Awaitable<Uint8Array> {
    this.bytes = mapAwaitable(this.readBytes(), withOwnMemory);
    return this.bytes;
  }

  /** `ownBytes` for a stream that may never be read: a rejection of its promise is handled. */
  private wholeBody(): Awaitable<Uint8Array> {
    const bytes = this.ownBytes();
    return isPromise(bytes) ? markHandled(bytes) : bytes;
  }

  /** The body for internal use; it may share memory with other input of the transport. */
  private readBytes(): Awaitable<Uint8Array> {
    if (this.bytes !== undefined) return this.bytes;
    if (this.streamed)
      throw new FrameworkError("CORE_BODY_STREAMED", "the body has already been consumed as a stream");
    const bytes = readBody(this.bodySource, this.bodyLimit);
    this.bytes = bytes;
    return bytes;
  }

  private get isBodyRead(): boolean {
    return this.shaped || this.bytes !== undefined;
  }

  private limitMultipart(): void {
    this.bodyLimit = Math.min(this.bodyLimit, MultipartLimits.of().maxTotalBytes);
  }

  private readForm(): Awaitable<ParsedForm> {
    if (this.isMultipart) this.limitMultipart();
    this.parsedForm ??= mapAwaitable(this.ownBytes(), (bytes) => parseForm(this.mediaType, bytes)); // files keep slices of it
    return this.parsedForm;
  }
}

/** `bodyValue` of a request, if the route's reader can read it synchronously, never a promise; `undefined` otherwise. */
export const shapedValue = (request: HttpRequest, reader: JsonReader): unknown =>
  request["shapedValue"](reader);

/** Whether a request arrived over a socket and not by `app.fetch`. Cheaper than `clientIp`, which also evaluates proxies. */
export const arrivedOverSocket = (request: HttpRequest): boolean => request["source"].remoteAddress !== null;

const convertPresent = <In, Out>(
  value: In | null,
  convert: (value: In, name: string) => Out,
  name: string,
  fallback: unknown,
): unknown => (value === null ? fallback : convert(value, name));

const asString = (value: unknown, name: string): string => {
  if (typeof value === "string") return value;
  throw new FrameworkError("CORE_CONTEXT_TYPE", `the context's "${name}" is not a string`);
};

async function* once(bytes: Awaitable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const whole = await bytes;
  if (whole.byteLength > 0) yield whole;
}
