import { expect, test } from "@jest/globals";
import { createNodeTransport } from "@framework/core/testing";
import { transportConformance } from "../suite/transport-conformance.ts";
import { eventually, withServer } from "../harness/test-server.ts";

/** What llhttp lets through and does not show: harmless, since neither changes where a message ends. */
const lenient: ReadonlySet<string> = new Set([
  "two blanks before the target",
  "two blanks before the version",
  "two empty lines before the request",
  "a bare LF before the request",
  "a lone CR before the request",
  "RTSP for HTTP",
  "ICE for HTTP",
]);

transportConformance(test, createNodeTransport, lenient);

test("survives a reset behind CONNECT, with and without a body that is still to come", () =>
  withServer(createNodeTransport, {}, async ({ connect, transport }) => {
    for (const field of ["", "Content-Length: 9\r\n"]) {
      const client = await connect({ stays: true });
      await client.send(`CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n${field}\r\n`);
      expect(await client.untilClosed()).toMatch(/^HTTP\/1\.1 501 /);
      expect(transport.connections).toBe(1);
      client.socket.resetAndDestroy();
      await eventually(() => transport.connections === 0, "the connection is gone");
    }
  }));
