import { expect, test } from "@jest/globals";
import { withServer } from "@framework/services";
import { newName, TestApp } from "./process.test-kit.ts";

withServer("rabbitmq", (url) => {
  test("an app with topology: verify runs after declareTopology", async () => {
    const topic = newName();
    const config = { url, topics: [topic], topology: "verify" } as const;
    const deployment = new TestApp(config).subscribe(topic, {}, () => {});
    const missing = await deployment.app.messaging.declareTopology("verify");
    expect(missing).toMatchObject([{ broker: "rabbitmq", system: "rabbitmq" }]);
    expect(missing[0]?.problems).toContain(
      `there is no queue ${topic}:group; create it with "npx @framework/cli topology", or set topology: "create"`,
    );
    const created = [{ broker: "rabbitmq", system: "rabbitmq", problems: [] }];
    expect(await deployment.app.messaging.declareTopology("create")).toEqual(created);
    expect(await deployment.app.messaging.declareTopology("verify")).toEqual(created);
    const received = Promise.withResolvers<unknown>();
    await using app = await new TestApp(config)
      .subscribe(topic, {}, ({ data }) => received.resolve(data))
      .start();
    await app.app.messaging.send(topic, { type: "t", data: 7 });
    expect(await received.promise).toBe(7);
  }, 120_000);
});
