import type { Call } from "../client/call.ts";
import { reportText } from "../servers/cached/report.ts";
import { ALLOWED_ORIGIN } from "../servers/five.ts";
import { CLIENT_FIELD } from "../servers/limited/client.ts";
import { bookOf } from "../servers/row/books.ts";
import { downloadBytes, greeting, orderText } from "../servers/workload.ts";
import { bearer, rejectedTokens, repeatedTokens, SUBJECT, tokens } from "./tokens.ts";
import { variedBooks, variedCalls, variedClients, variedOrders } from "./varied-requests.ts";

/** Names of the scenarios. */
export type ScenarioName =
  | "routes"
  | "five"
  | "jwt"
  | "cached"
  | "limited"
  | "sqlite"
  | "postgres"
  | "websocket";

/** One kind of request, with the expected reply. */
export interface Workload {
  /** For `--only` and the report. */
  readonly name: string;
  /** For tables. */
  readonly title: string;
  readonly request: Call;
  /** Different requests to cycle through under load instead; their replies must have the same length. */
  readonly variants?: readonly Call[];
  /** Status of the reply. @default 200 */
  readonly status?: number;
  /** Media type of the reply. */
  readonly type: string;
  readonly body: string;
  /** Required fields of the reply, in lower case. */
  readonly fields?: readonly string[];
  /** Whether the length of the reply's head varies, such as with a remaining limit or an age. */
  readonly hasVariableHead?: boolean;
  /** Requests that must not get 200, to verify that input is validated. */
  readonly rejected?: readonly Call[];
  /** The service to run. @default "routes" */
  readonly scenario?: ScenarioName;
  /** Message to echo on each connection after the handshake, instead of requests. */
  readonly message?: string;
  /** Peers that do the same work; the others do less and do not count as best peer. @default all */
  readonly equals?: readonly string[];
  /** Description of the data that each server caches between requests, as far as it helps here. */
  readonly cached?: string;
  readonly connections: number;
  /** Pipelined requests per write. @default 1 */
  readonly depth?: number;
  /** Requests of one slice. */
  readonly requests: number;
  /** Whether the workload has a gate relative to raw: a full run measures it with twice the rounds, and a quick run measures only such workloads. */
  readonly isMain?: boolean;
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
  "the framework: the last request of a connection, in case the next one is identical, and reply heads for a second; the others: nothing";

const fiveFields = ["access-control-allow-origin", "x-request-id", "etag", "x-content-type-options"];
const notANumber = [{ path: "/users/abc" }];

const param = {
  ...json,
  request: { path: "/users/4711" },
  body: JSON.stringify({ id: 4711 }),
  rejected: notANumber,
};

const jwt = {
  ...json,
  scenario: "jwt",
  request: bearer(tokens[0] as string),
  body: JSON.stringify({ sub: SUBJECT }),
  rejected: [{ path: "/me" }, ...rejectedTokens.map(bearer)],
} as const;

const limited = {
  ...json,
  scenario: "limited",
  request: { path: "/json", fields: { [CLIENT_FIELD]: "client-1000" } },
  hasVariableHead: true,
  equals: ["express"], // the others do not share a limit between workers
} as const;

const book = {
  ...json,
  request: { path: "/books/711" },
  variants: variedBooks,
  body: JSON.stringify(bookOf(711)),
  rejected: [{ path: "/books/7110" }],
};

/** All workloads. */
export const workloads: readonly Workload[] = [
  {
    ...param,
    name: "varied",
    title: "GET param, each request different",
    variants: variedCalls,
    isMain: true,
    cached: "the framework: heads of replies of one shape for a second; the others: nothing",
  },
  { ...json, name: "json", title: "GET json", isMain: true, cached: SAME_BYTES },
  { ...param, name: "param", title: "GET param, validated", isMain: true, cached: SAME_BYTES },
  {
    ...json,
    name: "echo",
    title: "POST 200 bytes, validated, each body different",
    request: { path: "/echo", body: orderText },
    variants: variedOrders,
    body: orderText,
    rejected: [{ path: "/echo", body: orderText.replace('"AB-1001"', "[]") }],
    isMain: true,
    cached: "the framework: the keys of a route's last body; the others: nothing",
  },
  {
    ...json,
    name: "mw5",
    title: "GET json, five middlewares",
    request: { path: "/json", fields: { Origin: ALLOWED_ORIGIN } },
    fields: fiveFields,
    scenario: "five",
    isMain: true,
    cached: `${SAME_BYTES.split(";")[0]}, and tags of short bodies; the others: nothing`,
  },
  {
    ...param,
    name: "mw5varied",
    title: "GET param, five middlewares, each request different",
    request: { path: "/users/4711", fields: { Origin: ALLOWED_ORIGIN } },
    variants: variedCalls.map((call) => ({ ...call, fields: { ...call.fields, Origin: ALLOWED_ORIGIN } })),
    fields: fiveFields,
    scenario: "five",
    cached: "the framework: tags of short bodies, here about 1,800 different ones; the others: nothing",
  },
  {
    ...jwt,
    name: "jwt",
    title: "GET with one of eight tokens",
    variants: repeatedTokens.map(bearer),
    cached:
      "the framework and fastify: the last 1,000 verified tokens, each with an option of its package; hono, elysia, nest, express, koa, raw: at most the imported key",
  },
  {
    ...jwt,
    name: "jwt-new",
    title: "GET, each request a different token",
    variants: tokens.map(bearer),
    cached: "as above, but none of the 2,000 tokens is repeated while it is cached",
  },
  {
    ...json,
    name: "cached",
    title: "GET of an expensive reply, from a cache",
    scenario: "cached",
    request: { path: "/report" },
    body: reportText(1),
    hasVariableHead: true,
    cached: "each: the whole reply, in the memory of its process",
  },
  {
    ...limited,
    name: "limited",
    title: "GET json, limited, one client, four workers",
    cached:
      "counts of each client. The framework and express: one count for all workers; raw, fastify, hono, nest, koa: one per worker, so four times the limit",
  },
  {
    ...limited,
    name: "limited-many",
    title: "GET json, limited, 2,000 clients, four workers",
    variants: variedClients,
    cached: "as above",
  },
  {
    ...book,
    name: "row-sqlite",
    title: "GET of a row by its key, SQLite",
    scenario: "sqlite",
    cached: "each: the prepared statement",
  },
  {
    ...book,
    name: "row-postgres",
    title: "GET of a row by its key, PostgreSQL",
    scenario: "postgres",
    cached: "each: ten connections, and the statement prepared on them",
  },
  {
    ...json,
    name: "websocket",
    title: "WebSocket, echo of 100 bytes",
    scenario: "websocket",
    request: { path: "/echo" },
    message: "x".repeat(100),
    cached: NOTHING,
  },
  {
    ...json,
    name: "headers",
    title: "GET json, 14 header fields",
    request: { path: "/json", fields: browserFields },
    cached: SAME_BYTES,
  },
  {
    name: "stream",
    title: "1 MiB streamed",
    request: { path: "/stream" },
    type: "application/octet-stream",
    body: "x".repeat(downloadBytes),
    connections: 16,
    requests: 64,
    cached: NOTHING,
  },
  {
    ...json,
    name: "wide",
    title: "GET json, 1,000 connections",
    connections: 1000,
    requests: 4000,
    cached: SAME_BYTES,
  },
  {
    ...json,
    name: "pipelined",
    title: "GET json, pipelined 16 deep",
    connections: 16,
    depth: 16,
    requests: 8192,
    cached: SAME_BYTES,
  },
];
