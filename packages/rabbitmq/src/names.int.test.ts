import { expect, test } from "@jest/globals";
import { withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import { newName, TestApp, TestProcess } from "./process.test-kit.ts";

withServer("rabbitmq", (url) => {
  test("two groups whose joined topic and group names are equal receive all messages of their own topic", async () => {
    const topic = newName();
    const received: string[] = [];
    await using one = new TestApp({ url })
      .subscribe(topic, { group: "eu.mail" }, ({ data }) => void received.push(`${topic} ${String(data)}`))
      .subscribe(
        `${topic}.eu`,
        { group: "mail" },
        ({ data }) => void received.push(`${topic}.eu ${String(data)}`),
      );
    await one.start();
    const numbers = [0, 1, 2, 3];
    for (const data of numbers) await one.app.messaging.send(topic, { type: "t", data });
    for (const data of numbers) await one.app.messaging.send(`${topic}.eu`, { type: "t", data });
    await waitFor(() => received.length === 8);
    expect(received.toSorted()).toEqual([
      ...numbers.map((data) => `${topic} ${data}`),
      ...numbers.map((data) => `${topic}.eu ${data}`),
    ]);
  });

  test("delayed messages of a topic and delayed tries of a similarly named group are separate", async () => {
    const topic = newName();
    const received: string[] = [];
    const retry = { quickTries: 1, delaysMs: [1000], jitter: 0 };
    await using one = new TestApp({ url })
      .subscribe(topic, { group: "created", retry }, ({ attempt }) => {
        received.push(`${topic} try ${attempt}`);
        if (attempt === 1) throw new Error("broken");
      })
      .subscribe(`${topic}.created`, { group: "mail" }, ({ data }) => void received.push(String(data)));
    await one.start();
    await one.app.messaging.send(`${topic}.created`, { type: "t", data: "delayed" }, { delayMs: 1000 });
    await one.app.messaging.send(topic, { type: "t", data: 1 });
    await waitFor(() => received.length === 3);
    expect(received.toSorted()).toEqual(["delayed", `${topic} try 1`, `${topic} try 2`]);
  });

  test("a topic whose name ends with unrouted receives no messages of another topic", async () => {
    await using process = new TestProcess({ url });
    await using other = new TestProcess({ url }, `${process.topic}.unrouted`);
    await process.broker.topology({ topics: [process.topic], subscriptions: [] }, "create"); // no queue
    await other.declare();
    const [result] = await process.send([{}]);
    expect(result).toMatchObject({ ok: false, error: { code: "RABBITMQ_UNROUTABLE" } });
  });

  test("a reserved topic name is reported, and other topics are declared", async () => {
    await using process = new TestProcess({ url });
    const reserved = `amq.${process.topic}`;
    const problem = `RabbitMQ reserves names that begin with "amq."; rename the topic ${reserved}`;
    for (const mode of ["create", "verify"] as const)
      expect(
        await process.broker.topology(process.topology("none", [reserved, process.topic]), mode),
      ).toEqual([problem]);
    expect(await process.send([{}])).toEqual([{ ok: true }]);
  });
});
