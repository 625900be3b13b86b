import { operationRows } from "./operation-rows.test-kit.ts";
import { rejectedRows } from "./rejected-rows.test-kit.ts";
import {
  always,
  bearer,
  compressed,
  gzip,
  noRoute,
  ok,
  plain,
  preflight,
  revalidated,
  when,
} from "./row-parts.test-kit.ts";
import type { Row } from "./row.test-kit.ts";
import { streamText } from "./stack.test-kit.ts";

const routeRows: readonly Row[] = [
  { name: "miss", path: "/page", ...compressed, cache: "MISS" },
  { name: "hit", path: "/page", ...compressed, cache: "HIT", calls: when("cache", 1, 2) },
  { name: "hit without coding", path: "/page", ...ok, headers: plain, cache: "HIT" },
  { name: "HEAD from the store", like: "hit", method: "HEAD", path: "/page", ...compressed, cache: "HIT" },
  {
    name: "304 of a generated tag",
    path: "/page",
    ...ok,
    isCompressed: true,
    sendsTagOf: "hit",
    headers: gzip,
    cache: "HIT",
    status: revalidated,
  },
  {
    name: "HEAD",
    like: "compressed with a tag",
    method: "HEAD",
    path: "/tagged",
    ...compressed,
    cache: "MISS",
  },
  {
    name: "304 on a miss",
    path: "/tagged",
    ...ok,
    isCompressed: true,
    headers: { ...gzip, "if-none-match": '"v1"' },
    cache: "MISS",
    status: revalidated,
  },
  { name: "compressed with a tag", path: "/tagged", ...compressed, cache: "HIT" },
  {
    name: "304 of a compressed reply",
    path: "/tagged",
    ...ok,
    isCompressed: true,
    sendsTagOf: "compressed with a tag",
    headers: gzip,
    cache: "HIT",
    status: revalidated,
  },
  {
    name: "304 by date",
    path: "/tagged",
    ...ok,
    headers: { "if-modified-since": "Fri, 02 Jan 2026 00:00:00 GMT" },
    cache: "HIT",
    status: revalidated,
  },
  { name: "stream", path: "/stream", status: always(200), headers: gzip, text: streamText, cache: "MISS" },
  {
    name: "stream HEAD",
    like: "stream",
    method: "HEAD",
    path: "/stream",
    status: always(200),
    cache: "MISS",
  },
  {
    name: "stream with a token",
    path: "/stream",
    headers: bearer,
    status: always(200),
    text: streamText,
    cache: "BYPASS",
  },
  {
    name: "preflight",
    method: "OPTIONS",
    path: "/private",
    headers: preflight,
    status: when("cors", 204, 401),
    isPreflight: true,
  },
  {
    name: "preflight without a route",
    method: "OPTIONS",
    path: "/nowhere",
    headers: preflight,
    status: when("cors", 204, 404),
    isPreflight: true,
  },
  { name: "options", method: "OPTIONS", path: "/page", status: always(204), route: noRoute },
];

const failures: readonly Row[] = [
  { name: "500", path: "/fails", status: always(500), cache: "MISS" },
  { name: "504", path: "/slow", status: always(504), cache: "MISS" },
  { name: "503 of the handler", path: "/open", status: always(503), cache: "MISS" },
  {
    name: "503 of the circuit",
    path: "/open",
    status: always(503),
    cache: "MISS",
    calls: when("breaker", 1, 2),
  },
  {
    name: "503 HEAD",
    like: "503 of the circuit",
    method: "HEAD",
    path: "/open",
    status: always(503),
    cache: "MISS",
    calls: when("breaker", 1, 3),
  },
  { name: "stored", path: "/kept", ...compressed, cache: "MISS" },
  {
    name: "503 that opens the circuit",
    path: "/kept?fail",
    route: always("/kept"),
    status: always(503),
    cache: "MISS",
  },
  {
    name: "hit while open",
    path: "/kept",
    ...compressed,
    cache: "HIT",
    status: (enabled) => (enabled.has("breaker") && !enabled.has("cache") ? 503 : 200),
  },
  {
    name: "plain hit while open",
    path: "/kept",
    ...ok,
    headers: plain,
    cache: "HIT",
    status: (enabled) => (enabled.has("breaker") && !enabled.has("cache") ? 503 : 200),
  },
];

const file = { path: "/files/page.txt", route: when("staticFiles", "/files/{*file}", null) };
const existingFile = { ...file, status: when("staticFiles", 200, 404) };

const files: readonly Row[] = [
  { name: "file", ...existingFile, headers: gzip, isCompressed: true },
  { name: "file without coding", ...existingFile, headers: plain },
  { name: "file HEAD", like: "file", method: "HEAD", ...existingFile, headers: gzip, isCompressed: true },
  {
    name: "file 304",
    ...existingFile,
    sendsTagOf: "file",
    headers: gzip,
    status: when("staticFiles", 304, 404),
  },
  {
    name: "part of a file",
    ...existingFile,
    headers: { ...gzip, range: "bytes=0-9" },
    status: when("staticFiles", 206, 404),
  },
  { name: "missing file", path: "/files/none.txt", route: file.route, status: always(404) },
];

/** Every kind of reply that an app sends. */
export const rows: readonly Row[] = [...routeRows, ...rejectedRows, ...failures, ...files, ...operationRows];
