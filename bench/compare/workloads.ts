import { get, post } from "../client/wire.ts";
import { ALLOWED_ORIGIN } from "../servers/five.ts";
import { downloadBytes, greeting, orderText } from "../servers/workload.ts";

/** One kind of request, and what every server must answer it with before it is measured. */
export interface Workload {
  /** For `--only` and the report. */
  readonly name: string;
  /** For tables. */
  readonly title: string;
  /** The request as sent. */
  readonly request: string;
  /** What is sent in its place under load, in turn: requests that differ, with answers of the same length. */
  readonly variants?: readonly string[];
  /** Media type of the answer. */
  readonly type: string;
  readonly body: string;
  /** Fields that the answer must have, in lower case. */
  readonly fields?: readonly string[];
  /** A request that must not be answered with 200: proof that there is a check. */
  readonly refused?: string;
  /** Whether the servers run with the five middlewares. */
  readonly five?: boolean;
  readonly connections: number;
  /** Requests that go out in one piece. @default 1 */
  readonly depth?: number;
  /** Requests of one slice. */
  readonly requests: number;
  /** Whether a promise hangs on it: a whole run gives it twice the rounds, and a quick one measures no other. */
  readonly promised?: boolean;
}

/** What a browser sends besides: with Host, Accept and Connection it makes 14 fields, about 655 bytes. */
const BROWSER_FIELDS =
  `User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36\r\n` +
  `Accept-Language: en-US,en;q=0.9,de;q=0.8\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n` +
  `Referer: https://shop.example/catalogue/books?page=2\r\nCookie: session=6f1c0b52d4e84a7fb1f0c6a2; theme=dark; consent=1\r\n` +
  `Cache-Control: no-cache\r\nSec-Fetch-Dest: empty\r\nSec-Fetch-Mode: cors\r\nSec-Fetch-Site: same-origin\r\n` +
  `Sec-CH-UA: "Chromium";v="140", "Not=A?Brand";v="24"\r\nX-Forwarded-For: 203.0.113.195, 198.51.100.17\r\n`;

const json = {
  request: get("/json"),
  type: "application/json",
  body: JSON.stringify(greeting()),
  connections: 64,
  requests: 3000,
};

/** Another path and another field for each number of four digits. */
const traced = (id: number): string => get(`/users/${id}`, `X-Trace-Id: 5f0c9ab21e7d${id}\r\n`);

/** All workloads. */
export const workloads: readonly Workload[] = [
  { ...json, name: "json", title: "GET json", promised: true },
  {
    ...json,
    name: "param",
    title: "GET param, validated",
    request: get("/users/4711"),
    body: JSON.stringify({ id: 4711 }),
    refused: get("/users/abc"),
    promised: true,
  },
  {
    ...json,
    name: "varied",
    title: "GET param, each request different",
    request: traced(4711),
    variants: Array.from({ length: 1000 }, (_, at) => traced(4000 + at)),
    body: JSON.stringify({ id: 4711 }),
    refused: get("/users/abc"),
  },
  {
    ...json,
    name: "echo",
    title: "POST 200 bytes, validated",
    request: post("/echo", orderText),
    body: orderText,
    refused: post("/echo", orderText.replace('"AB-1001"', "[]")),
    promised: true,
  },
  {
    ...json,
    name: "mw5",
    title: "GET json, five middlewares",
    request: get("/json", `Origin: ${ALLOWED_ORIGIN}\r\n`),
    fields: ["access-control-allow-origin", "x-request-id", "etag", "x-content-type-options"],
    five: true,
    promised: true,
  },
  { ...json, name: "headers", title: "GET json, 14 header fields", request: get("/json", BROWSER_FIELDS) },
  {
    name: "stream",
    title: "1 MiB streamed",
    request: get("/stream"),
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
