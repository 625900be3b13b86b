import { App } from "@framework/core";
import { type StaticFiles, staticFiles, type StaticFilesInput } from "./index.ts";

const app = new (App.with(staticFiles))();

app.enableStaticFiles({ directory: "public" }).get("/", () => "hello");
const input: StaticFilesInput = {
  directory: "public",
  prefix: "/",
  extensions: { html: 0 },
  dotFiles: undefined,
};
const chained: App & StaticFiles = app.enableStaticFiles(input);
chained.enableStaticFiles({ directory: "public", headers: { "x-a": "b" } });

// @ts-expect-error the method exists only if the feature is composed
new App().enableStaticFiles({ directory: "public" });

// @ts-expect-error there is no default for the folder
app.enableStaticFiles();

// @ts-expect-error the folder is required even with other options
app.enableStaticFiles({ prefix: "/assets" });

// @ts-expect-error a misspelt option
app.enableStaticFiles({ directory: "public", indexFiles: "index.html" });

// @ts-expect-error seconds are numbers
app.enableStaticFiles({ directory: "public", extensions: { html: "0" } });
