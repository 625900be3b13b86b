import { App } from "@framework/core";
import { __feature__ } from "./__file__.ts";

const app = new (App.with(__feature__))();

app
  .enable__Feature__()
  .enable__Feature__({ value: "yes" })
  .get("/", () => "hello");

// @ts-expect-error the method exists only where the feature is composed
new App().enable__Feature__();

// @ts-expect-error a misspelt option is found by the compiler
app.enable__Feature__({ valeu: "yes" });
