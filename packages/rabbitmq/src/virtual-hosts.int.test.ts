import { expect, test } from "@jest/globals";
import { withServer } from "@framework/services";
import { TestProcess } from "./process.test-kit.ts";

withServer("rabbitmq", (url) => {
  test("a virtual host that does not exist is reported", async () => {
    await using process = new TestProcess({ url: `${url}/no%2Fhost` });
    await expect(process.declare()).rejects.toMatchObject({
      code: "RABBITMQ_UNAVAILABLE",
      message: expect.stringContaining('the server refused the virtual host "no/host"'),
    });
  });
});
