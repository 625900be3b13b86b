/** The fixed part of every generated client. */
export const CLIENT_RUNTIME: string = `/** Method and path of a route, such as "GET /books/{id}". */
export type RouteKey = keyof Routes;

type Success = 200 | 201 | 202 | 203 | 204 | 205 | 206;
type Failure = 500 | 501 | 502 | 503 | 504;
type StatusOf<S> = S extends "2XX" ? Success : S;
type ReplyOf<Status, Body> = {
  readonly status: Status;
  readonly ok: Status extends Success ? true : false;
  readonly headers: Headers;
  readonly body: Body;
};

/** A reply: \`status\` and \`ok\` discriminate the type of \`body\`. Includes server errors that the document does not list. */
export type Reply<K extends RouteKey> =
  | { [S in keyof Routes[K]["replies"]]: ReplyOf<StatusOf<S>, Routes[K]["replies"][S]> }[keyof Routes[K]["replies"]]
  | ReplyOf<Exclude<Failure, keyof Routes[K]["replies"]>, unknown>;

/** Header fields of a request: those of the route, and any others. */
type Fields<R> = "headers" extends keyof R
  ? { [Name in keyof Pick<R, "headers">]: R[Name] & Others }
  : { readonly headers?: Others };
type Others = Record<string, string | number | undefined>;

/** Input of a route, with header fields and an abort signal. */
export type Input<K extends RouteKey> = Omit<Routes[K], "replies" | "headers"> & Fields<Routes[K]> & {
  readonly signal?: AbortSignal;
};

/** Calls a route; rejects only without a reply, or when a reply of type JSON is malformed. */
export type Client = <K extends RouteKey>(
  key: K,
  ...input: Record<never, never> extends Omit<Routes[K], "replies"> ? [input?: Input<K>] : [input: Input<K>]
) => Promise<Reply<K>>;

export interface ClientOptions {
  /** Header fields of every request. */
  readonly headers?: Record<string, string>;
  /** Sends a request. @default the global \`fetch\` */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** A client of the service at \`baseUrl\`, such as "https://api.example/v1". */
export const createClient = (baseUrl: string, options: ClientOptions = {}): Client => {
  const send = options.fetch ?? ((url: string, init: RequestInit) => fetch(url, init));
  const call = async (key: string, input: Call = {}) => {
    const space = key.indexOf(" ");
    const path = key.slice(space + 1).replace(/\\{(\\w+)\\}/g, (_, name) => encodeURIComponent(String(input.params?.[name])));
    const headers = new Headers(options.headers);
    for (const [name, value] of Object.entries(input.headers ?? {})) if (value !== undefined) headers.set(name, String(value));
    const init: RequestInit = { method: key.slice(0, space), headers };
    if (input.signal !== undefined) init.signal = input.signal;
    if (input.body !== undefined && forms.includes(key)) init.body = formOf(input.body as Record<string, unknown>);
    else if (input.body !== undefined) {
      if (!headers.has("content-type")) headers.set("content-type", "application/json");
      init.body = JSON.stringify(input.body);
    }
    const reply = await send(baseUrl.replace(/\\/$/, "") + path + searchOf(input.query), init);
    return { status: reply.status, ok: reply.ok, headers: reply.headers, body: await bodyOf(reply) };
  };
  return call as unknown as Client; // the types come from the document
};

interface Call {
  readonly params?: Record<string, unknown>;
  readonly query?: Record<string, unknown>;
  readonly body?: unknown;
  readonly headers?: Record<string, string | number | undefined>;
  readonly signal?: AbortSignal;
}

const searchOf = (query: Record<string, unknown> = {}): string => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const item of Array.isArray(value) ? value : [value])
      if (item !== undefined) search.append(name, String(item));
  return search.size === 0 ? "" : "?" + search.toString();
};

/** Files and texts as they are, numbers and flags as text, a list as several fields, everything else as JSON. */
const formOf = (body: Record<string, unknown>): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(body))
    for (const item of Array.isArray(value) ? value : [value])
      if (item instanceof Blob) form.append(name, item);
      else if (item !== undefined) form.append(name, typeof item === "object" ? JSON.stringify(item) : String(item));
  return form;
};

const bodyOf = async (reply: Response): Promise<unknown> => {
  const text = await reply.text();
  if (text === "") return undefined;
  return /^application\\/([\\w.+-]+\\+)?json\\b/.test(reply.headers.get("content-type") ?? "") ? JSON.parse(text) : text;
};
`;
