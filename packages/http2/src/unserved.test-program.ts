import { App } from "@framework/core";
import { http2 } from "./index.ts";

/** A service that enables HTTP/2 without TLS; `H2C` says whether it serves it all the same. */
const app = new (App.with(http2))().enableHttp2({ h2c: process.env["H2C"] === "true" });
await app.run({ port: 0, workers: 1 });
