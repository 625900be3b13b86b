import { expect, test } from "@jest/globals";
import { open, serve } from "./http-service.test-kit.ts";
import { retryRequests } from "./retry-requests.ts";

test("a call with the unsupported field Expect is refused and not retried", async () => {
  await using server = await serve((_, response) => response.end());
  await using http = open(server.url, { use: [retryRequests()] });
  await expect(
    http.request("/", { method: "PUT", headers: { expect: "100-continue" }, body: "x" }),
  ).rejects.toMatchObject({ code: "CLIENT_BAD_PARAMETER", message: expect.stringContaining("Expect") });
  expect(server.seen).toHaveLength(0);
});

test("an unexpected 100 ends the call, and early hints do not", async () => {
  await using server = await serve((request, response) => {
    if (request.url === "/hints") response.writeEarlyHints({ link: "</a>; rel=preload" });
    else response.writeContinue();
    response.end("x");
  });
  await using http = open(server.url);
  expect(await (await http.request("/hints")).text()).toBe("x");
  await expect(http.request("/")).rejects.toMatchObject({ code: "CLIENT_NO_REPLY" });
});
