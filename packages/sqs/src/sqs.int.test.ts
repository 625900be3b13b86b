// Above 250 lines, because the tests share a server; each covers one behaviour of the client or SQS.
import { expect, test } from "@jest/globals";
import { TestApp } from "@framework/messaging/testing";
import { requestSqs, startProxy, withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import { startFaultyProxy } from "./faulty-proxy.test-kit.ts";
import { sqsBroker } from "./index.ts";
import { appOn, newName, processOn } from "./process.test-kit.ts";

const bodyOf = (body: string | Uint8Array): string =>
  typeof body === "string" ? body : Buffer.from(body).toString();

interface ReceivedMessage {
  readonly Body: string;
  readonly MessageAttributes: object;
  readonly ReceiptHandle: string;
}

withServer("sqs", (endpointUrl) => {
  const urlOf = (name: string): string => `${endpointUrl}/000000000000/${name}`;
  const attributes = async (name: string): Promise<Readonly<Record<string, string>>> => {
    const input = { QueueUrl: urlOf(name), AttributeNames: ["All"] };
    const { Attributes } = await requestSqs(endpointUrl, "GetQueueAttributes", input);
    return Attributes as Readonly<Record<string, string>>;
  };
  const create = async (QueueName: string, Attributes: object = {}): Promise<string> => {
    await requestSqs(endpointUrl, "CreateQueue", { QueueName, Attributes });
    return urlOf(QueueName);
  };
  const receiveFrom = async (QueueUrl: string): Promise<readonly ReceivedMessage[]> => {
    const input = { QueueUrl, MessageAttributeNames: ["All"], MaxNumberOfMessages: 10, WaitTimeSeconds: 10 };
    const { Messages = [] } = await requestSqs(endpointUrl, "ReceiveMessage", input);
    return Messages as readonly ReceivedMessage[];
  };
  const problems = async (
    process: ReturnType<typeof processOn>,
    {
      order = "none",
      mode = "verify",
      groups = ["group"],
    }: {
      readonly order?: "none" | "key";
      readonly mode?: "verify" | "create";
      readonly groups?: readonly string[];
    } = {},
  ): Promise<string> => {
    const { topic, broker } = process;
    const one = {
      topics: [topic],
      order,
      from: "earliest",
      deadLetterTopic: null,
      retryTopics: [],
      maxTries: 1,
    } as const;
    const subscriptions = groups.map((group) => ({ ...one, group }));
    return (await broker.topology({ topics: [topic], subscriptions }, mode)).join("; ");
  };

  test.concurrent("a group has a queue with a redrive policy to a dead-letter queue", async () => {
    await using process = processOn({ endpointUrl, maxReceiveCount: 7 });
    await using ordered = processOn({ endpointUrl });
    expect([
      await problems(process, { mode: "create" }),
      await problems(ordered, { order: "key", mode: "create" }),
    ]).toEqual(["", ""]);
    const found = await attributes(`${process.topic}__group`);
    expect(found).toMatchObject({ MessageRetentionPeriod: "1209600", MaximumMessageSize: "1048576" });
    const policy = JSON.parse(found["RedrivePolicy"] ?? "{}") as Readonly<Record<string, unknown>>;
    expect(policy["maxReceiveCount"]).toBe(7);
    expect(policy["deadLetterTargetArn"]).toMatch(/-group-dlq_[\da-f]{8}__unclaimed$/);
    const fifo = await attributes(`${ordered.topic}__group.fifo`);
    expect(fifo).toMatchObject({ FifoQueue: "true", FifoThroughputLimit: "perMessageGroupId" });
    expect(fifo["RedrivePolicy"]).toContain("__unclaimed.fifo");
  });

  test.concurrent("verify reports missing and misconfigured queues, and creates nothing", async () => {
    await using process = processOn({ endpointUrl });
    const queue = `${process.topic}__group`;
    expect(await problems(process)).toContain(
      `there is no queue ${queue}; create it with "npx @framework/cli topology", or set topology: "create"`,
    );
    await expect(attributes(queue)).rejects.toThrow("QueueDoesNotExist");
    await create(queue, { MaximumMessageSize: "262144" });
    const mismatches = await problems(process, { mode: "create" });
    expect(mismatches).toContain(
      `the queue ${queue} accepts 262144 bytes, but SqsConfig.messageSizeBytes is 1048576`,
    );
    expect(mismatches).toContain(`the queue ${queue} has no redrive policy`);
    await using other = processOn({ endpointUrl, maxReceiveCount: 3 });
    await other.declare();
    await using strict = processOn({ endpointUrl }, other.topic.replace("-topic", ""));
    const group = `${other.topic.replace("-topic", "")}-group`;
    expect(await problems(strict, { groups: [group] })).toContain(
      "has maxReceiveCount 3, but SqsConfig.maxReceiveCount is 50",
    );
  });

  test.concurrent("one group with two orders is refused, because it would receive every message twice", async () => {
    await using process = processOn({ endpointUrl });
    expect(await problems(process, { mode: "create" })).toBe("");
    expect(await problems(process, { order: "key", mode: "create" })).toContain(
      `the group already has the queue ${process.topic}__group of`,
    );
  });

  test.concurrent("queueUrl is the queue of one topic and one group", async () => {
    const prefix = newName();
    const queueUrl = await create(`${prefix}-topic`);
    await using process = processOn({ endpointUrl, queueUrl }, prefix);
    expect(await problems(process)).toBe("");
    expect(await problems(process, { order: "key" })).toContain("is not a FIFO queue");
    expect(await problems(process, { groups: ["one", "two"] })).toContain("supports one group, not one, two");
    await process.send({ body: '"sent"' });
    const { got, done } = await process.consume();
    const [delivery] = await got(1);
    expect(delivery && bodyOf(delivery.body)).toBe('"sent"');
    if (delivery !== undefined) await done(delivery);
  });

  test.concurrent("a message without a group fails", async () => {
    await using process = processOn({ endpointUrl });
    const [result] = await process.broker.producer.send([process.message({})], {
      signal: AbortSignal.timeout(60_000),
    });
    expect(result).toMatchObject({ ok: false, error: { code: "SQS_UNROUTABLE" } });
  });

  test.concurrent("a send refuses a message above the limit, and stores the others", async () => {
    await using process = processOn({ endpointUrl });
    await process.declare();
    const messages = [
      process.message({ body: "1" }),
      process.message({ body: "é".repeat(524_288) }),
      process.message({ body: "3" }),
    ];
    const results = await process.broker.producer.send(messages, { signal: AbortSignal.timeout(60_000) });
    expect(results).toMatchObject([
      { ok: true },
      { ok: false, isRetryable: false, error: { code: "SQS_TOO_LARGE" } },
      { ok: true },
    ]);
    const { got, done } = await process.consume();
    const deliveries = await got(2);
    expect(deliveries.map(({ body }) => bodyOf(body)).toSorted()).toEqual(["1", "3"]);
    await done(...deliveries);
  });

  test.concurrent("more headers than SQS has attributes are delivered", async () => {
    await using process = processOn({ endpointUrl });
    await process.declare();
    const headers = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`x-header-${n}`, String(n)]));
    await process.send({ headers });
    const { got, done } = await process.consume();
    const [delivery] = await got(1);
    expect(delivery?.headers).toMatchObject(headers);
    if (delivery !== undefined) await done(delivery);
  });

  test.concurrent("string attributes of other systems are headers, and the message group is the key", async () => {
    await using process = processOn({ endpointUrl });
    await process.declare({ order: "key" });
    const { got, done } = await process.consume({ order: "key" });
    const prefix = process.topic.replace("-topic", "");
    await requestSqs(endpointUrl, "SendMessage", {
      QueueUrl: urlOf(`${process.topic}__${prefix}-group.fifo`),
      MessageBody: "text",
      MessageGroupId: "order-7",
      MessageDeduplicationId: "1",
      MessageAttributes: {
        "Content-Type": { DataType: "String", StringValue: "text/plain" },
        bytes: { DataType: "Binary", BinaryValue: "AAE=" },
      },
    });
    const [delivery] = await got(1);
    expect(delivery).toMatchObject({ key: "order-7", body: "text", tries: 0 });
    expect({ ...delivery?.headers }).toEqual({ "content-type": "text/plain" });
    if (delivery !== undefined) await done(delivery);
  });

  test.concurrent("FIFO queues store a repeated message once, and a different message with the same id separately", async () => {
    await using process = processOn({ endpointUrl });
    await process.declare({ order: "key" });
    const message = { id: "7", key: "k" };
    await process.send({ ...message, body: "1" }, { ...message, body: "1" }, { ...message, body: "2" });
    await process.send({ ...message, body: "1" });
    const { got, done } = await process.consume({ order: "key" });
    await done(...(await got(1)));
    const deliveries = await got(2);
    await done(...deliveries.slice(1));
    expect(deliveries.map(({ body }) => bodyOf(body))).toEqual(["1", "2"]);
  });

  test.concurrent("a parked message of an ordered group is replayed within the deduplication interval", async () => {
    await using one = appOn({ endpointUrl });
    const got: unknown[] = [];
    const options = {
      group: one.group,
      order: "key",
      deadLetter: "parked",
      retry: { quickTries: 1, delaysMs: [] },
    } as const;
    one.messaging.subscribe(one.topic, options, ({ data }) => {
      got.push(data);
      if (got.length < 3) throw new Error("broken");
    });
    await one.start();
    await one.send("same", { key: "k" });
    const { parked } = one.app.durable;
    const filter = { source: "message", name: `${one.topic} ${one.group}` };
    for (let replays = 0; replays < 2; replays++) {
      await waitFor(async () => (await parked.list(filter)).items.length === 1);
      await parked.replay(filter);
    }
    await waitFor(() => one.messaging.status()[0]?.done === 1);
    expect(got).toEqual(["same", "same", "same"]);
  });

  test.concurrent("dead letters of two groups in one ordered queue are both kept", async () => {
    await using one = appOn({ endpointUrl });
    const [lost, groups] = [`${one.topic}-lost`, [`${one.group}-a`, `${one.group}-b`]];
    const retry = { quickTries: 1, delaysMs: [] };
    for (const group of groups)
      one.messaging.subscribe(one.topic, { group, order: "key", deadLetter: lost, retry }, () => {
        throw new Error("broken");
      });
    const from: string[] = [];
    one.messaging.subscribe(
      lost,
      { group: one.group, order: "key" },
      ({ headers }) => void from.push(headers["framework-dead-group"] ?? ""),
    );
    await one.start();
    await one.send("same", { key: "k" });
    await waitFor(() => from.length === 2);
    expect(from.toSorted()).toEqual(groups);
  });

  test.concurrent("a dead letter that was moved back and fails again is kept", async () => {
    await using one = appOn({ endpointUrl });
    const options = { order: "key", deadLetter: "topic", retry: { quickTries: 1, delaysMs: [] } } as const;
    one.messaging.subscribe(one.topic, { group: one.group, ...options }, () => {
      throw new Error("broken");
    });
    await one.start();
    await one.send("again", { key: "k" });
    await waitFor(() => one.messaging.status()[0]?.deadLettered === 1);
    const main = `${queueOf(one)}.fifo`;
    const { RedrivePolicy = "{}" } = await attributes(main);
    const { deadLetterTargetArn } = JSON.parse(RedrivePolicy) as { readonly deadLetterTargetArn: string };
    const QueueUrl = urlOf(deadLetterTargetArn.split(":").at(-1) ?? "");
    const [deadLetter] = await receiveFrom(QueueUrl);
    await requestSqs(endpointUrl, "SendMessage", {
      QueueUrl: urlOf(main),
      MessageBody: deadLetter?.Body,
      MessageAttributes: deadLetter?.MessageAttributes,
      MessageGroupId: "k",
      MessageDeduplicationId: "redrive",
    });
    await requestSqs(endpointUrl, "DeleteMessage", { QueueUrl, ReceiptHandle: deadLetter?.ReceiptHandle });
    await waitFor(() => one.messaging.status()[0]?.deadLettered === 2);
    expect((await receiveFrom(QueueUrl)).map(({ Body }) => Body)).toEqual([deadLetter?.Body]);
  });

  test.concurrent("a delayed message of an ordered group is handled at its due time", async () => {
    await using one = appOn({ endpointUrl });
    let at = 0;
    one.messaging.subscribe(
      one.topic,
      { group: one.group, order: "key" },
      () => void (at = performance.now()),
    );
    await one.start();
    const from = performance.now();
    await one.messaging.send(one.topic, { type: "later", key: "k", data: 1 }, { delayMs: 400 });
    await waitFor(() => at > 0);
    expect(at - from).toBeGreaterThanOrEqual(390);
  });

  test.concurrent("a refused entry of a batch fails, no later message of its key is stored, and other keys are unaffected", async () => {
    await using proxy = await startFaultyProxy(endpointUrl);
    await using process = processOn({ endpointUrl: proxy.url });
    await process.declare({ order: "key" });
    proxy.fails = (action, { MessageBody }) =>
      action === "SendMessageBatch" && MessageBody === "a1"
        ? { Code: "InternalError", SenderFault: false }
        : null;
    const messages = ["a0", "b0", "a1", "b1", "a2", "b2"].map((body) =>
      process.message({ body, key: body[0] ?? "" }),
    );
    const results = await process.broker.producer.send(messages, { signal: AbortSignal.timeout(60_000) });
    expect(results.map(({ ok }) => ok)).toEqual([true, true, false, true, false, true]);
    expect(results[2]).toMatchObject({ isRetryable: true, error: { code: "SQS_UNAVAILABLE" } });
    const { got, done } = await process.consume({ order: "key" });
    await done(...(await got(2)));
    for (const count of [3, 4]) await done(...(await got(count)).slice(count - 1));
    expect((await got(4)).map(({ body }) => bodyOf(body)).toSorted()).toEqual(["a0", "b0", "b1", "b2"]);
  });

  test.concurrent("failed deletions are retried, and deleted deliveries are not reported as lost", async () => {
    await using proxy = await startFaultyProxy(endpointUrl);
    await using process = processOn({ endpointUrl: proxy.url });
    await process.declare();
    await process.send({ body: "1" }, { body: "2" }, { body: "3" });
    const { got, consumer, sink } = await process.consume();
    const settlements = (await got(3)).map((delivery) => ({ delivery, action: "done" }) as const);
    let refusals = 0;
    proxy.fails = (action, { Id }) =>
      action === "DeleteMessageBatch" && Id === "1" && refusals++ === 0
        ? { Code: "InternalError", SenderFault: false }
        : null;
    await expect(consumer.settle(settlements)).rejects.toThrow("InternalError");
    expect(await consumer.settle(settlements)).toEqual([]);
    expect(sink.lostDeliveries).toEqual([]);
    await waitFor(
      async () => (await attributes(queueOf(process)))["ApproximateNumberOfMessagesNotVisible"] === "0",
    );
  });

  test.concurrent("a delayed try is copied once if the deletion of its original failed", async () => {
    await using proxy = await startFaultyProxy(endpointUrl);
    await using process = processOn({ endpointUrl: proxy.url });
    await process.declare();
    await process.send({ body: "1" });
    const { got, consumer, done } = await process.consume();
    const [delivery] = await got(1);
    if (delivery === undefined) throw new Error("nothing was delivered");
    let refusals = 0;
    proxy.fails = (action) =>
      action === "DeleteMessageBatch" && refusals++ === 0
        ? { Code: "InternalError", SenderFault: false }
        : null;
    const retry = { delivery, action: "retry", delayMs: 0, tries: 2 } as const;
    await expect(consumer.settle([retry])).rejects.toThrow("InternalError");
    expect(await consumer.settle([retry])).toEqual([]);
    await done(...(await got(2)).slice(1));
    const copies = proxy.requests.filter(({ action }) => action === "SendMessageBatch").length - 1;
    expect(copies).toBe(1);
  });

  test.concurrent("a message of another system keeps its MessageId, even in copies", async () => {
    await using one = appOn({ endpointUrl });
    const ids: string[] = [];
    const retry = { quickTries: 1, delaysMs: [1, 1] };
    one.messaging.subscribe(one.topic, { group: one.group, raw: true, retry }, ({ id }) => {
      ids.push(id);
      if (ids.length < 3) throw new Error("broken");
    });
    await one.start();
    const input = { QueueUrl: urlOf(queueOf(one)), MessageBody: '{"a":1}' };
    const { MessageId } = await requestSqs(endpointUrl, "SendMessage", input);
    await waitFor(() => ids.length === 3);
    expect(ids).toEqual([MessageId, MessageId, MessageId]);
  });

  test.concurrent("a handler that outlives the visibility timeout keeps its message", async () => {
    await using proxy = await startFaultyProxy(endpointUrl);
    await using one = appOn({ endpointUrl: proxy.url, visibilityTimeoutSecs: 8 });
    let runs = 0;
    const extensions = (): number =>
      proxy.requests.filter(({ action }) => action === "ChangeMessageVisibilityBatch").length;
    one.messaging.subscribe(one.topic, { group: one.group, concurrency: 2 }, async () => {
      runs++;
      await waitFor(() => extensions() >= 3); // longer than the visibility timeout
    });
    await one.start();
    await one.send(1);
    await waitFor(() => one.messaging.status()[0]?.done === 1);
    expect([runs, one.messaging.status()[0]?.lost]).toEqual([1, 0]);
  });

  test.concurrent("a message that is no longer processed is delivered to another process after its visibility timeout", async () => {
    const prefix = newName();
    const config = { endpointUrl, visibilityTimeoutSecs: 2 };
    await using one = processOn(config, prefix);
    await using other = processOn(config, prefix);
    await one.declare();
    await one.send({ body: "1" });
    const { got, sink, consumer } = await one.consume();
    const [delivery] = await got(1);
    if (delivery === undefined) throw new Error("nothing was delivered");
    sink.isAlive = () => false; // like a handler that ignores its signal
    consumer.pause();
    const next = await other.consume();
    await next.done(...(await next.got(1)));
    await waitFor(() => sink.lostDeliveries.length === 1);
    expect(await consumer.settle([{ delivery, action: "done" }])).toEqual([delivery]);
  });

  test.concurrent("a message that is never settled becomes a dead letter at maxReceiveCount, and is delivered to a group of that topic", async () => {
    const prefix = newName();
    const dead = `${prefix}-topic.${prefix}-group.dlq`;
    for (let closed = 0; closed < 3; closed++) {
      await using process = processOn({ endpointUrl, maxReceiveCount: 2 }, prefix);
      await process.declare();
      if (closed === 0) await process.send({ body: '"killer"', headers: { "x-shelf": "7" } });
      const { got } = await process.consume();
      if (closed < 2) await got(1);
      else
        await waitFor(
          async () =>
            (await process.broker.topology({ topics: [], subscriptions: [] }, "verify")).length === 0,
        );
    }
    await using operators = processOn({ endpointUrl }, prefix);
    await operators.declare({ topics: [dead] });
    const { got, done } = await operators.consume({ topics: [dead] });
    const [deadLetter] = await got(1);
    expect(deadLetter).toMatchObject({ topic: dead, headers: { "x-shelf": "7" } });
    expect(deadLetter && bodyOf(deadLetter.body)).toBe('"killer"');
    if (deadLetter !== undefined) await done(deadLetter);
  });

  test.concurrent.each([1, 5])(
    "with a prefetch of %i, a group receives earlier and later dead letters",
    async (prefetch) => {
      await using process = processOn({ endpointUrl });
      await process.declare();
      const policy = JSON.parse((await attributes(queueOf(process)))["RedrivePolicy"] ?? "{}") as {
        readonly deadLetterTargetArn: string;
      };
      const deadLetterQueue = policy.deadLetterTargetArn.split(":").at(-1) ?? "";
      await requestSqs(endpointUrl, "SendMessage", {
        QueueUrl: urlOf(deadLetterQueue),
        MessageBody: "before",
      });
      const topic = `${process.topic}.${process.topic.replace("-topic", "-group")}.dlq`;
      await process.declare({ topics: [topic] }, ["operators"]);
      await process.send({ topic, body: "after" }, { topic, body: "after" });
      const options = { topics: [topic], group: "operators", prefetch, room: prefetch };
      const { sink, consumer } = await process.consume(options);
      const settled = new Set<unknown>();
      await waitFor(async () => {
        const open = sink.deliveries.filter((delivery) => !settled.has(delivery));
        for (const delivery of open) settled.add(delivery);
        await consumer.settle(open.map((delivery) => ({ delivery, action: "done" }) as const));
        sink.allow(open.length);
        return settled.size === 3;
      });
      expect([...sink.bodies].toSorted()).toEqual(["after", "after", "before"]);
    },
  );

  test.concurrent("an empty queue does not block another one of the group", async () => {
    await using proxy = await startFaultyProxy(endpointUrl);
    await using one = appOn({ endpointUrl: proxy.url });
    const dead = `${one.topic}.${one.group}.dlq`;
    let handled = 0;
    one.messaging.subscribe(one.topic, { group: one.group }, () => {});
    one.messaging.subscribe(dead, { group: "operators", concurrency: 3 }, () => void handled++);
    await one.start();
    await Promise.all(
      Array.from({ length: 40 }, async (_, data) => await one.messaging.send(dead, { type: "t", data })),
    );
    await waitFor(() => handled === 40);
    const idle = proxy.requests.filter(
      ({ action, QueueUrl = "" }) => action === "ReceiveMessage" && QueueUrl.endsWith("__unclaimed"),
    );
    expect(idle.length).toBeLessThanOrEqual(2); // each one long-polls
  });

  test.concurrent("a deleted queue is recreated and consumed", async () => {
    await using process = processOn({ endpointUrl });
    await process.declare();
    const { got, done, sink } = await process.consume();
    await requestSqs(endpointUrl, "DeleteQueue", { QueueUrl: urlOf(queueOf(process)) });
    await waitFor(() => sink.states.filter((state) => state === "running").length === 2);
    await process.send({ body: "1" });
    await done(...(await got(1)));
    expect(sink.lostDeliveries).toEqual([]);
  });

  test.concurrent("a message is stored once in the queue of a group if the queue of another group was deleted", async () => {
    await using sender = processOn({ endpointUrl });
    expect(await problems(sender, { mode: "create", groups: ["kept", "ended"] })).toBe("");
    await sender.send({ body: "1" });
    await requestSqs(endpointUrl, "DeleteQueue", { QueueUrl: urlOf(`${sender.topic}__ended`) });
    await sender.send({ body: "2" });
    const { ApproximateNumberOfMessages } = await attributes(`${sender.topic}__kept`);
    expect(ApproximateNumberOfMessages).toBe("2");
  });

  test.concurrent("a new group receives messages after discoveryMs", async () => {
    await using sender = processOn({ endpointUrl, discoveryMs: 100 });
    expect(await problems(sender, { mode: "create" })).toBe("");
    await sender.send({});
    expect(await problems(sender, { mode: "create", groups: ["late"] })).toBe("");
    await waitFor(async () => {
      await sender.send({});
      const { ApproximateNumberOfMessages } = await attributes(`${sender.topic}__late`);
      return Number(ApproximateNumberOfMessages) > 0;
    });
  });

  test.concurrent("receive requests have maxMessages, waitTimeSecs and visibilityTimeoutSecs", async () => {
    await using proxy = await startFaultyProxy(endpointUrl);
    const limits = { maxMessages: 3, waitTimeSecs: 1, visibilityTimeoutSecs: 7 };
    await using process = processOn({ endpointUrl: proxy.url, ...limits });
    await process.declare();
    await process.consume();
    const received = await waitFor(() => proxy.requests.find(({ action }) => action === "ReceiveMessage"));
    expect(received).toMatchObject({ MaxNumberOfMessages: 3, WaitTimeSeconds: 1, VisibilityTimeout: 7 });
  });

  test.concurrent("a request without a response ends at requestTimeoutMs", async () => {
    await using proxy = await startProxy(endpointUrl);
    await using process = processOn({ endpointUrl: proxy.url, requestTimeoutMs: 5000 });
    await process.declare();
    proxy.mode = "silent";
    const [result] = await process.broker.producer.send([process.message({})], {
      signal: AbortSignal.timeout(60_000),
    });
    expect(result).toMatchObject({ ok: false, isRetryable: true, error: { code: "SQS_UNAVAILABLE" } });
    expect(result?.ok === false && result.error.message).toContain("5000 ms");
  });

  test.concurrent("credentials may be a function that returns temporary ones", async () => {
    await using proxy = await startFaultyProxy(endpointUrl);
    const temporary = async () => ({
      accessKeyId: "temporary",
      secretAccessKey: "secret",
      sessionToken: "a-token",
    });
    await using process = processOn({ endpointUrl: proxy.url, credentials: temporary });
    await process.declare();
    expect(proxy.requests).not.toEqual([]);
    for (const { authorization, token } of proxy.requests)
      expect([authorization.includes("Credential=temporary/"), token]).toEqual([true, "a-token"]);
  });

  test.concurrent("one request sends ten messages of a call", async () => {
    await using proxy = await startFaultyProxy(endpointUrl);
    await using process = processOn({ endpointUrl: proxy.url });
    await process.declare();
    await process.send(...Array.from({ length: 95 }, (_, n) => ({ body: String(n), key: String(n) })));
    const sends = proxy.requests.filter(({ action }) => action === "SendMessageBatch");
    expect(sends.map(({ Entries = [] }) => Entries.length).toSorted((a, b) => a - b)).toEqual([
      5,
      ...Array.from({ length: 9 }, () => 10),
    ]);
  });

  test.concurrent("requests with replies are refused, because SQS has no private queues", async () => {
    await using one = appOn({ endpointUrl });
    await one.start();
    await expect(one.messaging.request(one.topic, { type: "t" })).rejects.toMatchObject({
      code: "MESSAGING_BAD_CONFIG",
    });
  });

  test.concurrent("without configured credentials, the environment is used", async () => {
    const before = { ...process.env };
    const names = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"];
    for (const name of names) process.env[name] = "from-the-environment";
    try {
      await using proxy = await startFaultyProxy(endpointUrl);
      const broker = (): ReturnType<typeof sqsBroker> => sqsBroker({ endpointUrl: proxy.url });
      await using one = new TestApp({ adapter: broker, prefix: newName() });
      one.messaging.subscribe(one.topic, { group: one.group }, () => {});
      await one.start();
      const keys = proxy.requests.map(({ authorization }) => /Credential=([^/]+)/.exec(authorization)?.[1]);
      expect(new Set(keys)).toEqual(new Set(["from-the-environment"]));
    } finally {
      for (const name of names) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
    }
  });
});

const queueOf = ({ topic }: { readonly topic: string }): string =>
  `${topic}__${topic.replace("-topic", "")}-group`;
