import { App } from "@framework/core";
import { expect, test } from "@jest/globals";
import { __feature__ } from "./__file__.ts";

const fieldOf = async (app: App, path: string): Promise<string | null> => {
  const reply = await app.fetch(new Request(`http://localhost${path}`));
  return reply.headers.get("__Header__");
};

test("adds the field to a handler's reply", async () => {
  const app = new (App.with(__feature__))().enable__Feature__();
  app.get("/", () => "hello");
  expect(await fieldOf(app, "/")).toBe("on");
});

test("also adds the configured value to error replies", async () => {
  const app = new (App.with(__feature__))().enable__Feature__({ value: "yes" });
  expect(await fieldOf(app, "/nowhere")).toBe("yes");
});

test("refuses a value that a field cannot contain", async () => {
  const app = new (App.with(__feature__))().enable__Feature__({ value: "two\r\nlines" });
  await expect(app.fetch(new Request("http://localhost/"))).rejects.toThrow("__Feature__Config.value");
});
