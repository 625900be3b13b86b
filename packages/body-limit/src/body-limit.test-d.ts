import { App } from "@framework/core";
import { bodyLimit } from "./index.ts";

const app = new (App.with(bodyLimit))();

app
  .enableBodyLimit()
  .enableBodyLimit(1000)
  .enableBodyLimit({ maxBodyBytes: 1000, decode: ["gzip", "zstd"] });
app.post("/", { maxBodyBytes: 10 }, () => "hello");

// @ts-expect-error the method exists only on an app with the feature
new App().enableBodyLimit();

// @ts-expect-error a misspelt option is found by the compiler
app.enableBodyLimit({ maxsize: 1 });

// @ts-expect-error an unsupported coding
app.enableBodyLimit({ decode: ["compress"] });
