import { App } from "@framework/core";
import { http2 } from "./index.ts";

/** A service of two workers with HTTP/2: over TLS if `CERT_FILE` and `KEY_FILE` are set, otherwise h2c. */
const { CERT_FILE: certFile, KEY_FILE: keyFile } = process.env;
const app = new (App.with(http2))().enableHttp2({ h2c: certFile === undefined });
app.get("/", (request) => ({ pid: process.pid, http: request.httpVersion }));
app.get("/slow", async () => {
  await new Promise((resolve) => setTimeout(resolve, 500));
  return { pid: process.pid };
});
await app.run({ workers: 2, ...(certFile !== undefined && { tls: { certFile, keyFile, watchSecs: 0 } }) });
