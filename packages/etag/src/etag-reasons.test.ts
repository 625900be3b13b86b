import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { App, Response } from "@framework/core";
import type { RequestTrace } from "@framework/core/feature";
import { expect, test } from "@jest/globals";
import { etag } from "./index.ts";

const traces: RequestTrace[] = [];
const listen = (message: unknown): void => void traces.push(message as RequestTrace);

test.each([
  ["/", {}, ["added the tag W/", "the request is unconditional"]],
  ["/", { "if-none-match": "*" }, ["added the tag W/", "304: if-none-match matches"]],
  ["/", { "if-none-match": '"other"' }, ["added the tag W/", "if-none-match does not match"]],
  [
    "/",
    { "if-none-match": '"other"', "if-modified-since": "Mon, 30 Nov 2026 08:00:00 GMT" },
    ["added the tag W/", "if-none-match does not match"],
  ],
  ["/missing", { "if-none-match": "*" }, ["added the tag W/", "if-none-match is ignored"]],
  ["/own", {}, ['the reply already has the tag "mine"', "the request is unconditional"]],
  ["/nothing", {}, ["no tag: a 204 without a complete body", "the request is unconditional"]],
  ["/stream", {}, ["no tag: the body is a stream", "the request is unconditional"]],
])("%s with %j has the reasons %j", async (path, headers, reasons) => {
  subscribe("framework.request.steps", listen);
  try {
    const app = new (App.with(etag))().enableEtag();
    app.get("/", () => "hello");
    app.get("/own", () => Response.text("hello", { headers: { ETag: '"mine"' } }));
    app.get("/nothing", () => null);
    app.get("/missing", () => Response.text("nothing here", { status: 404 }));
    app.get("/stream", () =>
      Response.stream(
        (async function* () {
          yield "part";
        })(),
      ),
    );
    await app.fetch(new Request(`http://localhost${path}`, { headers: headers as Record<string, string> }));
    const given = traces.at(-1)?.steps.find(({ feature }) => feature === "etag")?.reasons;
    expect(given).toEqual(reasons.map((reason) => expect.stringContaining(reason)));
  } finally {
    unsubscribe("framework.request.steps", listen);
  }
});
