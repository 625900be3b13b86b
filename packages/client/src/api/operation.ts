import type { CallInit } from "../http/call-init.ts";

/** Kind of a reply's body: parsed JSON, text, events, JSON lines, a stream of bytes (of any type but JSON, or of any type), or none. */
export type ReplyKind = "json" | "text" | "events" | "lines" | "bytes" | "anyBytes" | "none";

/** Runtime description of an operation, written by the generator. */
export interface OperationSpec {
  /** Method and path, such as "GET /books/{id}". */
  readonly route: string;
  /** Kinds of the bodies of declared replies, by status, `2XX` or `default`. */
  readonly replies: Readonly<Record<string, readonly ReplyKind[]>>;
  /** Media type of the request body. */
  readonly body?: string;
  /** Media types of the parts of a multipart body that the document declares, by field. */
  readonly parts?: Readonly<Record<string, string>>;
  /**
   * Serialisation styles of parameters and of fields of a urlencoded body that differ from the default of their place, by place and name:
   * `{ "query ids": "form", "body tags": "form" }`.
   */
  readonly styles?: Readonly<Record<string, string>>;
  /** Alternatives of security schemes, each a list of names that are required together. */
  readonly security?: readonly (readonly string[])[];
}

/** Place of the credential of a security scheme: place, name, and a prefix of the value. */
export type SecurityPlace = readonly [place: "header" | "query" | "cookie", name: string, prefix: string];

/** Operations and security schemes of a generated client. */
export interface ApiSpec {
  /** Operations by the name of their method. */
  readonly operations: Readonly<Record<string, OperationSpec>>;
  /** Security schemes by name. */
  readonly security: Readonly<Record<string, SecurityPlace>>;
}

/** A request body of bytes. */
export type BytesBody = Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>;

/** A reply body of bytes. Read or cancel it. */
export type BytesReply = ReadableStream<Uint8Array<ArrayBuffer>>;

/** One event of an event stream (SSE). */
export interface ServerSentEvent {
  /** Name of the event. @default "message" */
  readonly event: string;
  /** Data of the event; several lines are joined by line feeds. */
  readonly data: string;
  /** Id of the last event with an id; "" if none had one. */
  readonly id: string;
  /** Milliseconds to wait before a reconnection, if the stream has sent `retry` since the previous event. */
  readonly retryMs?: number;
}

/** Options of one call, besides its input. */
export type CallOptions = Pick<CallInit, "signal" | "within" | "idempotencyKey" | "maxReplyBytes">;

type HeaderValue = string | number | boolean | undefined;

type OtherHeaders = Readonly<Record<string, HeaderValue>>;

/** Declared header fields, and any others. The index signature must include the types of the declared fields, which may be lists. */
type WithOtherHeaders<Fields> = Fields & Readonly<Record<string, HeaderValue | Fields[keyof Fields]>>;

/** Input of an operation: its declared parts, any other header fields, and options of the call. */
export type Input<Parts> = Omit<Parts, "headers"> &
  CallOptions &
  (Parts extends { readonly headers: infer Fields }
    ? { readonly headers: WithOtherHeaders<Fields> }
    : Parts extends { readonly headers?: infer Fields }
      ? { readonly headers?: WithOtherHeaders<Fields> }
      : { readonly headers?: OtherHeaders });

type Success = 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226;
type Redirection = 300 | 301 | 302 | 303 | 304 | 305 | 307 | 308;
type ClientFailure =
  | 400
  | 401
  | 402
  | 403
  | 404
  | 405
  | 406
  | 407
  | 408
  | 409
  | 410
  | 411
  | 412
  | 413
  | 414
  | 415
  | 416
  | 417
  | 418
  | 421
  | 422
  | 423
  | 424
  | 425
  | 426
  | 428
  | 429
  | 431
  | 451;
type ServerFailure = 500 | 501 | 502 | 503 | 504 | 505 | 506 | 507 | 508 | 510 | 511;

type Informational = 100 | 101 | 102 | 103;

/** The statuses of a range. */
interface Ranges {
  readonly "1XX": Informational;
  readonly "2XX": Success;
  readonly "3XX": Redirection;
  readonly "4XX": ClientFailure;
  readonly "5XX": ServerFailure;
}

type KnownStatus = Ranges[keyof Ranges];

/** Statuses of the keys of `responses`, without `default`. */
type DeclaredStatus<Keys> = Keys extends keyof Ranges ? Ranges[Keys] : Extract<Keys, number>;

/** Keys and statuses of success, as strings. */
type Successes<Keys> = Extract<`${Keys & (string | number)}`, `2${string}`>;

/** The statuses of `default`: any number if it is the only key, otherwise every registered status that is not declared, without 2xx if a success is declared. */
type UndeclaredStatus<Keys> = [Exclude<Keys, "default">] extends [never]
  ? number
  : Exclude<
      KnownStatus,
      DeclaredStatus<Keys> | ([Successes<Exclude<Keys, "default">>] extends [never] ? never : Success)
    >;

/** Statuses of a key of `responses`; a range excludes statuses that are declared separately. */
export type StatusOf<Key, Keys = Key> = Key extends keyof Ranges
  ? Exclude<Ranges[Key], Keys>
  : Key extends "default"
    ? UndeclaredStatus<Keys>
    : Key;

/** Whether statuses are 2xx. */
type IsOk<Status> = number extends Status
  ? boolean
  : [Successes<Status>] extends [never]
    ? false
    : [`${Status & number}`] extends [Successes<Status>]
      ? true
      : boolean;

/** One declared reply: `status` discriminates the type of `body`. */
export interface Reply<Key, Body, Keys = Key> {
  /** Status of the reply. */
  readonly status: StatusOf<Key, Keys>;
  /** Whether the status is 2xx. */
  readonly ok: IsOk<StatusOf<Key, Keys>>;
  /** Header fields. */
  readonly headers: Headers;
  /** The body, in the form that the document declares. */
  readonly body: Body;
}

/** Every declared reply of an operation. */
export type ReplyOf<Replies> = {
  [Key in keyof Replies]: Reply<Key, Replies[Key], keyof Replies>;
}[keyof Replies];

/** A method of a generated client. */
export type Operation<Parts, Replies> =
  Record<never, never> extends Parts
    ? (input?: Input<Parts>) => Promise<ReplyOf<Replies>>
    : (input: Input<Parts>) => Promise<ReplyOf<Replies>>;
