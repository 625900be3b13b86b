import { ConfigurationError, type Problem } from "@framework/core";
import {
  checked,
  type ConfigRecord,
  configRecord,
  givenFields,
  integer,
  nearest,
  unknownFields,
} from "@framework/core/feature";
import type { CallInit } from "../http/call-init.ts";
import { ClientError } from "../http/client-error.ts";
import { headerFields } from "../http/header-fields.ts";
import type { OutgoingBody } from "../http/outgoing-request.ts";
import { cancelSource, type HttpClient, httpClient } from "../http/http-client.ts";
import type { HttpClientOptions } from "../http/http-options.ts";
import { addressOf } from "./address-of.ts";
import { cookieField } from "./cookie-field.ts";
import { type Credentials, credentialsOf } from "./credentials.ts";
import type { ApiSpec, CallOptions, OperationSpec } from "./operation.ts";
import { isStream, readReply } from "./read-reply.ts";
import { MULTIPART, requestBody } from "./request-body.ts";
import { sendable } from "./sendable.ts";
import { definedMembers, headerText } from "./serialise-parameter.ts";

/** Options of a generated client: the options of `httpClient`, credentials, and a limit for streams. */
export interface ClientOptions extends Omit<HttpClientOptions, "baseUrl"> {
  /** Credentials by security scheme: a string, or a function that returns one, such as a renewed token. For Basic it is "name:password". @default none */
  readonly credentials?: Credentials;
  /** Maximum size of one event or JSON line of a stream, in characters. @default 1048576 */
  readonly maxEventCharacters?: number;
}

/** Members of every generated client besides its operations. */
export interface ClientLifecycle extends AsyncDisposable {
  /** Aborts all calls and closes the connections. */
  readonly $close: () => Promise<void>;
}

