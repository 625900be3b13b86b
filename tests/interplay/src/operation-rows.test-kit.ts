import { always, bearer, when } from "./row-parts.test-kit.ts";
import type { Row } from "./row.test-kit.ts";
import { maxBodyBytes } from "./toggles.test-kit.ts";

const json = (value: unknown) => () => JSON.stringify(value);
const sent = { "content-type": "application/json", ...bearer };
const post = { method: "POST", path: "/orders", route: when("commands", "/orders", null) };
const shelf = { path: "/shelves/Emma", route: when("commands", "/shelves/{book}", null) };
const returned = { method: "POST", path: "/returns", route: when("commands", "/returns", null) };
const keyed = (key: string) => ({ ...sent, "idempotency-key": key });

/** Endpoints of commands and queries, and a route with idempotency keys; 404 without these features. */
export const operationRows: readonly Row[] = [
  {
    name: "command",
    ...post,
    headers: sent,
    body: json({ book: "Emma" }),
    status: when("commands", 201, 404),
  },
  {
    name: "command with a key",
    ...post,
    headers: keyed("k"),
    body: json({ book: "Dune" }),
    status: when("commands", 201, 404),
  },
  {
    name: "repeated command",
    ...post,
    headers: keyed("k"),
    body: json({ book: "Dune" }),
    status: when("commands", 201, 404),
  },
  {
    name: "422 of a reused key",
    ...post,
    headers: keyed("k"),
    body: json({ book: "Emma" }),
    status: when("commands", 422, 404),
  },
  {
    name: "422 of a command",
    ...post,
    headers: sent,
    body: json({ book: 7 }),
    status: when("commands", 422, 404),
  },
  {
    name: "413 of a command",
    ...post,
    headers: sent,
    body: json({ book: "x".repeat(maxBodyBytes) }),
    status: (enabled) => (enabled.has("bodyLimit") ? 413 : enabled.has("commands") ? 201 : 404),
  },
  {
    name: "403 of a command from another site",
    ...post,
    headers: { "content-type": "application/json" },
    body: json({ book: "Emma" }),
    status: (enabled) => (enabled.has("csrf") ? 403 : enabled.has("commands") ? 201 : 404),
  },
  {
    name: "405 of a command",
    method: "PUT",
    path: "/orders",
    headers: bearer,
    route: always(null),
    status: when("commands", 405, 404),
  },
  {
    name: "query",
    ...shelf,
    status: when("commands", 200, 404),
    cache: when("commands", "BYPASS", null),
  },
  {
    name: "query again",
    ...shelf,
    status: when("commands", 200, 404),
    cache: when("commands", "BYPASS", null),
  },
  {
    name: "query with a token",
    ...shelf,
    headers: bearer,
    status: when("commands", 200, 404),
    cache: when("commands", "BYPASS", null),
  },
  {
    name: "query HEAD",
    like: "query",
    method: "HEAD",
    ...shelf,
    status: when("commands", 200, 404),
    cache: when("commands", "BYPASS", null),
  },
  {
    name: "404 of a query",
    path: "/shelves/none",
    route: shelf.route,
    status: always(404),
    cache: when("commands", "BYPASS", null),
  },
  { name: "400 without a key", ...returned, headers: bearer, status: when("commands", 400, 404) },
  {
    name: "route with a key",
    ...returned,
    headers: { ...bearer, "idempotency-key": "r" },
    status: when("commands", 200, 404),
  },
  {
    name: "repeated route",
    ...returned,
    headers: { ...bearer, "idempotency-key": "r" },
    status: when("commands", 200, 404),
  },
];
