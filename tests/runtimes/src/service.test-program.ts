// A service with ten features, and the parts of core that depend most on the runtime.
import { once } from "node:events";
import { JwtAuth, JwtClaims } from "@framework/auth";
import { bodyLimit } from "@framework/body-limit";
import { caching } from "@framework/cache";
import { compression } from "@framework/compression";
import { App, Blueprint, Response } from "@framework/core";
import { cors } from "@framework/cors";
import { etag } from "@framework/etag";
import { healthChecks } from "@framework/health";
import { openapi } from "@framework/openapi";
import { rateLimit } from "@framework/rate-limit";
import { requestId } from "@framework/request-id";
import { securityHeaders } from "@framework/security";
import { staticFiles } from "@framework/static-files";
import { websocket } from "@framework/websocket";

class Service extends App.with(
  requestId,
  cors,
  securityHeaders,
  compression,
  etag,
  bodyLimit,
  rateLimit,
  caching,
  staticFiles,
  openapi,
  healthChecks,
  websocket,
) {}

const app = new Service()
  .enableRequestId()
  .enableCors(["https://app.example"])
  .enableSecurityHeaders()
  .enableCompression({ minSize: 10, encodings: ["zstd", "br", "gzip"] })
  .enableEtag()
  .enableBodyLimit(100_000)
  .enableRateLimit({ maxRequests: 100_000 })
  .enableCaching({ ttl: 60 })
  .enableStaticFiles({ directory: import.meta.dirname, prefix: "/files" })
  .enableOpenapi()
  .enableHealthChecks();

let reads = 0;
app.get("/books/{id}", ({ params }) => ({ id: params.id, reads: ++reads, text: "x".repeat(1000) }));
app.post("/echo", { cache: false }, async (request) => ({ got: await request.json() }));
app.post("/upload", { cache: false }, async (request) => {
  const files = await request.files();
  return await Promise.all(files.map(async (file) => [file.filename, await file.text()]));
});
app.get("/fails", () => {
  throw new Error("a failure that production hides");
});
app.get("/stream", { cache: false, compress: false }, async function* stream() {
  for (let part = 0; part < 100; part++) yield `${part},`;
});
app.get("/events", () => Response.sse([{ data: "one" }, { data: "two", id: "2" }]));
let waiting = 0;
app.get("/waiting", { cache: false }, () => waiting);
app.get("/until-drain", { cache: false }, async ({ draining }) => {
  waiting++;
  if (!draining.aborted) await once(draining, "abort");
  return "drained";
});
app.get("/pid", { cache: false }, () => process.pid);
app.websocket("/live", async (socket) => {
  for await (const { text } of socket) await socket.sendText(`echo ${text}`);
});

const auth = new JwtAuth({ secret: "at least 32 bytes, in an environment variable" });
app.get("/token", { cache: false }, async () => await auth.createToken({ sub: "ann" }));
const own = new Blueprint("/own").use(auth);
own.get("/name", (request) => request.context.get(JwtClaims)?.sub);
app.registerBlueprint(own);

await app.run({ debug: false });
