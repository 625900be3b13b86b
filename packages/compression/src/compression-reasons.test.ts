import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { App, Response } from "@framework/core";
import type { RequestTrace } from "@framework/core/feature";
import { expect, test } from "@jest/globals";
import { compression } from "./index.ts";

const traces: RequestTrace[] = [];
const listen = (message: unknown): void => void traces.push(message as RequestTrace);

const makeApp = (): App => {
  const app = new (App.with(compression))().enableCompression();
  app.get("/large", () => "text ".repeat(1000));
  app.get("/small", () => "x".repeat(412));
  app.get("/web", () => new globalThis.Response("text ".repeat(1000)));
  app.get("/small-web", () => new globalThis.Response("x".repeat(412)));
  app.get("/off", { compress: false }, () => "text ".repeat(1000));
  app.get("/image", () => Response.binary(new Uint8Array(5000), { contentType: "image/png" }));
  app.get("/fixed", () => Response.text("x".repeat(5000), { headers: { "Cache-Control": "no-transform" } }));
  app.get("/signed", () => Response.text("x".repeat(5000), { headers: { "Repr-Digest": "sha-256=:AA==:" } }));
  app.get("/coded", () => Response.text("x".repeat(5000), { headers: { "Content-Encoding": "br" } }));
  app.get("/stream", () =>
    Response.stream(
      (async function* () {
        yield "part";
      })(),
      { contentType: "text/plain" },
    ),
  );
  app.get("/nothing", () => null);
  return app;
};

const lastReasons = (): readonly string[] | undefined =>
  traces.at(-1)?.steps.find(({ feature }) => feature === "compression")?.reasons;

test("a reply to HEAD with a stated length has a reason", async () => {
  subscribe("framework.request.steps", listen);
  try {
    const app = makeApp();
    const headers = { "content-type": "text/plain", "content-length": "5000" };
    app.head("/large", () => new Response(null, { headers }));
    const request = { method: "HEAD", headers: { "accept-encoding": "gzip" } };
    await app.fetch(new Request("http://localhost/large", request));
    expect(lastReasons()).toEqual(["the compressed length is unknown without the body"]);
  } finally {
    unsubscribe("framework.request.steps", listen);
  }
});

test.each([
  ["/large", "gzip", "gzip: 5000 bytes became fewer"],
  ["/large", null, "the request has no Accept-Encoding"],
  ["/large", "zstd", 'the client does not prefer gzip: Accept-Encoding is "zstd"'],
  ["/small", "gzip", "412 bytes are less than minSize 1024"],
  ["/web", "gzip", "gzip: 5000 bytes became fewer"],
  ["/small-web", "gzip", "412 bytes are less than minSize 1024"],
  ["/off", "gzip", "the route has compress: false"],
  ["/image", "gzip", "image/png is not compressible"],
  ["/fixed", "gzip", "Cache-Control has no-transform"],
  ["/signed", "gzip", "repr-digest is a digest of the plain body"],
  ["/coded", "gzip", "the reply is encoded already"],
  ["/stream", "gzip", "the length is unknown, and streams is false"],
  ["/nothing", "gzip", "the 204 reply has no complete body"],
])(
  "%s for Accept-Encoding %s has the expected reason, and the reply agrees with it",
  async (path, accepted, reason) => {
    subscribe("framework.request.steps", listen);
    try {
      const headers: Record<string, string> = accepted === null ? {} : { "accept-encoding": accepted };
      const reply = await makeApp().fetch(new Request(`http://localhost${path}`, { headers }));
      expect(lastReasons()?.map((text) => text.replace(/became \d+/, "became fewer"))).toEqual([reason]);
      expect(reply.headers.get("content-encoding") === "gzip").toBe(reason.startsWith("gzip"));
    } finally {
      unsubscribe("framework.request.steps", listen);
    }
  },
);
