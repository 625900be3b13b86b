import { App } from "@framework/core";
import { HealthCheckConfig, healthChecks } from "./index.ts";

const app = new (App.with(healthChecks))();

app
  .enableHealthChecks()
  .enableHealthChecks({ basePath: "/status", includeSystemInfo: true, version: "1.2.3" })
  .enableHealthChecks(HealthCheckConfig.kubernetes())
  .enableHealthChecks(HealthCheckConfig.detailed({ guards: [() => true] }))
  .healthCheck("store", () => {})
  .healthCheck(
    "search",
    { groups: ["ready", "startup"], critical: false, timeoutSecs: 2 },
    async (signal) => {
      await fetch("http://search.example/", { signal });
      return { version: 3 };
    },
  )
  .get("/", () => "hello");

// @ts-expect-error the method exists only if the feature is composed
new App().enableHealthChecks();

// @ts-expect-error a misspelt option
app.enableHealthChecks({ basepath: "/status" });

// @ts-expect-error there are three groups
app.healthCheck("store", { groups: ["alive"] }, () => {});

// @ts-expect-error a check does not return a boolean, it throws
app.healthCheck("store", () => true);

// @ts-expect-error options need a check
app.healthCheck("store", { critical: false });
