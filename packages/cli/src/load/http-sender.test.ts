import { expect, test } from "@jest/globals";
import { httpSender } from "./http-sender.ts";

test("a request that Node refuses at once ends with the error's code", async () => {
  using sender = httpSender("http://127.0.0.1:1", { method: "GET", path: "/a b", headers: {}, body: null });
  expect(await sender.send()).toBe("ERR_UNESCAPED_CHARACTERS");
});
