import assert from "node:assert/strict";
import { Response } from "@framework/core";
import type { Serve } from "@framework/core/testing";
import { parseReplies, type RawClient, type RawReply } from "../harness/raw-client.ts";
import type { Test } from "../harness/test.ts";
import { echo, type MakeTransport, turn, withServer } from "../harness/test-server.ts";

/** Fields of a request that offers another protocol or expects 100 Continue, its body as sent, and the length of that body. */
interface Offer {
  readonly fields: string;
  readonly body: string;
  readonly bytes: number;
}

const offers: readonly Offer[] = [
  {
    fields: "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABk\r\n",
    body: "",
    bytes: 0,
  },
  { fields: "Upgrade: TLS/1.0\r\nConnection: upgrade\r\n", body: "", bytes: 0 },
  {
    fields: "Upgrade: websocket\r\nConnection: upgrade\r\nContent-Length: 3\r\n",
    body: "abc",
    bytes: 3,
  },
  {
    fields: "Upgrade: h2c\r\nConnection: upgrade\r\nTransfer-Encoding: chunked\r\n",
    body: "3\r\nabc\r\n0\r\n\r\n",
    bytes: 3,
  },
  { fields: "Expect: 100-continue\r\n", body: "", bytes: 0 },
  { fields: "Expect: 100-continue\r\nContent-Length: 0\r\n", body: "", bytes: 0 },
  { fields: "Expect: 100-continue\r\nContent-Length: 3\r\n", body: "abc", bytes: 3 },
  {
    fields: "Expect: 100-continue\r\nUpgrade: h2c\r\nConnection: upgrade\r\nContent-Length: 3\r\n",
    body: "abc",
    bytes: 3,
  },
];

const head = (target: string, { fields }: Offer): string =>
  `POST ${target} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`;
const NEXT = "GET /3 HTTP/1.1\r\nHost: a\r\n\r\n";
const path: Serve = ({ target }) => Response.text(target);
/** Whether a body that is received whole but not read ends the connection: its end is unknown, or the client may not send it after the reply. */
const endsUnread = ({ fields, bytes }: Offer): boolean =>
  fields.includes("chunked") || (fields.startsWith("Expect") && bytes > 0);
const finals = (client: RawClient): RawReply[] =>
  parseReplies(client.received, client.closed).filter(({ status }) => status >= 200);

/** Sends messages that are each split at an offset, in pieces that arrive in separate turns; an offset of 0 or beyond a message does not split it. */
const sendSplit = async (client: RawClient, messages: readonly string[], offset: number): Promise<void> => {
  let piece = "";
  for (const message of messages) {
    piece += message.slice(0, offset);
    if (offset > 0 && offset <= message.length) {
      await client.send(piece);
      await turn(2);
      piece = "";
    }
    piece += message.slice(offset);
  }
  await client.send(piece);
};

/** Runs a check for each offset in a message, its end included. */
const atEveryOffset = (message: string, check: (offset: number) => Promise<void>): Promise<unknown> =>
  Promise.all(Array.from({ length: message.length + 1 }, (_unused, offset) => check(offset)));

/** Bodies and persistence of requests with Upgrade or Expect. */
export const offerConformance = (test: Test, make: MakeTransport): void => {
  test("reads the body of a request with Upgrade or Expect and continues, wherever the bytes are split", () =>
    withServer(make, { serve: echo }, async (server) => {
      for (const offer of offers) {
        const [first, second] = [head("/1", offer) + offer.body, head("/2", offer) + offer.body];
        const check = async (cut: number): Promise<void> => {
          const client = await server.connect();
          await sendSplit(client, [first, second, NEXT], cut);
          await client.until(() => finals(client).filter(({ complete }) => complete).length === 3);
          const actual = finals(client).map(({ body }): unknown => JSON.parse(body));
          const expected = (method: string, target: string, count: number): unknown => ({
            method,
            target,
            authority: "a",
            bytes: count,
          });
          assert.deepEqual(
            actual,
            [
              expected("POST", "/1", offer.bytes),
              expected("POST", "/2", offer.bytes),
              expected("GET", "/3", 0),
            ],
            `${offer.fields} cut at ${cut}`,
          );
          client.destroy();
        };
        await atEveryOffset(first, check);
      }
    }));

  test("sends 100 Continue for a body that the app reads and the client holds back, even with Upgrade", () =>
    withServer(make, { serve: echo }, async (server) => {
      for (const offer of offers.filter(({ fields, bytes }) => fields.startsWith("Expect") && bytes > 0)) {
        const client = await server.connect();
        await client.send(head("/1", offer));
        assert.equal(
          await client.until((text) => text.endsWith("\r\n\r\n")),
          "HTTP/1.1 100 Continue\r\n\r\n",
        );
        await client.send(offer.body + NEXT);
        await client.until(() => finals(client).length === 2);
        client.destroy();
      }
    }));

  test("continues or closes as its reply states after a request with Upgrade or Expect whose body is not read", () =>
    withServer(make, { serve: path }, async (server) => {
      for (const offer of offers) {
        const first = head("/1", offer) + offer.body;
        const check = async (cut: number): Promise<void> => {
          const label = `${offer.fields} cut at ${cut}`;
          const client = await server.connect();
          await sendSplit(client, [first, NEXT], cut);
          await client.until(() => finals(client).length > 0);
          const closes = finals(client)[0]?.fields.get("connection") === "close";
          if (closes) await client.untilClosed();
          else await client.until(() => finals(client).length === 2);
          assert.deepEqual(
            finals(client).map(({ body }) => body),
            closes ? ["/1"] : ["/1", "/3"],
            label,
          );
          // If the end of an unread body is uncertain, both outcomes are correct.
          if (cut === 0 || offer.bytes === 0) assert.equal(closes, endsUnread(offer), label);
          client.destroy();
        };
        await atEveryOffset(first, check);
      }
    }));
};
