import { expect, test } from "@jest/globals";
import { App, Response } from "../../index.ts";

const replies: Record<string, () => Response | globalThis.Response> = {
  reply: () => new Response(null, { headers: { "content-length": "1234" } }),
  "web response": () => new globalThis.Response(null, { headers: { "content-length": "1234" } }),
};

test.each(Object.keys(replies))("a HEAD route states its length by a %s without a body", async (kind) => {
  const app = new App();
  app.head("/", () => replies[kind]?.());
  const reply = await app.fetch(new Request("http://localhost/", { method: "HEAD" }));
  expect(reply.headers.get("content-length")).toBe("1234");
});

test("the length of a reply that has a body is that of the body, whatever it states", async () => {
  const app = new App();
  app.get("/", () => new Response("hello", { headers: { "content-length": "1234" } }));
  for (const method of ["GET", "HEAD"]) {
    const reply = await app.fetch(new Request("http://localhost/", { method }));
    expect(reply.headers.get("content-length")).toBe("5");
  }
});
