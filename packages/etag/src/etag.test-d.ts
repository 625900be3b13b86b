import { App } from "@framework/core";
import { entityTag, etag, requireMatch } from "./index.ts";

const app = new (App.with(etag))();

app
  .enableEtag()
  .enableEtag({ weak: false })
  .put("/", (request) => requireMatch(request, { etag: entityTag("body", false) }, { required: true }));

// @ts-expect-error the method exists only on an app with the feature
new App().enableEtag();

// @ts-expect-error a misspelt option is found by the compiler
app.enableEtag({ week: true });
