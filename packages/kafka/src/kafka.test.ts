import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { App } from "@framework/core";
import { systemClock } from "@framework/core/feature";
import { messaging } from "@framework/messaging";
import { expect, test } from "@jest/globals";
import { until } from "./faults.test-kit.ts";
import { kafka, kafkaBroker, type KafkaMessagingConfig } from "./index.ts";

const quiet = { info() {}, warn() {}, error() {} };
/** An address without a server. */
const unavailable = "127.0.0.1:1";

const failureOf = async (config: KafkaMessagingConfig): Promise<string> => {
  const app = new (App.with(messaging, kafka))().enableMessaging(config);
  const started = await app.start({ log: quiet }).then(
    () => "started",
    (error: Error) => error.message,
  );
  await app.stop();
  return started;
};

test("all mistakes in the configuration are reported together at start", async () => {
  const failure = await failureOf({
    brokers: "localhost",
    sasl: { mechanism: "plain", username: "a" } as never,
    sessionTimeoutMs: 1,
    compression: "lz4",
    replicas: 0,
    drainMs: -1,
    partitons: 3,
    drainMS: 1,
  } as KafkaMessagingConfig);
  for (const part of [
    "KafkaConfig.brokers must be a list of host:port",
    "KafkaConfig.sasl must be",
    "KafkaConfig.sessionTimeoutMs",
    'KafkaConfig.compression is "lz4", which Node does not have',
    "KafkaConfig.replicas must not be 0",
    "MessagingConfig.drainMs",
    'KafkaConfig has no field "partitons"; did you mean "partitions"?',
    'MessagingConfig has no field "drainMS"; did you mean "drainMs"?',
  ])
    expect(failure).toContain(part);
});

test.each([" one:9092 , two:9093", [" one:9092 ", "two:9093"]])(
  "servers has the addresses without surrounding spaces: %j",
  (brokers) => {
    const servers = kafkaBroker({ brokers }).servers?.map(({ host }) => host);
    expect(servers).toEqual(["one:9092", "two:9093"]);
  },
);

test("error messages do not include credentials", async () => {
  const failure = await failureOf({
    brokers: [unavailable],
    sasl: { mechanism: "unknown", username: "user", password: "hunter2" } as never,
    tls: "-----BEGIN PRIVATE KEY-----hunter2" as never,
  });
  expect(failure).toContain("KafkaConfig.sasl must be");
  expect(failure).toContain("KafkaConfig.tls must be");
  expect(failure).not.toContain("hunter2");
});

test("an app starts and stops while Kafka is unavailable", async () => {
  const app = new (App.with(messaging, kafka))().enableMessaging({
    brokers: [unavailable],
    groupId: "shop",
    topology: "off",
    sendTimeoutMs: 300,
  });
  app.messaging.subscribe("books", {}, () => {});
  await app.start({ log: quiet });
  expect(app.messaging.status()).toMatchObject([{ group: "shop", state: "connecting" }]);
  await expect(app.messaging.send("books", { type: "any", data: 1 })).rejects.toMatchObject({ status: 503 });
  await app.stop();
});

test.each(["__proto__", "constructor"])(
  "the topic %s is rejected by a send, and reported by the subscription",
  async (topic) => {
    const app = new (App.with(messaging, kafka))().enableMessaging({
      brokers: [unavailable],
      groupId: "shop",
      topology: "off",
    });
    app.messaging.subscribe(topic, {}, () => {});
    await app.start({ log: quiet });
    await expect(app.messaging.send(topic, { type: "any", data: 1 })).rejects.toMatchObject({
      cause: { message: expect.stringContaining(`the topic "${topic}" has the name of a property`) },
    });
    await until(
      "the reason",
      () => app.messaging.status()[0]?.reason?.includes(`the topic "${topic}" has the name`) === true,
    );
    await app.stop();
    expect(Object.keys(Object.prototype)).toEqual([]);
  },
);

test("with group: undefined, subscriptions without a group are in the group of groupId", async () => {
  const app = new (App.with(messaging, kafka))().enableMessaging({
    brokers: [unavailable],
    groupId: "billing",
    group: undefined,
    topology: "off",
  });
  app.messaging.subscribe("books", {}, () => {});
  await app.start({ log: quiet });
  expect(app.messaging.status().map(({ group }) => group)).toEqual(["billing"]);
  await app.stop();
});

test("groupId is also the group of subscriptions to an adapter", async () => {
  const broker = kafkaBroker({ brokers: [unavailable], groupId: "billing" });
  const app = new (App.with(messaging, kafka))().enableMessaging({ broker, topology: "off" });
  const audit = kafkaBroker({ brokers: [unavailable], groupId: "unused" });
  app.messaging.addBroker("audit", audit, { topology: "off", group: "audit" });
  app.messaging.subscribe("books", {}, () => {}).subscribe("books", { broker: "audit" }, () => {});
  await app.start({ log: quiet });
  expect(app.messaging.status().map(({ group }) => group)).toEqual(["billing", "audit"]);
  await app.stop();
});

test("a second broker is added by name", async () => {
  const app = new (App.with(messaging, kafka))().enableMessaging({ brokers: [unavailable], topology: "off" });
  app.messaging.addBroker("audit", kafkaBroker({ brokers: [unavailable] }), { topology: "off" });
  app.messaging.subscribe("books", { group: "a", broker: "audit" }, () => {});
  await app.start({ log: quiet });
  expect(app.messaging.status().map(({ broker }) => broker)).toEqual(["audit"]);
  await app.stop();
});

test("maxBodyBytes leaves room for key and headers in the largest batch", () => {
  expect(kafkaBroker({ maxBatchBytes: 1_000_000 }).capabilities.maxBodyBytes).toBe(1_000_000 - 40_960);
});

test("a server that accepts a connection without responding fails at connectTimeoutMs", async () => {
  const server = createServer(() => {}).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const adapter = kafkaBroker({ brokers: [`127.0.0.1:${port}`], tls: true, connectTimeoutMs: 100 });
  const context = { name: "test", instance: "one", clock: systemClock, random: Math.random, log: quiet };
  const broker = adapter.open(context);
  await expect(broker.health(AbortSignal.timeout(60_000))).rejects.toThrow("Connection timeout");
  await broker.close();
  server.close();
});

test("the client connects to an IPv6 address", async () => {
  const connected = Promise.withResolvers<string | undefined>();
  const server = createServer((socket) => {
    connected.resolve(socket.localAddress);
    socket.destroy();
  }).listen(0, "::1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const adapter = kafkaBroker({ brokers: `[::1]:${port}`, connectTimeoutMs: 60_000 });
  const context = { name: "test", instance: "one", clock: systemClock, random: Math.random, log: quiet };
  const broker = adapter.open(context);
  const checked = broker.health(AbortSignal.timeout(60_000)).catch(() => {}); // not a Kafka server
  expect(await connected.promise).toBe("::1");
  await broker.close();
  await checked;
  server.close();
});
