import { expect, test } from "@jest/globals";
import { startProxy, withServer } from "@framework/services";
import { newName, TestApp } from "./process.test-kit.ts";
import { waitForExit, startWorker } from "./worker.test-kit.ts";

withServer("rabbitmq", (url) => {
  test("messaging keeps a process running after a cut connection", async () => {
    await using proxy = await startProxy(url);
    const topic = newName();
    const worker = startWorker("consume", { AMQP_URL: proxy.url, TOPIC: topic });
    const ended = waitForExit(worker);
    await new Promise<void>((resolve) => worker.stdout.once("data", () => resolve()));
    proxy.drop();
    await using sender = await new TestApp({ url }).start();
    await sender.app.messaging.send(topic, { type: "t", id: "last" });
    expect(await ended).toEqual([0, "running\nhandled last\n"]);
  }, 120_000);
});
