import { App } from "@framework/core";
import { cors, type CorsConfig } from "./index.ts";

const app = new (App.with(cors))();

app
  .enableCors()
  .enableCors("https://app.example")
  .enableCors(["https://app.example"], { credentials: true, maxAge: 60 })
  .enableCors({ origins: ["https://app.example"], methods: ["GET"] } satisfies Partial<CorsConfig>)
  .get("/", () => "hello");

// @ts-expect-error the method exists only on an app with the feature
new App().enableCors();

// @ts-expect-error a misspelt option is found by the compiler
app.enableCors(["https://app.example"], { credential: true });

// @ts-expect-error origins are either the first argument or an option
app.enableCors(["https://app.example"], { origins: ["https://b.example"] });
