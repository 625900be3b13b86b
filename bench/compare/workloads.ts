import type { Call } from "../client/call.ts";
import { ALLOWED_ORIGIN } from "../servers/five.ts";
import { variedCalls, variedOrders } from "./varied-requests.ts";
import { downloadBytes, greeting, orderText } from "../servers/workload.ts";

/** One kind of request, with the expected reply. */
export interface Workload {
  /** For `--only` and the report. */
  readonly name: string;
  /** For tables. */
  readonly title: string;
  readonly request: Call;
  /** Requests sent under load instead, in turn: they differ, with replies of the same length. */
  readonly variants?: readonly Call[];
  /** Media type of the reply. */
  readonly type: string;
  readonly body: string;
  /** Required fields of the reply, in lower case. */
  readonly fields?: readonly string[];
  /** A request that must not get 200: verifies that input is validated. */
  readonly refused?: Call;
  /** Whether the servers run with the five middlewares. */
  readonly five?: boolean;
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

/** All workloads. */
export const workloads: readonly Workload[] = [
  { ...json, name: "json", title: "GET json", promised: true },
  {
    ...json,
    name: "param",
    title: "GET param, validated",
    request: { path: "/users/4711" },
    body: JSON.stringify({ id: 4711 }),
    refused: { path: "/users/abc" },
    promised: true,
  },
  {
    ...json,
    name: "varied",
    title: "GET param, each request different",
    request: { path: "/users/4711" },
    variants: variedCalls,
    body: JSON.stringify({ id: 4711 }),
    refused: { path: "/users/abc" },
  },
  {
    ...json,
    name: "echo",
    title: "POST 200 bytes, validated, each body different",
    request: { path: "/echo", body: orderText },
    variants: variedOrders,
    body: orderText,
    refused: { path: "/echo", body: orderText.replace('"AB-1001"', "[]") },
    promised: true,
  },
  {
    ...json,
    name: "mw5",
    title: "GET json, five middlewares",
    request: { path: "/json", fields: { Origin: ALLOWED_ORIGIN } },
    fields: ["access-control-allow-origin", "x-request-id", "etag", "x-content-type-options"],
    five: true,
    promised: true,
  },
  {
    ...json,
    name: "headers",
    title: "GET json, 14 header fields",
    request: { path: "/json", fields: browserFields },
  },
  {
    name: "stream",
    title: "1 MiB streamed",
    request: { path: "/stream" },
    type: "application/octet-stream",
    body: "x".repeat(downloadBytes),
    connections: 16,
    requests: 64,
  },
  { ...json, name: "wide", title: "GET json, 1,000 connections", connections: 1000, requests: 4000 },
  {
    ...json,
    name: "pipelined",
    title: "GET json, pipelined 16 deep",
    connections: 16,
    depth: 16,
    requests: 8192,
  },
];
