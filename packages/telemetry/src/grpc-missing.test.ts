import { expect, jest, test } from "@jest/globals";

jest.unstable_mockModule("@opentelemetry/exporter-trace-otlp-grpc", () => {
  throw Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
});
const { newApp } = await import("./traced-app.test-kit.ts");

test("gRPC without its exporters is a start error that says what to install", async () => {
  const app = newApp().enableTelemetry({ otlpEndpoint: "http://localhost:4317" });
  await expect(app.start()).rejects.toMatchObject({
    cause: {
      code: "TELEMETRY_NEEDS_GRPC",
      message: expect.stringMatching(/install both, or set `protocol`/),
    },
  });
});
