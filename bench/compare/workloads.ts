import type { Call } from "../client/call.ts";
import { reportText } from "../servers/cached/report.ts";
import { ALLOWED_ORIGIN } from "../servers/five.ts";
import { CLIENT_FIELD } from "../servers/limited/client.ts";
import { bookOf } from "../servers/row/books.ts";
import { downloadBytes, greeting, orderText } from "../servers/workload.ts";
import type { SceneName } from "./scenes.ts";
import { bearer, refusedTokens, repeatedTokens, SUBJECT, tokens } from "./tokens.ts";
import { variedBooks, variedCalls, variedClients, variedOrders } from "./varied-requests.ts";

/** One kind of request, with the expected reply. */
export interface Workload {
  /** For `--only` and the report. */
  readonly name: string;
  /** For tables. */
  readonly title: string;
  readonly request: Call;
  /** Requests sent under load instead, in turn: they differ, with replies of the same length. */
  readonly variants?: readonly Call[];
  /** Status of the reply. @default 200 */
  readonly status?: number;
  /** Media type of the reply. */
  readonly type: string;
  readonly body: string;
  /** Required fields of the reply, in lower case. */
  readonly fields?: readonly string[];
  /** Whether a reply's head may have another length each time: with what is left of a limit, or with an age. */
  readonly changingHead?: boolean;
  /** Requests that must not get 200: verify that input is checked. */
  readonly refused?: readonly Call[];
  /** What the servers run as. @default "routes" */
  readonly scene?: SceneName;
  /** A message that is echoed on each connection after its handshake, instead of requests. */
  readonly message?: string;
  /** Peers that do the same work; the others do less, and none of them counts as the best peer. @default all */
  readonly equals?: readonly string[];
  /** What each server keeps from one request to the next, as far as it helps here. */
  readonly remembered?: string;
  readonly connections: number;
  /** Pipelined requests per write. @default 1 */
  readonly depth?: number;
  /** Requests of one slice. */
  readonly requests: number;
  /** Whether a gate depends on it: a full run has twice the rounds for it, and a quick run measures no others. */
  readonly promised?: boolean;
}

/** Additional fields of a browser: with Host, Accept and Connection 14 fields, about 655 bytes. */
const browserFields: Readonly<Record<string, string>> = {
  "User-Agent":
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
  "Accept-Language": "en-US,en;q=0.9,de;q=0.8",
  "Accept-Encoding": "gzip, deflate, br, zstd",
  Referer: "https://shop.example/catalogue/books?page=2",
  Cookie: "session=6f1c0b52d4e84a7fb1f0c6a2; theme=dark; consent=1",
  "Cache-Control": "no-cache",
  "Sec-Fetch-Dest": "empty",
  "Sec-Fetch-Mode": "cors",
  "Sec-Fetch-Site": "same-origin",
  "Sec-CH-UA": '"Chromium";v="140", "Not=A?Brand";v="24"',
  "X-Forwarded-For": "203.0.113.195, 198.51.100.17",
};

const json = {
  request: { path: "/json" },
  type: "application/json",
  body: JSON.stringify(greeting()),
  connections: 64,
  requests: 3000,
};

const NOTHING = "nothing that another request could use";
const SAME_BYTES =
  "the framework: the last request of a connection, where the next one is the same, and heads of replies for a second; the others: nothing";

const fiveFields = ["access-control-allow-origin", "x-request-id", "etag", "x-content-type-options"];
const notANumber = [{ path: "/users/abc" }];

const param = {
  ...json,
  request: { path: "/users/4711" },
  body: JSON.stringify({ id: 4711 }),
  refused: notANumber,
};

const jwt = {
  ...json,
  scene: "jwt",
  request: bearer(tokens[0] as string),
  body: JSON.stringify({ sub: SUBJECT }),
  refused: [{ path: "/me" }, ...refusedTokens.map(bearer)],
} as const;

const limited = {
  ...json,
  scene: "limited",
  request: { path: "/json", fields: { [CLIENT_FIELD]: "client-1000" } },
  changingHead: true,
  equals: ["express"], // the others keep no limit over all workers
} as const;

const book = {
  ...json,
  request: { path: "/books/711" },
  variants: variedBooks,
  body: JSON.stringify(bookOf(711)),
  refused: [{ path: "/books/7110" }],
};

