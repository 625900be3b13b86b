import { bundledProgram } from "@framework/bundled-sources";
import { startProgram } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { startReceiver } from "./otlp-receiver.test-kit.ts";

test("spans and metrics of all workers arrive after SIGTERM, and resource attributes identify the workers", async () => {
  const receiver = await startReceiver();
  await using program = await startProgram(
    bundledProgram(new URL("./workers.test-program.ts", import.meta.url)),
    {
      args: ["--workers", "2"],
      conditions: ["@framework/source"],
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_METRIC_EXPORT_INTERVAL: "3600000" },
    },
  );
  const replyCounts = new Map<number, number>();
  while (replyCounts.size < 2 || [...replyCounts.values()].some((count) => count < 3)) {
    const replies = await Promise.all(
      Array.from({ length: 8 }, async () =>
        fetch(new URL("/worker", program.url), { headers: { connection: "close" } }),
      ),
    );
    for (const reply of replies) {
      const { pid } = (await reply.json()) as { pid: number };
      replyCounts.set(pid, (replyCounts.get(pid) ?? 0) + 1);
    }
  }
  expect((await program.stop()).code).toBe(0);
  const byPid = Map.groupBy(receiver.spans, ({ resource }) => Number(resource["process.pid"]));
  expect(new Map([...byPid].map(([pid, spans]) => [pid, spans.length]))).toEqual(replyCounts);
  const instances = [...byPid.values()].map(
    (spans) => new Set(spans.map(({ resource }) => resource["service.instance.id"])),
  );
  expect(instances.map(({ size }) => size)).toEqual([1, 1]);
  expect(new Set(instances.flatMap((ids) => [...ids])).size).toBe(2);
  const counted = receiver.exported
    .filter(({ name }) => name === "http.server.request.duration")
    .map(({ resource, points }) => [Number(resource["process.pid"]), points[0]?.value] as const);
  expect(new Map(counted)).toEqual(replyCounts);
  await receiver.close();
}, 180_000);
