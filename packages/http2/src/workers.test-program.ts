import { App } from "@framework/core";
import { http2 } from "./index.ts";

/** A service with HTTP/2 over TLS; its files are named by environment variables. */
const app = new (App.with(http2))().enableHttp2();
app.get("/", (request) => ({ pid: process.pid, http: request.httpVersion }));
app.get("/slow", async () => {
  await new Promise((resolve) => setTimeout(resolve, 500));
  return { pid: process.pid };
});
await app.run({
  workers: 2,
  tls: { certFile: process.env["CERT_FILE"], keyFile: process.env["KEY_FILE"], watchSecs: 0 },
});
