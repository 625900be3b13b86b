import { App } from "@framework/core";
import { OpenTelemetryConfig, telemetry } from "./index.ts";

const app = new (App.with(telemetry))();

app
  .enableTelemetry()
  .enableTelemetry({ serviceName: "books", otlpEndpoint: "http://localhost:4318", samplingRate: 0.1 })
  .enableTelemetry(OpenTelemetryConfig.of({ protocol: "grpc", resourceAttributes: { team: "blue" } }))
  .get("/", () => "hello");

// @ts-expect-error the method exists only where the feature is composed
new App().enableTelemetry();

// @ts-expect-error the compiler rejects a misspelt option
app.enableTelemetry({ sampleRate: 1 });

// @ts-expect-error the protocol is not supported
app.enableTelemetry({ protocol: "http/json" });
