import { App } from "@framework/core";
import { http2 } from "./index.ts";

/** A service without TLS that enables HTTP/2; `H2C=true` enables h2c. */
const app = new (App.with(http2))().enableHttp2({ h2c: process.env["H2C"] === "true" });
await app.run({ port: 0, workers: 1 });
