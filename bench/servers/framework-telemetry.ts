/**
 * The framework with telemetry: `--telemetry=none` is without the package, `off` with the package but not enabled; `traces`, `metrics` and `both` use
 * `--sampling` and `--collector`.
 */
import { App } from "@framework/core";
import { serveProcessMetrics } from "./process-metrics.ts";
import { greeting } from "./workload.ts";

const option = (name: string): string =>
  process.argv.find((arg) => arg.startsWith(`--${name}=`))?.split("=")[1] ?? "";

const createApp = async (): Promise<App> => {
  const telemetry = option("telemetry");
  if (telemetry === "none") return new App();
  const packages = await import("./telemetry-package.ts");
  const app = new (App.with(packages.telemetry))();
  if (telemetry === "off") return app;
  return app.enableTelemetry({
    otlpEndpoint: `http://127.0.0.1:${option("collector")}`,
    samplingRate: Number(option("sampling")),
    exportTraces: telemetry !== "metrics",
    exportMetrics: telemetry !== "traces",
    traceHeader: false, // the load client requires replies of constant length
  });
};

const app = await createApp();
app.get("/json", () => greeting());
app.get("/users/{id}", ({ params }) => ({ id: Number(params.id) }));
app.post("/echo", (request) => request.json());
await serveProcessMetrics();
await app.run({ env: "production", workers: 1, transport: "fast", argv: [] });
