import { App } from "@framework/core";
import { http2 } from "./http2.ts";

const app = new (App.with(http2))();

app
  .enableHttp2()
  .enableHttp2({ h2c: true, maxConcurrentStreams: 50 })
  .get("/", () => "hello");

// @ts-expect-error the method exists only on an app with the feature
new App().enableHttp2();

// @ts-expect-error a misspelt option is found by the compiler
app.enableHttp2({ maxConcurrentStream: 50 });
