import { App } from "@framework/core";
import { requestId, withRequestId } from "./index.ts";

const app = new (App.with(requestId))();

app
  .enableRequestId()
  .enableRequestId({ headerName: "X-Correlation-ID", keepIncoming: false })
  .get("/", (request) => fetch("https://stock.example", withRequestId(request)));

// @ts-expect-error the method exists only on an app with the feature
new App().enableRequestId();

// @ts-expect-error a misspelt option is found by the compiler
app.enableRequestId({ header: "X-Id" });
