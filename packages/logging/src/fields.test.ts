import type { App } from "@framework/core";
import { expect, test } from "@jest/globals";
import { collected } from "./collected-log.test-kit.ts";
import { logOf } from "./index.ts";

/** The only line with this message. */
const lineOf = (text: string, message: string): string => {
  const lines = text.split("\n").filter((line) => line.includes(message));
  expect(lines).toHaveLength(1);
  return lines[0] ?? "";
};

const ask = async (app: App): Promise<void> => {
  await app.fetch(new Request("http://localhost/"));
  await app.stop();
};

test("collections are written by their entries, without secrets; other objects as their `toJSON` says", async () => {
  const { app, text } = collected({});
  const self = { toJSON: () => self, kept: 1 };
  app.get("/", (request) => {
    logOf(request).info("types", {
      map: new Map<unknown, unknown>([
        ["password", "hunter2"],
        ["title", "Emma"],
        [7, new Map([["token", "hunter2"]])],
      ]),
      set: new Set(["a", { secret: "hunter2" }]),
      headers: new Headers({ authorization: "hunter2", accept: "text/html" }),
      query: new URLSearchParams("api_key=hunter2&page=2"),
      url: new URL("https://ada:hunter2@books.example/reset?code=hunter2"),
      amount: { toJSON: () => "12.50", digits: [1, 2, 5] },
      document: { toJSON: () => ({ id: 1, secret: "hunter2" }) },
      self,
      broken: {
        toJSON: () => {
          throw new Error("no JSON");
        },
      },
      many: new Set(Array.from({ length: 1000 }, (_, at) => at)),
    });
    return "written";
  });
  await ask(app);
  expect(text()).not.toContain("hunter2");
  const { many, ...line } = JSON.parse(lineOf(text(), "types")) as { readonly many: readonly number[] };
  expect(many).toHaveLength(64);
  expect(line).toMatchObject({
    map: { password: "[redacted]", title: "Emma", 7: { token: "[redacted]" } },
    set: ["a", { secret: "[redacted]" }],
    headers: { authorization: "[redacted]", accept: "text/html" },
    query: { api_key: "[redacted]", page: "2" },
    url: "https://[redacted]@books.example/reset?[redacted]",
    amount: "12.50",
    document: { id: 1, secret: "[redacted]" },
    self: { kept: 1 },
    broken: "[unreadable]",
  });
});

test("a credential after several spaces or a tab is redacted, also where the text is cut", async () => {
  const { app, text } = collected({});
  app.get("/", (request) => {
    logOf(request).info("Authorization: Bearer   Qabcdef123", {
      tab: "Basic\tQabcdef123",
      cut: `${"x".repeat(1015)} Bearer  Qabcdef123`,
    });
    return "written";
  });
  await ask(app);
  expect(lineOf(text(), "Authorization: Bearer [redacted]")).not.toContain("Q");
});
