import { createHash } from "node:crypto";
import { TLSSocket } from "node:tls";
import { Response } from "@framework/core";
import type { Serve } from "@framework/core/testing";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { bothTransports, bothTransportsAndTls } from "../harness/both-transports.ts";
import { inBatches } from "../harness/in-batches.ts";
import type { RawClient } from "../harness/raw-client.ts";
import { eventually, turn, withServer } from "../harness/test-server.ts";

/** A request with a unique body. */
interface Upload {
  readonly length: number;
  /** Bytes per write; writes are one event loop turn apart. */
  readonly piece: number;
  readonly chunked: boolean;
}

/** The behaviour of one client: sequential uploads, the last of which it may abort. */
interface ClientRun {
  readonly uploads: readonly Upload[];
  /** Kind of disconnect during the last upload; `null` if it waits for the reply. */
  readonly disconnectKind: "end" | "reset" | null;
}

const length = fc.oneof(fc.nat({ max: 300 }), fc.nat({ max: 9000 }), fc.nat({ max: 150_000 }));
const upload: fc.Arbitrary<Upload> = fc.record({
  length,
  piece: fc.oneof(fc.integer({ min: 1000, max: 8000 }), fc.constant(200_000)),
  chunked: fc.boolean(),
});
const clientRuns = fc.array(
  fc.record({
    uploads: fc.array(upload, { minLength: 1, maxLength: 4 }),
    disconnectKind: fc.constantFrom("end" as const, "reset" as const, null, null),
  }),
  { minLength: 2, maxLength: 12 },
);

const digestOf = (bytes: Uint8Array): string => createHash("sha1").update(bytes).digest("hex");

/** Keeps the chunks of the body while other bodies are read, and replies with their digest. */
const digest: Serve = async (source) => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source.chunks()) {
    chunks.push(chunk);
    await turn(1);
  }
  return Response.text(digestOf(Buffer.concat(chunks)));
};

/** Returns the bytes of an upload, different for each client and request. */
const bodyOf = (client: number, request: number, { length: bytes }: Upload): Buffer => {
  const body = Buffer.alloc(bytes);
  for (let at = 0; at < bytes; at++) body[at] = (client * 31 + request * 7 + at * (client + 3)) & 0xff;
  return body;
};

const messageOf = (body: Buffer, chunked: boolean): Buffer => {
  const head = `POST / HTTP/1.1\r\nHost: a\r\n`;
  if (!chunked) return Buffer.concat([Buffer.from(`${head}Content-Length: ${body.length}\r\n\r\n`), body]);
  const size = body.length === 0 ? "" : `${body.length.toString(16)}\r\n`;
  const end = body.length === 0 ? "0\r\n\r\n" : "\r\n0\r\n\r\n";
  return Buffer.concat([
    Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n${size}`),
    body,
    Buffer.from(end),
  ]);
};

/** Sends half of a message, and disconnects. */
const disconnect = async (
  client: RawClient,
  message: Buffer,
  piece: number,
  how: "end" | "reset",
): Promise<void> => {
  await write(client, message.subarray(0, message.length >> 1), piece);
  if (how === "end") client.end();
  else if (client.socket instanceof TLSSocket) client.destroy(); // TLS sockets cannot reset
  else client.socket.resetAndDestroy();
};

const write = async (client: RawClient, bytes: Buffer, piece: number): Promise<void> => {
  for (let at = 0; at < bytes.length; at += piece) {
    client.socket.write(bytes.subarray(at, at + piece));
    await turn(1);
  }
};

/** Runs a client. Returns the digests of its uploads, and the digests that it received. */
const runClient = async (
  client: RawClient,
  at: number,
  { uploads, disconnectKind }: ClientRun,
): Promise<[string[], string[]]> => {
  const sent: string[] = [];
  let received: string[] = [];
  for (const [request, one] of uploads.entries()) {
    const body = bodyOf(at, request, one);
    const message = messageOf(body, one.chunked);
    if (disconnectKind !== null && request === uploads.length - 1) {
      await disconnect(client, message, one.piece, disconnectKind);
      return [sent, received];
    }
    await write(client, message, one.piece);
    sent.push(digestOf(body));
    received = (await client.replies(sent.length)).map((reply) => reply.body);
  }
  client.end();
  return [sent, received];
};

describe.each([
  ...bothTransportsAndTls,
  ...bothTransports.map(([name, make]) => [`${name}, in batches`, inBatches(make)] as const),
])("%s", (_name, make) => {
  test("each client gets the digest of its own bytes, even if others send, pause or disconnect concurrently", () =>
    withServer(make, { serve: digest }, async (server) => {
      await fc.assert(
        fc.asyncProperty(clientRuns, async (runs) => {
          const clients = await Promise.all(runs.map(() => server.connect()));
          const results = await Promise.allSettled(
            runs.map((run, at) => runClient(clients[at] as RawClient, at, run)),
          );
          const outcomes = results.map((result) => {
            if (result.status === "fulfilled") return result.value;
            for (const client of clients) client.destroy();
            throw result.reason;
          });
          for (const [sent, received] of outcomes) expect(received).toEqual(sent);
          await eventually(() => server.transport.connections === 0, "all connections are gone");
          expect(server.transport.inFlight).toBe(0);
        }),
        { numRuns: 15 },
      );
    }));
});
