import { App } from "@framework/core";
import { compression } from "./index.ts";

const app = new (App.with(compression))();

app
  .enableCompression()
  .enableCompression(2048)
  .enableCompression({ encodings: ["br", "gzip"], streams: true });
app.get("/", { compress: false }, () => "hello");

// @ts-expect-error the method exists only if the feature is composed
new App().enableCompression();

// @ts-expect-error a misspelt option is found by the compiler
app.enableCompression({ minsize: 1 });

// @ts-expect-error an unsupported coding
app.enableCompression({ encodings: ["deflate"] });
