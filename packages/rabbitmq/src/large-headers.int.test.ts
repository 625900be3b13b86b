import { withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { newName, onServer, TestApp } from "./process.test-kit.ts";

withServer("rabbitmq", (url) => {
  test("messages with headers too large for a dead letter do not block others", async () => {
    const topic = newName();
    const received: unknown[] = [];
    const one = new TestApp({ url, topics: [topic] }).subscribe(
      topic,
      { raw: true, deadLetter: "topic" },
      ({ data }) => void received.push(data),
    );
    await using app = await one.start();
    await onServer(url, async (channel) => {
      const headers = { big: "x".repeat(65_400) };
      for (let n = 0; n < 10; n++)
        channel.publish(topic, "", Buffer.from("0"), { headers, messageId: `${n}` });
      channel.publish(topic, "", Buffer.from("1"));
      await channel.checkExchange(topic); // responds after the messages were sent
    });
    await waitFor(() => received.length === 1, { timeoutMs: 60_000 });
    const [status] = app.app.messaging.status();
    expect([received, status?.deadLettered]).toEqual([[1], 10]);
    const deadLetter = await onServer(url, async (channel) =>
      waitFor(() => channel.get(`${topic}.group.dlq`, { noAck: true }), { timeoutMs: 60_000 }),
    );
    expect(deadLetter.properties.headers).toMatchObject({ "framework-dead-left-out": "headers" });
    expect(deadLetter.content.toString()).toBe("0");
  }, 180_000);

  test("a send rejects headers that are too large for a dead letter", async () => {
    const topic = newName();
    const one = new TestApp({ url, topics: [topic], maxHeaderBytes: 65_536 }).subscribe(topic, {}, () => {});
    await using app = await one.start();
    const headers = { big: "x".repeat(63_000) };
    const sent = app.app.messaging.send(topic, { type: "t", data: 1, headers });
    await expect(sent).rejects.toMatchObject({ code: "MESSAGING_TOO_LARGE" });
  }, 180_000);
});