/** All workloads. */
export const workloads: readonly Workload[] = [
  {
    ...param,
    name: "varied",
    title: "GET param, each request different",
    variants: variedCalls,
    promised: true,
    remembered: "the framework: heads of replies of one shape for a second; the others: nothing",
  },
  { ...json, name: "json", title: "GET json", promised: true, remembered: SAME_BYTES },
  { ...param, name: "param", title: "GET param, validated", promised: true, remembered: SAME_BYTES },
  {
    ...json,
    name: "echo",
    title: "POST 200 bytes, validated, each body different",
    request: { path: "/echo", body: orderText },
    variants: variedOrders,
    body: orderText,
    refused: [{ path: "/echo", body: orderText.replace('"AB-1001"', "[]") }],
    promised: true,
    remembered: "the framework: the keys of a route's last body; the others: nothing",
  },
  {
    ...json,
    name: "mw5",
    title: "GET json, five middlewares",
    request: { path: "/json", fields: { Origin: ALLOWED_ORIGIN } },
    fields: fiveFields,
    scene: "five",
    promised: true,
    remembered: `${SAME_BYTES.split(";")[0]}, and tags of short bodies; the others: nothing`,
  },
  {
    ...param,
    name: "mw5varied",
    title: "GET param, five middlewares, each request different",
    request: { path: "/users/4711", fields: { Origin: ALLOWED_ORIGIN } },
    variants: variedCalls.map((call) => ({ ...call, fields: { ...call.fields, Origin: ALLOWED_ORIGIN } })),
    fields: fiveFields,
    scene: "five",
    remembered: "the framework: tags of short bodies, of which there are 1,800 here; the others: nothing",
  },
  {
    ...jwt,
    name: "jwt",
    title: "GET with one of eight tokens",
    variants: repeatedTokens.map(bearer),
    remembered:
      "the framework and fastify: the last 1,000 tokens that they have verified, each with an option of its package; hono, elysia, nest, express, koa, raw: at most the imported key",
  },
  {
    ...jwt,
    name: "jwt-new",
    title: "GET, each request another token",
    variants: tokens.map(bearer),
    remembered: "as before, but none of 2,000 tokens comes again while it is remembered",
  },
  {
    ...json,
    name: "cached",
    title: "GET of a dear reply, out of a cache",
    scene: "cached",
    request: { path: "/report" },
    body: reportText(1),
    changingHead: true,
    remembered: "each: the whole reply, in the memory of its process",
  },
  {
    ...limited,
    name: "limited",
    title: "GET json, limited, one client, four workers",
    remembered:
      "counts of each client. The framework and express: one count over all workers; raw, fastify, hono, nest, koa: one for each worker, so four times the limit",
  },
  {
    ...limited,
    name: "limited-many",
    title: "GET json, limited, 2,000 clients, four workers",
    variants: variedClients,
    remembered: "as before",
  },
  {
    ...book,
    name: "row-sqlite",
    title: "GET of a row by its key, SQLite",
    scene: "sqlite",
    remembered: "each: the prepared statement",
  },
  {
    ...book,
    name: "row-postgres",
    title: "GET of a row by its key, PostgreSQL",
    scene: "postgres",
    remembered: "each: ten connections, and the statement that is prepared on them",
  },
  {
    ...json,
    name: "websocket",
    title: "WebSocket, echo of 100 bytes",
    scene: "websocket",
    request: { path: "/echo" },
    message: "x".repeat(100),
    remembered: NOTHING,
  },
  {
    ...json,
    name: "headers",
    title: "GET json, 14 header fields",
    request: { path: "/json", fields: browserFields },
    remembered: SAME_BYTES,
  },
  {
    name: "stream",
    title: "1 MiB streamed",
    request: { path: "/stream" },
    type: "application/octet-stream",
    body: "x".repeat(downloadBytes),
    connections: 16,
    requests: 64,
    remembered: NOTHING,
  },
  {
    ...json,
    name: "wide",
    title: "GET json, 1,000 connections",
    connections: 1000,
    requests: 4000,
    remembered: SAME_BYTES,
  },
  {
    ...json,
    name: "pipelined",
    title: "GET json, pipelined 16 deep",
    connections: 16,
    depth: 16,
    requests: 8192,
    remembered: SAME_BYTES,
  },
];
