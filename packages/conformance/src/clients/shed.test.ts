import { Response } from "@framework/core";
import type { Serve } from "@framework/core/testing";
import { describe, expect, test } from "@jest/globals";
import { bothTransports } from "../harness/both-transports.ts";
import { withServer } from "../harness/test-server.ts";

const request = (target: string, fields = ""): string => `GET ${target} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`;

const serve: Serve = async ({ target }) =>
  target === "/empty"
    ? Response.noContent()
    : Response.text(target === "/long" ? "x".repeat(200_000) : "hello");

describe.each(bothTransports)("%s", (_name, make) => {
  test.each(["/text", "/long", "/empty"])(
    "shed(2) closes exactly two connections, each with its next reply to %s",
    (target) =>
      withServer(make, { serve }, async ({ connect, transport }) => {
        transport.shed(2);
        const closes: boolean[] = [];
        for (let at = 0; at < 4; at++) {
          const client = await connect();
          await client.send(request(target));
          const [reply] = await client.replies(1);
          closes.push(reply?.fields.get("connection") === "close");
          client.destroy();
        }
        expect(closes).toEqual([true, true, false, false]);
      }),
  );

  test("a connection that closes for another reason does not count as shed", () =>
    withServer(make, { serve }, async ({ connect, transport }) => {
      transport.shed(1);
      const closes: boolean[] = [];
      for (const fields of ["Connection: close\r\n", "", ""]) {
        const client = await connect();
        await client.send(request("/text", fields));
        const [reply] = await client.replies(1);
        closes.push(reply?.fields.get("connection") === "close");
        client.destroy();
      }
      expect(closes).toEqual([true, true, false]);
    }));
});
