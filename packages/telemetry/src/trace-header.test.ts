import { App } from "@framework/core";
import { cors } from "@framework/cors";
import { expect, test } from "@jest/globals";
import { telemetry } from "./telemetry.ts";
import { get, tracedService } from "./traced-app.test-kit.ts";

test("CORS lets pages of other origins send traceparent and read the trace's id", async () => {
  const app = new (App.with(telemetry, cors))().enableCors(["https://shop.example"]);
  await using service = await tracedService({}, { app });
  app.get("/", () => "home");
  const preflight = await app.fetch(
    new Request("http://shop.test/", {
      method: "OPTIONS",
      headers: {
        origin: "https://shop.example",
        "access-control-request-method": "GET",
        "access-control-request-headers": "traceparent",
      },
    }),
  );
  expect(preflight.headers.get("access-control-allow-headers")?.toLowerCase()).toContain("traceparent");
  const reply = await get(app, "/", { origin: "https://shop.example" });
  expect(reply.headers.get("access-control-expose-headers")).toContain("X-Trace-ID");
  expect((await service.finish()).spans).toHaveLength(2);
});

test("without traceHeader no reply has X-Trace-ID, and CORS does not expose it", async () => {
  const app = new (App.with(telemetry, cors))().enableCors(["https://shop.example"]);
  await using _service = await tracedService({ traceHeader: false }, { app });
  app.get("/", () => "home");
  const { headers } = await get(app, "/", { origin: "https://shop.example" });
  expect(headers.get("access-control-allow-origin")).toBe("https://shop.example");
  expect([headers.get("x-trace-id"), headers.get("access-control-expose-headers") ?? ""]).toEqual([
    null,
    expect.not.stringContaining("X-Trace-ID"),
  ]);
});
