// Service for W3C's trace-context test harness: for each item of the body it posts `arguments` to `url`.
//   node --conditions=@framework/source src/trace-context.test-program.ts [port]
// and in the harness's folder: python3 test.py http://127.0.0.1:PORT/test
import { App } from "@framework/core";
import { telemetry } from "./telemetry.ts";

interface Call {
  readonly url: string;
  readonly arguments: readonly Call[];
}

const app = new (App.with(telemetry))().enableTelemetry({ samplingRate: 0.5 });
app.post("/test", async (request) => {
  for (const call of (await request.json()) as readonly Call[])
    await fetch(call.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(call.arguments),
    });
  return {};
});
await app.run({ port: Number(process.argv[2] ?? 5000), argv: [] });
