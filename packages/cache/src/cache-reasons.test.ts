import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { App, Response } from "@framework/core";
import type { RequestTrace } from "@framework/core/feature";
import { expect, test } from "@jest/globals";
import { caching } from "./index.ts";

const key = (path: string): string => `the key is http://localhost${path}`;

/** Returns the reasons of the cache for each request to one app. */
const reasonsFor = async (requests: readonly (readonly [path: string, init?: RequestInit])[]) => {
  const traces: RequestTrace[] = [];
  const listen = (message: unknown): void => void traces.push(message as RequestTrace);
  subscribe("framework.request.steps", listen);
  try {
    const app = new (App.with(caching))().enableCaching({ ttl: 60, maxEntryBytes: 1000 });
    app.get("/books", () => "books");
    app.post("/books", () => "made");
    app.get("/off", { cache: false }, () => "off");
    app.get("/private", () => Response.text("x", { headers: { "Cache-Control": "private" } }));
    app.get("/cookie", () => Response.text("x").setCookie("a", "b"));
    app.get("/large", () => "x".repeat(2000));
    const understood = { "Cache-Control": "no-store, must-understand" };
    app.get("/understood", () => Response.text("x", { headers: { ...understood, "X-Cache-TTL": "0" } }));
    app.get("/unknown", () => Response.text("x", { status: 299, headers: understood }));
    app.get("/missing", () => Response.text("x", { status: 404 }));
    app.get("/mine", { cache: { key: (request) => request.getHeader("x-user") ?? "" } }, () => "mine");
    for (const [path, init] of requests)
      await (await app.fetch(new Request(`http://localhost${path}`, init))).text();
  } finally {
    unsubscribe("framework.request.steps", listen);
  }
  return traces.map(({ steps }) => steps.findLast(({ feature }) => feature === "cache")?.reasons);
};

test("a miss, a hit and requests that are never cached report their reason", async () => {
  expect(
    await reasonsFor([
      ["/books"],
      ["/books"],
      ["/books", { method: "POST" }],
      ["/off"],
      ["/books", { headers: { "cache-control": "no-store" } }],
    ]),
  ).toEqual([
    [key("/books"), "uri-miss: stored, fresh for 60 s"],
    [key("/books"), expect.stringMatching(/^HIT: stored \d+\.\d s ago, fresh for 60 s$/)],
    ["POST is not cached"],
    ["the route has cache: false"],
    ["the request has Cache-Control: no-store"],
  ]);
});

test.each([
  ["/private", "Cache-Control has private"],
  ["/cookie", "the reply sets a cookie"],
  ["/large", "2000 bytes are more than maxEntryBytes 1000"],
  ["/missing", "its status is 404"],
  [
    "/understood",
    "it would never be fresh, contains a value for one client, or has too many Vary names or a bad tag",
  ],
  ["/unknown", "Cache-Control has must-understand, and the cache has no rules for the status 299"],
])("a reply of %s is not stored because %s", async (path, reason) => {
  expect(await reasonsFor([[path]])).toEqual([[key(path), `uri-miss: not stored, ${reason}`]]);
});

test("an identity is reported, but not its value, the values of key and per, or the query", async () => {
  const [mine, signed] = await reasonsFor([
    ["/mine?token=sesame", { headers: { "x-user": "ann-secret" } }],
    ["/books", { headers: { authorization: "Bearer sesame" } }],
  ]);
  expect(mine?.[0]).toBe(`${key("/mine")}?…, plus the part from key or per`);
  expect(signed).toEqual([
    key("/books"),
    "the request has an identity: only replies with public or s-maxage, or of shared routes, are used",
    "bypass: not stored, the request has an identity, and the reply is not public",
  ]);
  expect(JSON.stringify([mine, signed])).not.toMatch(/sesame|ann-secret/);
});
