import { App } from "@framework/core";
import type { Feature } from "@framework/core/feature";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { websocket } from "./index.ts";

test("a send to a room rejects when a worker lost its connection before it confirmed", async () => {
  let isComplete = false;
  const lossy: Feature = {
    name: "lossy",
    install: (host) => {
      host.state.provideShared({
        values: (own) => ({
          ...own,
          publish: async (channel, message) => (await own.publish(channel, message)) && isComplete,
        }),
      });
      return {};
    },
  };
  const app = new (App.with(lossy, websocket))();
  app.websocket("/", () => {});
  await using _client = testClient(app);
  await app.start();
  await expect(app.room("a").sendText("hello")).rejects.toMatchObject({
    code: "WEBSOCKET_BROADCAST_INCOMPLETE",
    message: expect.stringContaining('"a"'),
  });
  isComplete = true;
  await expect(app.room("a").sendText("hello")).resolves.toBeUndefined();
});
