import { App } from "@framework/core";
import { type OpenapiConfig, openapi } from "./index.ts";

const app = new (App.with(openapi))();

app
  .enableOpenapi()
  .enableOpenapi({ title: "Books", version: "2.0.0", docsPath: false, redocPath: "/reference" })
  .enableOpenapi({
    servers: [{ url: "https://api.example" }],
    tags: [{ name: "books" }],
  } satisfies Partial<OpenapiConfig>)
  .get("/", { hidden: true }, () => "hello");

// @ts-expect-error the method exists only if the feature is composed
new App().enableOpenapi();

// @ts-expect-error a misspelt option is found by the compiler
app.enableOpenapi({ titel: "Books" });

// @ts-expect-error the path of the document cannot be disabled
app.enableOpenapi({ path: false });

// @ts-expect-error a server is an object
app.enableOpenapi({ servers: ["https://api.example"] });
