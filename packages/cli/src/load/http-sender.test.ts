import { expect, test } from "@jest/globals";
import { httpSender } from "./http-sender.ts";

test("the outcome of a request that Node rejects immediately is the error's code", async () => {
  using sender = httpSender("http://127.0.0.1:1", { method: "GET", path: "/a b", headers: {}, body: null });
  expect(await sender.send()).toBe("ERR_UNESCAPED_CHARACTERS");
});
