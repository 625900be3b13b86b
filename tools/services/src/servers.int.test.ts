import { connect } from "amqplib";
import { Kafka, logLevel, Partitioners } from "kafkajs";
import { Client } from "pg";
import { expect, test } from "@jest/globals";
import { queryPostgres, startPostgres } from "./postgres.ts";
import { startPostgresNewest } from "./postgres-newest.ts";
import { checkRedis, startRedis, withRedis } from "./redis.ts";
import { startRedisCluster } from "./redis-cluster.ts";
import { withServer } from "./with-server.ts";
import { checkSqs, requestSqs, startSqs } from "./sqs.ts";

test("a PostgreSQL server keeps data and address after kill and start, and does not reply while paused", async () => {
  await using server = await startPostgres({ fsync: true });
  await queryPostgres(server.url, "CREATE TABLE kept (id int); INSERT INTO kept VALUES (7)");
  await server.kill();
  await expect(queryPostgres(server.url)).rejects.toThrow("ECONNREFUSED");
  await server.start();
  expect(await rowsOf(server.url, "SELECT id FROM kept")).toEqual([{ id: 7 }]);

  server.pause();
  await expect(queryPostgres(server.url)).rejects.toThrow(/timeout/i);
  server.resume();
  await queryPostgres(server.url);
});

test("the newest PostgreSQL is 18 or later, and keeps its data after a kill", async () => {
  await using server = await startPostgresNewest({ fsync: true });
  const [row] = await rowsOf(server.url, "SHOW server_version_num");
  expect(Number((row as { server_version_num: string }).server_version_num)).toBeGreaterThanOrEqual(180_000);
  await queryPostgres(
    server.url,
    "CREATE TABLE kept (id uuid DEFAULT uuidv7()); INSERT INTO kept DEFAULT VALUES",
  );
  await server.kill();
  await server.start();
  expect(await rowsOf(server.url, "SELECT count(*)::int AS kept FROM kept")).toEqual([{ kept: 1 }]);
});

const rowsOf = async (url: string, statement: string): Promise<unknown[]> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(statement);
  await client.end();
  return rows;
};

test("a durable Redis server keeps its data after shutdown and start", async () => {
  await using server = await startRedis({ durable: true });
  await withRedis(server.url, (client) => client.set("kept", "7"));
  await server.shutdown();
  await expect(checkRedis(server.url)).rejects.toThrow("Connection is closed");
  await server.start();
  expect(await withRedis(server.url, (client) => client.get("kept"))).toBe("7");
});

test("a Redis Cluster has three masters and three replicas when it is ready", async () => {
  await using cluster = await startRedisCluster();
  const roles = await Promise.all(cluster.nodes.map(({ url }) => withRedis(url, (client) => client.role())));
  expect(roles.map(([role]) => String(role)).sort()).toEqual([
    "master",
    "master",
    "master",
    "slave",
    "slave",
    "slave",
  ]);
});

withServer("rabbitmq", (amqpUrl) => {
  test("RabbitMQ confirms a message and delivers it from a quorum queue", async () => {
    const connection = await connect(amqpUrl);
    const channel = await connection.createConfirmChannel();
    const { queue } = await channel.assertQueue(`probe-${Date.now()}`, {
      durable: true,
      arguments: { "x-queue-type": "quorum" },
    });
    channel.sendToQueue(queue, Buffer.from("probe"), { persistent: true });
    await channel.waitForConfirms();
    const message = await channel.get(queue, { noAck: true });
    expect(message === false ? null : message.content.toString()).toBe("probe");
    await channel.deleteQueue(queue);
    await connection.close();
  });
});

withServer("kafka", (brokers) => {
  test("Kafka keeps the order of an idempotent producer's messages with one key", async () => {
    const kafka = new Kafka({ brokers: brokers.split(","), logLevel: logLevel.NOTHING });
    const topic = `probe-${Date.now()}`;
    const admin = kafka.admin();
    await admin.connect();
    await admin.createTopics({ topics: [{ topic, numPartitions: 2 }], waitForLeaders: false });
    const producer = kafka.producer({ idempotent: true, createPartitioner: Partitioners.DefaultPartitioner });
    await producer.connect();
    const values = Array.from({ length: 50 }, (_, n) => String(n));
    await producer.send({ topic, messages: values.map((value) => ({ key: "one", value })) });
    const consumer = kafka.consumer({ groupId: topic });
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    const seen: string[] = [];
    const all = Promise.withResolvers<void>();
    await consumer.run({
      eachMessage: async ({ message }) => {
        seen.push(String(message.value));
        if (seen.length === values.length) all.resolve();
      },
    });
    await all.promise;
    expect(seen).toEqual(values);
    await Promise.all([consumer.disconnect(), producer.disconnect(), admin.disconnect()]);
  });
});

withServer("sqs", (endpoint) => {
  test("checkSqs accepts the emulator, and fails without a server", async () => {
    await expect(checkSqs(endpoint)).resolves.toBeUndefined();
    await expect(checkSqs("http://127.0.0.1:1")).rejects.toThrow("fetch failed");
  });
});

test("a durable SQS emulator keeps its messages after a kill, and a cancelled request receives none", async () => {
  await using server = await startSqs({ durable: true });
  const QueueUrl = `${server.url}/000000000000/probe`;
  await requestSqs(server.url, "CreateQueue", { QueueName: "probe" });
  const leaving = new AbortController();
  const receive = { QueueUrl, WaitTimeSeconds: 20 };
  const waiting = requestSqs(server.url, "ReceiveMessage", receive, leaving.signal).catch(String);
  await requestSqs(server.url, "ReceiveMessage", { QueueUrl, WaitTimeSeconds: 1 }); // meanwhile the first request starts to wait
  leaving.abort();
  await waiting;
  await requestSqs(server.url, "ReceiveMessage", { QueueUrl, WaitTimeSeconds: 1 }); // meanwhile the emulator notices the cancellation
  await requestSqs(server.url, "SendMessage", { QueueUrl, MessageBody: "🙂" });
  await server.kill();
  await expect(checkSqs(server.url)).rejects.toThrow("fetch failed");
  await server.start();
  const { Messages } = await requestSqs(server.url, "ReceiveMessage", receive);
  expect(Messages).toMatchObject([{ Body: "🙂" }]);
});
