import { randomUUID } from "node:crypto";
import { App } from "@framework/core";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { kafkaBroker } from "@framework/kafka";
import { type BrokerAdapter, messaging } from "@framework/messaging";
import { rabbitmqBroker } from "@framework/rabbitmq";
import { redis } from "@framework/redis";
import { withServer } from "@framework/services";
import { sqsBroker } from "@framework/sqs";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { get, tracedService } from "./traced-app.test-kit.ts";
import { telemetry } from "./telemetry.ts";

const traceId = (): string => randomUUID().replaceAll("-", "");
const caller = "b7ad6b7169203331";

const brokers: readonly (readonly [server: string, broker: (url: string) => BrokerAdapter])[] = [
  ["kafka", (brokers) => kafkaBroker({ brokers, partitions: 1, sessionTimeoutMs: 6000 })],
  ["rabbitmq", (url) => rabbitmqBroker({ url })],
  [
    "sqs",
    (endpointUrl) =>
      sqsBroker({
        endpointUrl,
        waitTimeSecs: 1,
        credentials: { accessKeyId: "test", secretAccessKey: "test" },
      }),
  ],
];

for (const [server, brokerOn] of brokers)
  withServer(server, (url) => {
    test.each([false, true])(
      "one trace connects a request with the consumer of its message and the consumer's statement (outbox: %s)",
      async (outbox) => {
        const topic = `t${randomUUID().slice(0, 8)}`;
        const app = new (App.with(telemetry, database, durable, messaging))()
          .enableDatabase({ url: "sqlite://:memory:" })
          .enableMessaging({ broker: brokerOn(url), outbox, topics: [topic], drainMs: 1000 });
        await using service = await tracedService({}, { app });
        let handled = 0;
        app.messaging.subscribe(topic, { group: "search", from: "earliest" }, async () => {
          await app.db.query`SELECT 7`;
          handled++;
        });
        app.post("/orders", async () => {
          await app.messaging.send(topic, { type: "order.placed", key: "7", data: { id: 7 } });
          return "placed";
        });
        const order = async (): Promise<string | null> => {
          const id = traceId();
          const headers = { traceparent: `00-${id}-${caller}-01` };
          const reply = await app.fetch(new Request("http://shop.test/orders", { method: "POST", headers }));
          return reply.status === 200 ? id : null;
        };
        const id = await waitFor(order, { timeoutMs: 90_000 }); // 503 until the topic exists
        await waitFor(() => handled === 1, { timeoutMs: 90_000 });
        const spans = (await service.finish()).spans.filter((span) => span.traceId === id);
        const named = (name: string) => spans.find((span) => span.name === name);
        const [request, send, process] = ["POST /orders", `send ${topic}`, `process ${topic}`].map(named);
        expect([request?.parentSpanId, send?.kind, process?.kind]).toEqual([caller, "producer", "consumer"]);
        expect(process?.parentSpanId).toBe(send?.spanId);
        const statement = spans.find(({ parentSpanId }) => parentSpanId === process?.spanId);
        expect(statement).toMatchObject({ name: "SELECT", kind: "client" });
      },
      180_000,
    );
  });

withServer("redis", (url) => {
  test("a Redis command is a client span of the request, without its arguments", async () => {
    const app = new (App.with(telemetry, redis))().enableRedis({ url });
    await using service = await tracedService({}, { app });
    app.get("/", async () => {
      await app.redis.set("telemetry:canary", "canary-value", "PX", 1000);
      return "kept";
    });
    await get(app, "/");
    const { spans } = await service.finish();
    const request = spans.find(({ name }) => name === "GET /");
    const commands = spans.filter(({ parentSpanId }) => parentSpanId === request?.spanId);
    expect(commands).toMatchObject([
      { name: "SET", kind: "client", attributes: { "db.system.name": "redis", "db.operation.name": "SET" } },
    ]);
    expect(JSON.stringify(commands[0]?.attributes)).not.toContain("canary");
  });
});
