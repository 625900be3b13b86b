import { App, HttpError, Response } from "@framework/core";
import type { CompressionConfig } from "./compression-config.ts";
import { type Compression, compression } from "./compression.ts";

/** About 12 KB of text that compresses. */
export const text: string = Array.from(
  { length: 400 },
  (_, at) => `${at}: book ${(at * 7919) % 1009}, even ${at % 2 === 0}\n`,
).join("");
/** The same text as a JSON object. */
export const large: { readonly text: string } = { text };
export const bytes: Uint8Array<ArrayBuffer> = new TextEncoder().encode(text);

/** An app with one route for each property that compression depends on. */
export const makeApp = (config?: number | Partial<CompressionConfig>): App & Compression => {
  const app = new (App.with(compression))().enableCompression(config);
  app.get("/text", () => text);
  app.get("/json", () => large);
  app.get("/bytes", () => Response.binary(bytes, { contentType: "application/vnd.api+json" }));
  app.get("/small", () => "small");
  app.get("/exact", () => "x".repeat(1024));
  app.get("/below", () => "x".repeat(1023));
  app.get("/image", () => Response.binary(bytes, { contentType: "image/png" }));
  app.get("/svg", () => Response.binary(bytes, { contentType: "image/svg+xml" }));
  app.get("/coded", () => Response.text(text, { headers: { "Content-Encoding": "gzip" } }));
  app.get("/fixed", () => Response.text(text, { headers: { "Cache-Control": "public, no-transform" } }));
  for (const field of ["Content-Digest", "Repr-Digest", "Content-MD5"])
    app.get(`/with-${field}`, () => Response.text(text, { headers: { [field]: "sha-256=:AA==:" } }));
  app.get("/part", () => Response.text(text, { status: 206, headers: { "Content-Range": "bytes 0-1/9" } }));
  app.get("/tagged", () =>
    Response.text(text, {
      headers: { ETag: '"strong"', "Accept-Ranges": "bytes", "Content-Length": String(text.length) },
    }),
  );
  for (const [path, length] of [
    ["/stated", text.length],
    ["/stated-small", 9],
  ] as const) {
    const fields = { ETag: '"strong"', "Accept-Ranges": "bytes", "Content-Type": "text/plain" };
    app.get(path, () => Response.text(text.slice(0, length), { headers: fields }));
    app.head(path, () => new Response(null, { headers: { ...fields, "Content-Length": String(length) } }));
  }
  app.get("/off", { compress: false }, () => text);
  app.get("/noise", () =>
    Response.binary(crypto.getRandomValues(new Uint8Array(4096)), { contentType: "text/x" }),
  );
  app.get("/fails", () => {
    throw new HttpError(409, text);
  });
  app.get("/kept", () => new Response(null, { status: 304, headers: { ETag: '"strong"' } }));
  app.get("/same", () => new Response(null, { status: 304 }));
  app.get("/nothing", () => null);
  return app;
};
