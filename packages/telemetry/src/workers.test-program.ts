import { App } from "@framework/core";
import { telemetry } from "./index.ts";

const app = new (App.with(telemetry))().enableTelemetry({ serviceName: "shop" });
app.get("/worker", () => new Promise((resolve) => void setTimeout(resolve, 20, { pid: process.pid })));
await app.run();
