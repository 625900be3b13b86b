import { unknownFields } from "@framework/core/feature";
import { headerFields } from "./check-arguments.ts";
import { testingError } from "./errors.ts";

/** One value of a query or a form. */
export type FieldValue = string | number | boolean;

/** Query or form fields by name; a list repeats the name, `undefined` omits it. */
export type Fields = Readonly<Record<string, FieldValue | readonly FieldValue[] | undefined>>;

/** Form fields by name, with files; a list repeats the name, `undefined` omits it. */
export type FormFields = Readonly<
  Record<string, FieldValue | Blob | readonly (FieldValue | Blob)[] | undefined>
>;

/** Parts of a request. At most one of `json`, `form` and `body`. */
export interface TestInit {
  /** Appended to the path. */
  readonly query?: Fields | URLSearchParams | undefined;
  /** Header fields to send. */
  readonly headers?: ConstructorParameters<typeof Headers>[0];
  /** Sent as `application/json`; `null` is a value, `undefined` is none. */
  readonly json?: unknown;
  /** Fields and `URLSearchParams` are sent urlencoded, `FormData` and fields with a `Blob` or `File` among them as multipart. */
  readonly form?: FormFields | URLSearchParams | FormData | undefined;
  /** Sent unchanged; streams are sent chunked. */
  readonly body?:
    | string
    | Uint8Array<ArrayBuffer>
    | Blob
    | ReadableStream<Uint8Array>
    | AsyncIterable<Uint8Array>
    | undefined;
  /** Aborts the request; the promise rejects with its reason, and the handler sees a disconnected client. */
  readonly signal?: AbortSignal | undefined;
}

/** An encoded request, independent of a transport. */
export interface PreparedRequest {
  readonly method: string;
  /** Path and query, as given. */
  readonly target: string;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null;
}

/** Checks that a path starts with a slash. @throws TESTING_BAD_OPTION */
export const checkPath = (path: string): void => {
  if (typeof path === "string" && path.startsWith("/")) return;
  throw badOption(`a path must start with "/", not ${JSON.stringify(path)}`);
};

/** Encodes a request. @throws TESTING_BAD_OPTION */
export const prepareRequest = async (
  method: string,
  path: string,
  init: TestInit,
  defaults?: TestInit["headers"],
): Promise<PreparedRequest> => {
  checkPath(path);
  const [unknown] = unknownFields(`the options object of ${method} ${path}`, init, partNames);
  if (unknown !== undefined) throw badOption(unknown);
  if (!METHOD.test(method)) throw badOption(`${JSON.stringify(method)} is not a method`);
  const wanted = headerFields(init.headers);
  if (wanted !== null) throw badOption(`headers of ${method} ${path} must be ${wanted}`);
  const headers = new Headers(defaults);
  for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
  const { body, contentType } = await encodeBody(init);
  if (contentType !== null && !headers.has("content-type")) headers.set("content-type", contentType);
  return { method: method.toUpperCase(), target: withQuery(path, init.query), headers, body };
};

/** Matches a token (RFC 9110 5.6.2). */
const METHOD = /^[\w!#$%&'*+.^`|~-]+$/;

const badOption = (message: string): Error => testingError("TESTING_BAD_OPTION", message);

const partNames = Object.keys({
  query: 0,
  headers: 0,
  json: 0,
  form: 0,
  body: 0,
  signal: 0,
} satisfies Record<keyof TestInit, 0>);

interface Encoded {
  readonly body: PreparedRequest["body"];
  readonly contentType: string | null;
}

const encodeBody = async ({ json, form, body }: TestInit): Promise<Encoded> => {
  if ([json, form, body].filter((given) => given !== undefined).length > 1) {
    throw badOption("pass at most one of json, form and body");
  }
  if (json !== undefined) {
    return { body: new TextEncoder().encode(jsonText(json)), contentType: "application/json" };
  }
  if (form !== undefined) return buffered(toForm(form));
  if (body === undefined) return { body: null, contentType: null };
  return isStream(body) ? { body: ReadableStream.from(body), contentType: null } : buffered(body);
};

/** @throws TESTING_BAD_OPTION for a value that JSON cannot represent, such as a bigint or a function */
const jsonText = (value: unknown): string => {
  let text: string | undefined; // JSON.stringify returns undefined for a function
  let cause: unknown;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    cause = error;
  }
  if (text !== undefined) return text;
  throw testingError("TESTING_BAD_OPTION", "the value of json is not JSON", cause);
};

/** The `Response` constructor determines the content type of each kind of body. */
const buffered = async (content: ConstructorParameters<typeof Response>[0]): Promise<Encoded> => {
  const encoded = new Response(content);
  const contentType = encoded.headers.get("content-type");
  return { body: new Uint8Array(await encoded.arrayBuffer()), contentType };
};

const isStream = (body: object | string): body is AsyncIterable<Uint8Array> =>
  typeof body === "object" && Symbol.asyncIterator in body;

const withQuery = (path: string, query: TestInit["query"]): string => {
  const text = query === undefined ? "" : toParams(query).toString();
  return text === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${text}`;
};

const toForm = (form: NonNullable<TestInit["form"]>): FormData | URLSearchParams => {
  if (form instanceof FormData || form instanceof URLSearchParams) return form;
  const fields = Object.entries(form).flatMap(([name, value]) =>
    itemsOf(value).map((item) => [name, item] as const),
  );
  if (!fields.some(([, item]) => item instanceof Blob)) return toParams(form as Fields); // no value is a Blob
  const data = new FormData();
  for (const [name, item] of fields) {
    if (item instanceof Blob) data.append(name, item);
    else data.append(name, String(item));
  }
  return data;
};

const toParams = (fields: Fields | URLSearchParams): URLSearchParams => {
  if (fields instanceof URLSearchParams) return fields;
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const item of itemsOf(value)) params.append(name, String(item));
  }
  return params;
};

/** Returns the values of a field, without `undefined` and `null`. */
const itemsOf = <T>(value: T | readonly T[] | undefined): readonly NonNullable<T>[] =>
  ([value].flat() as readonly T[]).filter((item) => item !== undefined && item !== null);
