import { App, Blueprint } from "@framework/core";
import { deprecation } from "./index.ts";

const app = new (App.with(deprecation))();

app.enableDeprecation().enableDeprecation({ since: "2026-11-01", policy: "/deprecations", maxCallers: 10 });
app.get("/a", { deprecated: true, sunset: "2027-11-01", successor: "/b" }, () => 1);
app.get("/b", { deprecated: false, sunset: false, successor: false }, () => 1);
new (Blueprint.with(deprecation))("/v1", { deprecated: "2026-11-01" }).get(
  "/a",
  { deprecated: false },
  () => 1,
);

// @ts-expect-error the method exists only on an app with the feature
new App().enableDeprecation();

// @ts-expect-error a misspelt option
app.enableDeprecation({ sinze: "2026-11-01" });

// @ts-expect-error dates are strings, so that their time zone is explicit
app.get("/c", { deprecated: new Date() }, () => 1);
