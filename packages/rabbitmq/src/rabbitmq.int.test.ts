// Above 250 lines, because the tests share a server; each covers one behaviour of amqplib or RabbitMQ.
import { randomUUID } from "node:crypto";
import { expect, test } from "@jest/globals";
import { selfSigned } from "@framework/conformance";
import { startProxy, withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import { newName, onServer, TestApp, TestProcess } from "./process.test-kit.ts";

withServer("rabbitmq", (url) => {
  test("a message without a queue fails, and so does one to a topic that does not exist", async () => {
    await using process = new TestProcess({ url });
    const missing = await process.send([{}]);
    await process.broker.topology({ topics: [process.topic], subscriptions: [] }, "create");
    const unbound = await process.send([{}, { key: "k" }, { key: "k" }]);
    await process.declare();
    const [stored] = await process.send([{}]);
    for (const result of [...missing, ...unbound])
      expect(result).toMatchObject({ ok: false, isRetryable: true, error: { code: "RABBITMQ_UNROUTABLE" } });
    expect(stored).toEqual({ ok: true });
  });

  test("one event sent to two topics fails only for the topic without a queue", async () => {
    await using process = new TestProcess({ url });
    await using other = new TestProcess({ url });
    await process.declare();
    await other.broker.topology({ topics: [other.topic], subscriptions: [] }, "create"); // no queue
    await process.send([{}, { topic: other.topic }]); // both exchanges are known
    const [stored, returned] = await process.send([{ id: "7" }, { id: "7", topic: other.topic }]);
    expect(stored).toEqual({ ok: true });
    expect(returned).toMatchObject({ ok: false, error: { code: "RABBITMQ_UNROUTABLE" } });
  });

  test("a message whose id or content type is too long for an AMQP property is stored", async () => {
    await using process = new TestProcess({ url });
    await process.declare();
    const id = "i".repeat(512);
    const headers = { cloudevents_id: id, "content-type": "application/json" };
    const type = `text/plain; a=${"t".repeat(300)}`;
    const others = { ...headers, "content-type": type, ["n".repeat(256)]: "too long for AMQP" };
    const results = await process.send([
      { id, headers },
      { id: `${id.slice(1)}é`, headers: others },
    ]);
    expect(results).toEqual([{ ok: true }, { ok: true }]);
    const { sink } = await process.consume();
    await waitFor(() => sink.deliveries.length === 2);
    expect(sink.deliveries.map((delivery) => ({ ...delivery.headers }))).toEqual([
      headers,
      { ...headers, "content-type": type },
    ]);
    expect(new Set(sink.deliveries.map((delivery) => delivery.id)).size).toBe(2);
  });

  test("a reply to a process that has ended fails, without failing other messages", async () => {
    await using process = new TestProcess({ url });
    await process.declare();
    const topic = `replies.${randomUUID()}`;
    {
      await using requester = new TestProcess({ url });
      const { sink } = await requester.consume({ topics: [topic], isPrivate: true, from: "latest" });
      expect(await process.send([{ topic }])).toEqual([{ ok: true }]);
      await waitFor(() => sink.deliveries.length === 1);
    }
    const results = await process.send([{}, { topic }, {}]);
    expect(results.map(({ ok }) => ok)).toEqual([true, false, true]);
    expect(results[1]).toMatchObject({ error: { code: "RABBITMQ_UNROUTABLE" } });
  });

  test("after a failed message no other message of its key and topic is stored, but messages of other topics are", async () => {
    await using process = new TestProcess({ url });
    await using other = new TestProcess({ url });
    await process.declare();
    await other.broker.topology({ topics: [other.topic], subscriptions: [] }, "create"); // no queue
    const results = await process.send([
      { topic: other.topic, key: "a", body: "1" },
      { topic: other.topic, key: "a", body: "2" },
      { key: "a", body: "3" },
    ]);
    expect(results.map(({ ok }) => ok)).toEqual([false, false, true]);
  });

  test("senders wait for a full channel, and every message is confirmed", async () => {
    await using process = new TestProcess({ url });
    await process.declare();
    const body = "x".repeat(16_384);
    const results = await process.send(Array.from({ length: 500 }, () => ({ body })));
    expect(results.filter(({ ok }) => ok)).toHaveLength(500);
    const { sink, consumer } = await process.consume();
    await waitFor(async () => ((await consumer.lag()) ?? 0) + sink.deliveries.length === 500);
  });

  test("prefetchCount limits the deliveries that a process holds", async () => {
    await using process = new TestProcess({ url, prefetchCount: 3 });
    await process.declare();
    await process.send(Array.from({ length: 10 }, (_, n) => ({ body: String(n) })));
    const { sink, consumer } = await process.consume({ prefetch: 100 });
    await waitFor(() => sink.deliveries.length === 3);
    await waitFor(async () => (await consumer.lag()) === 7);
    expect(sink.deliveries).toHaveLength(3);
  });

  test("a queue with other properties is reported, and not changed", async () => {
    await using process = new TestProcess({ url });
    await process.declare("none");
    for (const mode of ["create", "verify"] as const) {
      const problems = await process.broker.topology(process.topology("key"), mode);
      expect(problems).toHaveLength(1);
      expect(problems[0]).toMatch(/queue .*:group has other properties.*x-single-active-consumer/);
    }
  });

  test("verify reports missing parts with the remedy, and creates nothing", async () => {
    await using process = new TestProcess({ url });
    const missing = await process.broker.topology(process.topology(), "verify");
    expect(missing.join("\n")).toContain(
      `there is no queue ${process.topic}:group; create it with "npx @framework/cli topology", or set topology: "create"`,
    );
    expect(await process.broker.topology(process.topology(), "verify")).toEqual(missing);
    await process.declare();
    expect(await process.broker.topology(process.topology(), "verify")).toEqual([]);
  });

  test("a delivery limit below the tries of a subscription is reported", async () => {
    await using process = new TestProcess({ url, deliveryLimit: 5 });
    const { topics, subscriptions } = process.topology();
    const spec = { topics, subscriptions: subscriptions.map((each) => ({ ...each, maxTries: 5 })) };
    expect((await process.broker.topology(spec, "create")).join()).toContain(
      "deliveryLimit must be greater than the 5 tries",
    );
  });

  test("a consumer redeclares a deleted queue and consumes", async () => {
    await using process = new TestProcess({ url });
    await process.declare();
    const { sink } = await process.consume();
    await onServer(url, (channel) => channel.deleteQueue(`${process.topic}:group`));
    await waitFor(() => sink.states.filter((state) => state === "running").length === 2);
    expect(sink.states[1]).toMatch(/^connecting .*cancelled/);
    await process.send([{ body: "again" }]);
    await waitFor(() => sink.bodies.includes("again"));
  });

  test("the next send redeclares a deleted exchange", async () => {
    await using process = new TestProcess({ url });
    await process.declare();
    await process.send([{}]);
    await onServer(url, (channel) => channel.deleteExchange(process.topic));
    await waitFor(async () => (await process.send([{ body: "again" }]))[0]?.ok);
    const { sink } = await process.consume();
    await waitFor(() => sink.deliveries.length === 2);
    expect(sink.bodies).toEqual(["{}", "again"]);
  });

  test("settling a delivery of an earlier channel acknowledges nothing", async () => {
    await using proxy = await startProxy(url);
    await using process = new TestProcess({ url: proxy.url });
    await process.declare();
    await process.send([{ body: "1" }, { body: "2" }]);
    const { sink, consumer } = await process.consume();
    await waitFor(() => sink.deliveries.length === 2);
    proxy.drop();
    await waitFor(() => sink.deliveries.length === 4);
    expect(sink.lostDeliveries).toHaveLength(2);
    const stale = sink.lostDeliveries.map((delivery) => ({ delivery, action: "done" }) as const);
    expect(await consumer.settle(stale)).toEqual(sink.lostDeliveries);
    await consumer.close();
    await using next = new TestProcess({ url }, process.topic);
    const again = await next.consume();
    await waitFor(() => again.sink.deliveries.length === 2);
  });

  test("a delayed try that cannot be stored does not block other settlements of its call", async () => {
    await using process = new TestProcess({ url });
    await process.declare();
    const refused = `${process.topic}:group:delay:200`;
    await onServer(url, (channel) => channel.assertQueue(refused, { durable: true })); // with other properties
    await process.send(["a", "b", "c"].map((body) => ({ body })));
    const { sink, consumer } = await process.consume();
    await waitFor(() => sink.deliveries.length === 3);
    const [, stored, late] = sink.bodies;
    const settlements = sink.deliveries.map((delivery, at) =>
      at === 0
        ? ({ delivery, action: "done" } as const)
        : ({ delivery, action: "retry", delayMs: at * 100, tries: 1 } as const),
    );
    for (let calls = 0; calls < 3; calls++)
      await expect(consumer.settle(settlements)).rejects.toMatchObject({ code: "RABBITMQ_REFUSED" });
    await waitFor(() => sink.deliveries.length === 4);
    expect([sink.bodies[3], sink.deliveries[3]?.tries]).toEqual([stored, 1]);
    await onServer(url, (channel) => channel.deleteQueue(refused));
    expect(await consumer.settle(settlements)).toEqual([]);
    await waitFor(() => sink.deliveries.length === 5);
    expect([sink.bodies[4], sink.deliveries[4]?.tries]).toEqual([late, 1]);
  });

  test("a delayed try of a message without a content type has none", async () => {
    await using process = new TestProcess({ url });
    await process.declare();
    await onServer(url, async (channel) => {
      channel.sendToQueue(`${process.topic}:group`, Buffer.from('{"a":1}'), { messageId: "7" });
      await channel.checkQueue(`${process.topic}:group`); // responds after the message was sent
    });
    const { sink, consumer } = await process.consume();
    const [delivery] = await waitFor(() => sink.deliveries.length === 1 && sink.deliveries);
    if (delivery === undefined) throw new Error("nothing was delivered");
    await consumer.settle([{ delivery, action: "retry", delayMs: 10, tries: 1 }]);
    const [, copy] = await waitFor(() => sink.deliveries.length === 2 && sink.deliveries);
    expect([delivery, copy].map((each) => [{ ...each?.headers }, each?.id])).toEqual([
      [{}, "7"],
      [{}, "7"],
    ]);
  });

  test("a message is delivered again if its connection breaks between effect and acknowledgement", async () => {
    await using proxy = await startProxy(url);
    const topic = newName();
    let effects = 0;
    await using one = new TestApp({ url: proxy.url, topics: [topic] }).subscribe(topic, {}, () => {
      if (++effects === 1) proxy.drop();
    });
    await one.start();
    await waitFor(() =>
      one.app.messaging.send(topic, { type: "t", data: 1 }).then(
        () => true,
        () => false,
      ),
    );
    await waitFor(() => effects >= 2);
    await waitFor(() => one.app.messaging.status()[0]?.done);
    expect(effects).toBe(2);
  });

  test("a consumer of several topics opens every channel before the first delivery, and settles each", async () => {
    const topics = [newName(), newName(), newName()];
    await using holder = new TestProcess({ url });
    await holder.declare("none", topics);
    await holder.send(topics.flatMap((topic) => ["1", "2"].map((body) => ({ topic, body }))));
    const held = await holder.consume({ topics });
    await waitFor(() => held.sink.deliveries.length === 6);
    await held.consumer.close();
    await using next = new TestProcess({ url });
    const { sink, consumer } = await next.consume({ topics }); // all are redelivered at once
    await waitFor(() => sink.deliveries.length === 6);
    expect(sink.deliveries.every(({ isRedelivered }) => isRedelivered)).toBe(true);
    expect(await consumer.settle(sink.deliveries.map((delivery) => ({ delivery, action: "done" })))).toEqual(
      [],
    );
    await consumer.close();
    expect(await consumer.lag()).toBe(0);
  });

  test("a message that is never settled is a dead letter at the delivery limit", async () => {
    await using process = new TestProcess({ url, deliveryLimit: 2 });
    await process.declare();
    await process.send([{ body: "poison", headers: { "x-shelf": "a" } }]);
    for (let times = 0; times < 3; times++) {
      const { sink, consumer } = await process.consume();
      await waitFor(() => sink.deliveries.length === 1);
      await consumer.close();
    }
    const deadLetter = await waitFor(() =>
      onServer(url, (channel) => channel.get(`${process.topic}.group.dlq`, { noAck: true })),
    );
    expect([deadLetter.content.toString(), deadLetter.properties.headers?.["x-shelf"]]).toEqual([
      "poison",
      "a",
    ]);
  });

  test("dead letters are stored in a queue with the name of their topic; a group that subscribes to the topic receives later ones", async () => {
    const topic = newName();
    const dead = `${topic}.group.dlq`;
    const retry = { quickTries: 1, delaysMs: [] };
    const fail = (): never => {
      throw new Error("broken");
    };
    const received: unknown[] = [];
    {
      await using one = new TestApp({ url, topics: [topic] }).subscribe(
        topic,
        { retry, deadLetter: "topic" },
        fail,
      );
      await one.start();
      await one.app.messaging.send(topic, { type: "t", data: 1 });
      await waitFor(() =>
        onServer(url, async (channel) => (await channel.checkQueue(dead)).messageCount === 1),
      );
    }
    await using two = new TestApp({ url, topics: [topic] })
      .subscribe(topic, { retry, deadLetter: "topic" }, fail)
      .subscribe(dead, { group: "operators" }, ({ data }) => void received.push(data));
    await two.start();
    await two.app.messaging.send(topic, { type: "t", data: 2 });
    await waitFor(() => received.length === 1);
    expect(received).toEqual([2]);
  });

  test.each([true, false])(
    "delayQueues %s: a delayed message is handled, and not before its due time",
    async (delayQueues) => {
      const topic = newName();
      let at = 0;
      await using one = new TestApp({ url, topics: [topic], delayQueues });
      await one.subscribe(topic, {}, () => void (at = performance.now())).start();
      const from = performance.now();
      await one.app.messaging.send(topic, { type: "later", data: 1 }, { delayMs: 400 });
      await waitFor(() => at > 0);
      expect(at - from).toBeGreaterThanOrEqual(390);
      const delayQueue = onServer(url, (channel) => channel.checkQueue(`${topic}:delay:400`));
      const exists = delayQueue.then(
        () => true,
        () => false,
      );
      expect(await exists).toBe(delayQueues);
    },
  );

  test("events have the headers of the AMQP binding of CloudEvents", async () => {
    const topic = newName();
    await using process = new TestProcess({ url }, topic);
    await process.declare();
    await using one = new TestApp({ url, topics: [topic], source: "/shop" });
    await one.start();
    await one.app.messaging.send(topic, { id: "7", type: "book.created", key: "k", data: { title: "Emma" } });
    const found = await onServer(url, (channel) => channel.get(`${topic}:group`, { noAck: true }));
    if (found === false) throw new Error("there is no message");
    expect(found.properties.headers).toMatchObject({
      cloudEvents_specversion: "1.0",
      cloudEvents_id: "7",
      cloudEvents_type: "book.created",
      cloudEvents_source: "/shop",
      cloudEvents_partitionkey: "k",
    });
    expect([found.properties.contentType, found.content.toString()]).toEqual([
      "application/json",
      '{"title":"Emma"}',
    ]);
  });

  test("amqps trusts only the authorities of ca", async () => {
    const certificate = selfSigned("127.0.0.1");
    await using proxy = await startProxy(url, { tls: certificate });
    const secure = proxy.url.replace("127.0.0.1", "localhost");
    const named = selfSigned("localhost");
    await using other = await startProxy(url, { tls: named });
    await using trusted = new TestProcess({
      url: other.url.replace("127.0.0.1", "localhost"),
      ca: named.cert,
    });
    await trusted.declare();
    expect(await trusted.broker.health(AbortSignal.timeout(60_000))).toMatchObject({
      server: expect.any(String),
    });
    await using untrusting = new TestProcess({ url: secure });
    await expect(untrusting.declare()).rejects.toThrow(/self.signed|certificate/i);
  });

  test("wrong credentials are reported without the password", async () => {
    const wrong = url.replace("guest:guest", "guest:not-the-password");
    await using process = new TestProcess({ url: wrong });
    const failure = await process.declare().catch(String);
    expect(failure).toMatch(/ACCESS_REFUSED|refused/i);
    expect(failure + process.lines.all.join()).not.toContain("not-the-password");
  });
});
