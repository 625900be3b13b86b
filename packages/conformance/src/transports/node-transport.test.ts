import { expect, test } from "@jest/globals";
import { createNodeTransport } from "@framework/core/testing";
import { transportConformance } from "../suite/transport-conformance.ts";
import { eventually, withServer } from "../harness/test-server.ts";

transportConformance(test, createNodeTransport);

test("survives a reset after CONNECT, with and without a pending body", () =>
  withServer(createNodeTransport, {}, async ({ connect, transport }) => {
    for (const field of ["", "Content-Length: 9\r\n"]) {
      const client = await connect({ staysOpen: true });
      await client.send(`CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n${field}\r\n`);
      expect(await client.untilClosed()).toMatch(/^HTTP\/1\.1 501 /);
      expect(transport.connections).toBe(1);
      client.socket.resetAndDestroy();
      await eventually(() => transport.connections === 0, "the connection is gone");
    }
  }));
