import { registerHooks } from "node:module";

// Starts an app that exports by gRPC without the exporter installed, and prints the code and message of its failure.
registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== "@opentelemetry/exporter-trace-otlp-grpc") return next(specifier, context);
    throw Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
  },
});
const { newApp } = await import("./traced-app.test-kit.ts");
const app = newApp().enableTelemetry({ otlpEndpoint: "http://localhost:4317" });
await app.start().catch(({ cause: { code, message } }) => console.log(JSON.stringify({ code, message })));
