import assert from "node:assert/strict";
import { test } from "node:test";
import { createApp } from "./app.ts";

test("greets by name", async () => {
  const reply = await createApp().fetch(new Request("http://localhost/hello/Ada"));
  assert.equal(reply.status, 200);
  assert.deepEqual(await reply.json(), { message: "Hello, Ada" });
});
