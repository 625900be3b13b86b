import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, test } from "@jest/globals";
import { App } from "@framework/core";
import { messaging } from "@framework/messaging";
import { waitFor } from "@framework/testing";
import { rabbitmq, RabbitMQConfig, rabbitmqBroker } from "./index.ts";

const start = async (config: object): Promise<void> => {
  const app = new (App.with(messaging, rabbitmq))().enableRabbitmq(config);
  await app.start();
  await app.stop();
};

test("url and prefetchCount have the specified defaults", () => {
  const { url, prefetchCount } = RabbitMQConfig.of();
  expect([url, prefetchCount]).toEqual(["amqp://localhost", 10]);
});

test("mistakes in fields of RabbitMQConfig and MessagingConfig are reported together, at start", async () => {
  const failure = await start({ url: "http://localhost", prefetchCount: 0, drainMs: -1 }).catch(String);
  for (const name of ["RabbitMQConfig.url", "RabbitMQConfig.prefetchCount", "MessagingConfig.drainMs"])
    expect(failure).toContain(name);
});

test("a misspelt field is reported by the record with the nearest name, an unknown one by RabbitMQConfig", async () => {
  const failure = await start({ prefetchcount: 1, drainMS: 1, colour: "red" }).catch(String);
  expect(failure).toContain('RabbitMQConfig has no field "prefetchcount"; did you mean "prefetchCount"?');
  expect(failure).toContain('MessagingConfig has no field "drainMS"; did you mean "drainMs"?');
  expect(failure).toContain('RabbitMQConfig has no field "colour"');
});

test("ca with an address without TLS is a start error", async () => {
  const config = { url: "amqp://localhost", ca: "-----BEGIN CERTIFICATE-----" };
  const problem = "RabbitMQConfig.ca needs a url with amqps://";
  await expect(start({ ...config, drainMs: -1 })).rejects.toThrow(problem);
  await expect(start({ ...config, drainMs: -1 })).rejects.toThrow("MessagingConfig.drainMs");
  expect(() => rabbitmqBroker(config)).toThrow(problem);
  expect(() => rabbitmqBroker({ ...config, url: "amqps://localhost" })).not.toThrow();
});

test("without delay queues the adapter declares that it supports no delays", () => {
  const { capabilities } = rabbitmqBroker({ delayQueues: false });
  expect([capabilities.maxDelayMs, capabilities.maxRetryDelayMs]).toEqual([0, 0]);
});

test("the app starts without a server, and reports the reason", async () => {
  const app = new (App.with(messaging, rabbitmq))().enableRabbitmq({ url: "amqp://user:secret@127.0.0.1:1" });
  app.messaging.subscribe("orders", { group: "mail" }, () => {});
  const lines: unknown[] = [];
  const log = { info() {}, warn: (...line: unknown[]) => void lines.push(line), error() {} };
  await app.start({ log });
  try {
    await waitFor(() => app.messaging.status()[0]?.reason?.includes("ECONNREFUSED"));
  } finally {
    await app.stop();
  }
  expect(JSON.stringify(lines)).not.toContain("secret");
});

test("a server that accepts a connection without responding fails at connectionTimeoutMs, and is retried", async () => {
  let connections = 0;
  const server = createServer(() => void connections++).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = `amqp://127.0.0.1:${port}`;
  const app = new (App.with(messaging, rabbitmq))().enableRabbitmq({ url, connectionTimeoutMs: 50 });
  app.messaging.subscribe("orders", { group: "mail" }, () => {});
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  try {
    await waitFor(() => connections > 2);
    expect(app.messaging.status()[0]?.reason).toContain("ETIMEDOUT");
  } finally {
    await app.stop();
    server.close();
  }
});

/** Starts a server that sends the given bytes to each client, and then nothing; returns its address and the received bytes. */
const startServer = async (bytes: Buffer) => {
  let received = Buffer.alloc(0);
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.write(bytes);
    socket.on("error", () => {}); // the client has ended
    socket.on("data", (chunk: Buffer) => void (received = Buffer.concat([received, chunk])));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: () => received,
    connections: () => connections,
    [Symbol.dispose]: () => void server.close(),
  };
};

/** The first frame of a server: `Connection.Start`, without properties. */
const startFrame = (): Buffer => {
  const text = (value: string): Buffer =>
    Buffer.concat([Buffer.from([0, 0, 0, value.length]), Buffer.from(value)]);
  const payload = Buffer.concat([
    Buffer.from([0, 10, 0, 10, 0, 9, 0, 0, 0, 0]),
    text("PLAIN"),
    text("en_US"),
  ]);
  return Buffer.concat([Buffer.from([1, 0, 0, 0, 0, 0, payload.length]), payload, Buffer.from([0xce])]);
};

test("user and password are percent-decoded as UTF-8", async () => {
  using server = await startServer(startFrame());
  const url = `amqp://j%C3%BCrgen:p%40ss%E2%82%AC@${server.host}`;
  const app = new (App.with(messaging, rabbitmq))().enableRabbitmq({ url });
  app.messaging.subscribe("orders", { group: "mail" }, () => {});
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  await waitFor(() => server.received().includes("\0j"));
  await app.stop();
  expect(server.received().toString()).toContain("\0jürgen\0p@ss€");
});

test.each(["create", "off"] as const)(
  "a server that does not respond to a connection does not delay a stop: topology %s",
  async (topology) => {
    using server = await startServer(Buffer.alloc(0));
    const config = { url: `amqp://${server.host}`, connectionTimeoutMs: 60_000, topology };
    const app = new (App.with(messaging, rabbitmq))().enableRabbitmq(config);
    app.messaging.subscribe("orders", { group: "mail" }, () => {});
    const errors: string[] = [];
    await app.start({ log: { info() {}, warn() {}, error: (message) => void errors.push(message) } });
    await waitFor(() => server.connections() > 0);
    const from = performance.now();
    await app.stop();
    expect(performance.now() - from).toBeLessThan(4000);
    expect(errors).toEqual([]);
  },
);