interface AnyInput extends CallOptions {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly cookies?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

const inputNames = Object.keys({
  params: 0,
  query: 0,
  headers: 0,
  cookies: 0,
  body: 0,
  signal: 0,
  within: 0,
  idempotencyKey: 0,
  maxReplyBytes: 0,
} satisfies Record<keyof AnyInput, 0>);

const record: ConfigRecord<{ maxEventCharacters: number; credentials: Credentials }> = configRecord(
  "ClientOptions",
  {
    maxEventCharacters: integer(1_048_576, { min: 1 }),
    credentials: checked<Credentials>(
      {},
      "an object",
      (value) => typeof value === "object" && value !== null,
    ),
  },
);

/**
 * Creates the client of a generated module. Programs call `createClient` of that module instead.
 *
 * @throws ConfigurationError CORE_BAD_CONFIG
 */
export const createApiClient = <Api>(
  api: ApiSpec,
  baseUrl: string,
  given: ClientOptions = {},
): Api & ClientLifecycle => {
  const { maxEventCharacters, credentials, ...options } = given;
  const { value: own, problems } = record.read({ maxEventCharacters, credentials });
  const all = problems.length > 0 ? [...problems] : unknownSchemes(api, own.credentials);
  if (Object.hasOwn(options, "baseUrl")) all.push(BASE_URL_IN_OPTIONS);
  const http = openClient(
    { ...options, baseUrl, credentialHeaders: credentialHeadersOf(api, options.credentialHeaders) },
    all.map((message) => ({ code: "CORE_BAD_CONFIG", message })),
  );
  const settings = { ...own, headers: headerFields(options.headers) };
  const client = Object.create(null) as Record<string | symbol, unknown>;
  for (const [name, spec] of Object.entries(api.operations))
    client[name] = (input?: AnyInput) => call(http, api, spec, settings, input);
  client["$close"] = http.close;
  client[Symbol.asyncDispose] = http.close;
  return client as Api & ClientLifecycle; // the types come from the same document as the operations
};

const BASE_URL_IN_OPTIONS = 'ClientOptions has no field "baseUrl": it is the first argument of createClient';

/** Creates the HTTP client. @throws ConfigurationError with the given problems, followed by the problems of `options` */
const openClient = (options: HttpClientOptions, problems: readonly Problem[]): HttpClient => {
  try {
    const http = httpClient(options);
    if (problems.length === 0) return http;
    void http.close(); // it has no connection yet
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationError([...problems, ...error.problems]);
  }
  throw new ConfigurationError(problems);
};

/** Returns a problem for each credential whose scheme the document does not declare or the client does not support. */
const unknownSchemes = ({ security }: ApiSpec, credentials: Credentials): string[] => {
  const known = Object.keys(security);
  return Object.keys(credentials)
    .filter((name) => !Object.hasOwn(security, name))
    .map((name) => {
      const [near] = nearest(name, known);
      const remedy = near === undefined ? `it has ${known.join(", ") || "none"}` : `did you mean ${near}?`;
      return `ClientOptions.credentials.${name} is not a supported security scheme of the document: ${remedy}`;
    });
};

/** Adds the header fields of security schemes, such as `X-API-Key`, to `credentialHeaders`. Returns a value that is not a list unchanged: `httpClient` reports it. */
const credentialHeadersOf = ({ security }: ApiSpec, given: readonly string[] = []): readonly string[] =>
  Array.isArray(given)
    ? [...given, ...Object.values(security).flatMap(([where, name]) => (where === "header" ? [name] : []))]
    : given;

/** Settings of all calls of a client. */
interface CallSettings {
  readonly maxEventCharacters: number;
  readonly credentials: Credentials;
  /** The client's own header fields, which `httpClient` adds to each call. */
  readonly headers: Headers;
}

/** Calls an operation. A stream body is cancelled if the call fails before sending. */
const call = async (
  http: HttpClient,
  api: ApiSpec,
  spec: OperationSpec,
  own: CallSettings,
  input: AnyInput = {},
): Promise<object> => {
  try {
    return await attempt(http, api, spec, own, input);
  } catch (error) {
    cancelSource(input.body, error);
    throw error;
  }
};

const attempt = async (
  http: HttpClient,
  api: ApiSpec,
  spec: OperationSpec,
  own: CallSettings,
  input: AnyInput,
): Promise<object> => {
  const [unknown] = unknownFields(`the input of ${spec.route}`, input, inputNames);
  if (unknown !== undefined) throw new ClientError("CLIENT_BAD_PARAMETER", unknown);
  const secrets = await credentialsOf(api, spec, own.credentials);
  const path = addressOf(spec, input.params ?? {}, { ...secrets.query, ...givenFields(input.query ?? {}) });
  const headers = fieldsOf(spec, secrets.header, input.headers ?? {});
  const given = headers.get("cookie") ?? own.headers.get("cookie");
  const cookies = cookieField(spec, secrets.cookie, input.cookies ?? {}, given);
  if (cookies !== null) headers.set("cookie", cookies);
  if (!headers.has("accept") && !own.headers.has("accept"))
    headers.set("accept", acceptOf(Object.values(spec.replies).flat()));
  const body = bodyOf(spec, input.body, headers);
  const { signal, within, idempotencyKey, maxReplyBytes } = input;
  const init: CallInit = {
    method: spec.route.slice(0, spec.route.indexOf(" ")),
    headers,
    stream: (reply) => isStream(spec, reply),
    ...(body !== undefined && { body }),
    ...(signal !== undefined && { signal }),
    ...(within !== undefined && { within }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(maxReplyBytes !== undefined && { maxReplyBytes }),
  };
  return readReply(spec, await http.request(path, init), own.maxEventCharacters);
};

/** Returns the body of a call. Sets `Content-Type` if missing, and always for a multipart form. */
const bodyOf = (spec: OperationSpec, value: unknown, headers: Headers): OutgoingBody | undefined => {
  if (value === undefined || spec.body === undefined) return undefined;
  const { body: type } = spec;
  const body = sendable(spec, "the body", () => requestBody(type, spec, value));
  if (spec.body === MULTIPART) headers.set("content-type", (body as Blob).type); // only this type has the boundary
  else if (!headers.has("content-type")) headers.set("content-type", spec.body);
  return body;
};

const acceptOf = (kinds: readonly string[]): string =>
  kinds.includes("events") ? "text/event-stream, application/json, */*;q=0.5" : "application/json, */*;q=0.8";

/** Returns the header fields of a call: credentials, replaced by fields of its input with the same name. @throws ClientError CLIENT_BAD_PARAMETER */
const fieldsOf = (
  spec: OperationSpec,
  credentials: Readonly<Record<string, string>>,
  input: Readonly<Record<string, unknown>>,
): Headers => {
  const fields = new Headers();
  for (const [name, value] of [...Object.entries(credentials), ...definedMembers(input)])
    sendable(spec, `the header field ${JSON.stringify(name)}`, () =>
      fields.set(name, headerText(value, spec.styles?.[`header ${name}`])),
    );
  return fields;
};
