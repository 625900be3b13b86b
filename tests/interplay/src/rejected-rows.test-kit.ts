import { always, bearer, compressed, gzip, noRoute, preflight, when } from "./row-parts.test-kit.ts";
import type { Row } from "./row.test-kit.ts";
import { pageText } from "./stack.test-kit.ts";
import { maxBodyBytes } from "./toggles.test-kit.ts";

/** Requests that are rejected before their handler, and similar ones that reach it. */
export const rejectedRows: readonly Row[] = [
  { name: "400", path: "/%zz", status: always(400), route: noRoute },
  { name: "401", path: "/private", status: always(401) },
  {
    name: "200 with a token",
    path: "/private",
    ...compressed,
    headers: { ...gzip, ...bearer },
    cache: "BYPASS",
  },
  { name: "401 again", path: "/private", status: always(401), calls: always(1) },
  { name: "401 HEAD", like: "401", method: "HEAD", path: "/private", status: always(401) },
  { name: "403 of a guard", path: "/denied", status: always(403), calls: always(0) },
  { name: "404", path: "/nowhere", status: always(404), route: noRoute },
  { name: "404 HEAD", like: "404", method: "HEAD", path: "/nowhere", status: always(404), route: noRoute },
  { name: "405", method: "PUT", path: "/page", headers: bearer, status: always(405), route: noRoute },
  {
    name: "406",
    path: "/page",
    headers: { "accept-encoding": "br, identity;q=0" },
    status: when("compression", 406, 200),
    cache: "HIT",
    text: pageText,
  },
  {
    name: "413 declared",
    method: "POST",
    path: "/upload",
    headers: bearer,
    body: () => "x".repeat(maxBodyBytes + 1),
    status: when("bodyLimit", 413, 200),
  },
  {
    name: "413 in chunks",
    method: "POST",
    path: "/upload",
    headers: bearer,
    body: () => ReadableStream.from(chunks()),
    status: when("bodyLimit", 413, 200),
  },
  {
    name: "upload",
    method: "POST",
    path: "/upload",
    headers: bearer,
    body: () => "x",
    status: always(200),
    text: '{"bytes":1}',
  },
  {
    name: "403 from another site",
    method: "POST",
    path: "/upload",
    body: () => "x",
    status: when("csrf", 403, 200),
    text: '{"bytes":1}',
  },
  { name: "limited", path: "/limited", ...compressed, cache: "MISS" },
  {
    name: "429",
    path: "/limited",
    headers: gzip,
    isCompressed: true,
    status: when("rateLimit", 429, 200),
    cache: when("rateLimit", null, "HIT"),
    text: pageText,
  },
  {
    name: "429 HEAD",
    like: "429",
    method: "HEAD",
    path: "/limited",
    headers: gzip,
    isCompressed: true,
    status: when("rateLimit", 429, 200),
    cache: when("rateLimit", null, "HIT"),
  },
  {
    name: "preflight over the limit",
    method: "OPTIONS",
    path: "/limited",
    headers: preflight,
    status: always(204),
    isPreflight: true,
  },
];

function* chunks() {
  for (let sent = 0; sent <= maxBodyBytes; sent += 512) yield new Uint8Array(512);
}
