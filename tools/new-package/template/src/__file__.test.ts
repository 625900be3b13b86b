import { App } from "@framework/core";
import { expect, test } from "@jest/globals";
import { __feature__ } from "./__file__.ts";

const fieldOf = async (app: App, path: string): Promise<string | null> => {
  const reply = await app.fetch(new Request(`http://localhost${path}`));
  return reply.headers.get("__Header__");
};

test("a handler's reply has the field", async () => {
  const app = new (App.with(__feature__))().enable__Feature__();
  app.get("/", () => "hello");
  expect(await fieldOf(app, "/")).toBe("on");
});

test("error replies have the field with the configured value", async () => {
  const app = new (App.with(__feature__))().enable__Feature__({ value: "yes" });
  expect(await fieldOf(app, "/nowhere")).toBe("yes");
});

test("a value that a field cannot contain is refused", async () => {
  const app = new (App.with(__feature__))().enable__Feature__({ value: "two\r\nlines" });
  await expect(app.fetch(new Request("http://localhost/"))).rejects.toThrow("__Feature__Config.value");
});
