import { expect, test } from "@jest/globals";
import { canary, loggedApp } from "./collected-log.test-kit.ts";

test("a secret with a name of any length is redacted", async () => {
  const { app, text } = loggedApp();
  await app.start();
  app.log().info("connecting", { [`${"x".repeat(5000)}_password`]: canary });
  app.log().info("connecting", { [`password${"_".repeat(5000)}`]: canary });
  await app.stop();
  expect(text().match(/\[redacted\]/g)).toHaveLength(2);
  expect(text()).not.toContain(canary);
});

test("secrets of an object in place of a message are redacted", async () => {
  const { app, lines } = loggedApp();
  await app.start();
  app.log().info({ password: canary, books: 3 } as never, "connecting" as never);
  app.log().info(null as never);
  await app.stop();
  expect(lines().map(({ message }) => message)).toEqual(['{"password":"[redacted]","books":3}', "null"]);
});
