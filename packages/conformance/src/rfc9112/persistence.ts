import assert from "node:assert/strict";
import { Response } from "@framework/core";
import { readBody, type Serve } from "@framework/core/testing";
import type { Test } from "../harness/test.ts";
import { parseReplies } from "../harness/raw-client.ts";
import { type MakeTransport, type TestServer, turn, withServer } from "../harness/test-server.ts";
import { NEXT_REQUEST } from "./wire-row.ts";

/** `Connection` values, and whether HTTP/1.1 and HTTP/1.0 continue after them (RFC 9112 9.3). */
const options: readonly (readonly [lines: readonly string[], http11: boolean, http10: boolean])[] = [
  [[], true, false],
  [["Connection: close"], false, false],
  [["Connection: CLOSE"], false, false],
  [["connection:\tclose "], false, false],
  [["Connection: foo, close"], false, false],
  [["Connection: close, foo"], false, false],
  [["Connection: foo ,\tclose\t,bar"], false, false],
  [["Connection: foo", "Connection: close"], false, false],
  [["Connection: close", "Connection: foo"], false, false],
  [["Connection: close, keep-alive"], false, false],
  [["Connection: keep-alive", "Connection: close"], false, false],
  [["Connection: keep-alive"], true, true],
  [["Connection: Keep-Alive"], true, true],
  [["Connection: foo, keep-alive"], true, true],
  [["Connection: keep-alive, foo"], true, true],
  [["Connection: foo", "Connection: keep-alive"], true, true],
  [["Connection: foo"], true, false],
  [["Connection:"], true, false],
  [["Connection: ,"], true, false],
  [["Connection: closed"], true, false],
  [["Connection: disclose"], true, false],
  [["Connection: close-not"], true, false],
  [["Connection: x=close"], true, false],
  [["Connection: keep-alives"], true, false],
  [["Keep-Alive: timeout=5"], true, false],
  [["X-Connection: close"], true, false],
  [["Connection: x", "X: close"], true, false],
];

/** Request bodies: name, framing field, bytes, the target, which determines whether the app reads the body, and whether the body ends the connection in any case. */
const bodies: readonly (readonly [
  name: string,
  line: string | null,
  body: string,
  target: string,
  ends: boolean,
])[] = [
  ["no body", null, "", "/read", false],
  ["a body that is read", "Content-Length: 5", "hello", "/read", false],
  ["a body that is not read", "Content-Length: 5", "hello", "/unread", false],
  ["a body that is read in part", "Content-Length: 5", "hello", "/part", false],
  ["a chunked body that is read", "Transfer-Encoding: chunked", "5\r\nhello\r\n0\r\n\r\n", "/read", false],
  [
    "a chunked body that is not read",
    "Transfer-Encoding: chunked",
    "5\r\nhello\r\n0\r\n\r\n",
    "/unread",
    true,
  ],
];

const serve: Serve = async (source) => {
  if (source.target === "/read") await readBody(source, 1000);
  if (source.target === "/part") for await (const _ of source.chunks()) break;
  return Response.text(source.target);
};

/** Persistence: {1.1, 1.0} x `Connection` x bodies. */
export const persistenceSuite = (test: Test, make: MakeTransport): void => {
  for (const [name, line, body, target, ends] of bodies) {
    for (const minor of line?.startsWith("Transfer") === true ? [1] : [1, 0]) {
      test(`persistence: HTTP/1.${minor} with ${name} continues exactly as version and Connection require`, () =>
        withServer(
          make,
          { serve: target === "/unread" ? ({ target: path }) => Response.text(path) : serve },
          async (server) => {
            const check = async ([lines, http11, http10]: (typeof options)[number]): Promise<void> => {
              const fields = ["Host: a", ...lines, ...(line === null ? [] : [line])];
              const bytes = `${[`POST ${target} HTTP/1.${minor}`, ...fields].join("\r\n")}\r\n\r\n${body}`;
              const continues = (minor === 1 ? http11 : http10) && !ends;
              await checkEnd(server, bytes, continues, lines.join(" | "));
            };
            await Promise.all(options.map(check));
            assert.deepEqual(server.logged, []);
          },
        ));
    }
  }
};

const checkEnd = async (
  server: TestServer,
  bytes: string,
  continues: boolean,
  label: string,
): Promise<void> => {
  const client = await server.connect();
  await client.send(bytes + NEXT_REQUEST);
  if (continues) await client.replies(2);
  else await client.untilClosed();
  await turn(2);
  const replies = parseReplies(client.received, client.closed);
  assert.equal(replies.length, continues ? 2 : 1, label);
  assert.equal(
    replies[0]?.fields.get("connection")?.toLowerCase(),
    continues ? "keep-alive" : "close",
    label,
  );
  client.destroy();
};
