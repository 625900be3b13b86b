import assert from "node:assert/strict";
import fc from "fast-check";
import { HttpError } from "../../errors/http-error.ts";
import { readBody } from "../../request/read-body.ts";
import { Response } from "../../response/response.ts";
import type { RequestSource } from "../request-source.ts";
import type { Serve } from "../transport.ts";
import type { RawClient } from "./raw-client.ts";
import { eventually, type MakeTransport, type TestServer, turn, withServer } from "./test-server.ts";
import { type Traffic, traffic } from "./traffic.ts";

/** Sends the same to both servers and fails when the apps saw, or the clients got, anything different. */
export type Compare = (traffic: Traffic) => Promise<void>;

/** Everything that the app sees of a request goes into its reply, so that equal replies mean equal requests. */
const tell = (source: RequestSource, body: string): Response => {
  const { method, target, authority, scheme, fields, bodyLength } = source;
  const named = ["host", "cookie", "content-type", "x", "absent"].map((name) => source.field(name));
  const seen = { method, target, authority, scheme, fields, named, bodyLength, body };
  const status = target.includes("204") ? 204 : 200;
  return target.includes("stream")
    ? Response.stream([JSON.stringify(seen)])
    : Response.json(seen, { status });
};

const serve: Serve = (source) => {
  if (source.target.includes("read")) return read(source);
  if (source.target.includes("async")) return turn(1).then(() => tell(source, "unread"));
  if (source.target.includes("close")) return new Response("bye", { headers: { connection: "close" } });
  return tell(source, "unread");
};

const read = async (source: RequestSource): Promise<Response> => {
  try {
    return tell(source, Buffer.from(await readBody(source, 100_000)).toString("latin1"));
  } catch (error) {
    return Response.json({ code: HttpError.is(error) ? error.code : "another" }, { status: 400 });
  }
};

/** Runs two transports side by side. */
export const withBoth = (
  one: MakeTransport,
  other: MakeTransport,
  run: (compare: Compare) => Promise<void>,
): Promise<void> =>
  withServer(one, { serve }, (left) =>
    withServer(other, { serve }, (right) =>
      run(async ({ pieces, leaves }) => {
        const clients = await Promise.all([left.connect(), right.connect()]);
        try {
          await Promise.all(clients.map((client) => sendPieces(client, pieces)));
          // What of the answers a client gets that does not wait is chance; that nothing is left behind is not.
          if (leaves === undefined) await compareAnswers(left, right, clients, pieces);
          else await Promise.all(clients.map((client) => leave(client, leaves)));
        } finally {
          for (const client of clients) client.destroy();
          for (const server of [left, right]) await allGone(server);
        }
        if (leaves === undefined) assert.deepEqual(left.logged, right.logged);
        for (const { logged } of [left, right]) logged.length = 0;
      }),
    ),
  );

const compareAnswers = async (
  left: TestServer,
  right: TestServer,
  clients: readonly [RawClient, RawClient],
  pieces: readonly string[],
): Promise<void> => {
  await settled(left, right, clients);
  compareClients(clients, pieces);
  for (const client of clients) client.end();
  await Promise.all(clients.map((client) => client.untilClosed()));
  compareClients(clients, pieces);
};

/** Goes without waiting for an answer. */
export const leave = async (client: RawClient, how: "half-closes" | "resets"): Promise<void> => {
  if (how === "resets") client.socket.resetAndDestroy();
  else client.end();
  await client.untilClosed();
};

export const sendPieces = async (client: RawClient, pieces: readonly string[]): Promise<void> => {
  for (const piece of pieces) {
    await client.send(piece);
    await turn(2);
  }
};

/** Waits for the answers; both have as long as the slower one takes. */
const settled = async (
  left: TestServer,
  right: TestServer,
  clients: readonly [RawClient, RawClient],
): Promise<void> => {
  const end = performance.now() + 3000;
  let calm = 0;
  let seen = -1;
  while (calm < 6) {
    await turn(1);
    const [a, b] = clients;
    const size = a.received.length + b.received.length + left.served.length + right.served.length;
    calm = size === seen && (isAlike(a, b) || performance.now() > end) ? calm + 1 : 0;
    seen = size;
  }
};

const compareClients = ([a, b]: readonly [RawClient, RawClient], pieces: readonly string[]): void => {
  // How much of a long rest arrives behind a last answer, and so whether it is too much, is the system's to say.
  if ((a.reset || b.reset) && pieces.join("").length > 60_000) return;
  assert.deepEqual(told(a), told(b));
  assert.equal(a.reset, b.reset);
};

const isAlike = (a: RawClient, b: RawClient): boolean => JSON.stringify(told(a)) === JSON.stringify(told(b));

const told = ({ received, closed }: RawClient) => ({
  received: likeEachOther(received.replaceAll(/date: [^\r]*/g, "date: …")),
  closed,
});

const refused =
  /HTTP\/1\.1 (?:400 (?:(?!HTTP\/1)[^])*"The request line is malformed"|501 (?:(?!HTTP\/1)[^])*"The method is not known"),"status":\d+\}$/;

/**
 * The one difference that is allowed: behind a body or empty lines, node:http does not tell where in a read a message began, and so not whether
 * what stands for a method is an unknown token (501) or none (400).
 */
const likeEachOther = (received: string): string => received.replace(refused, "400 or 501");

const allGone = async ({ transport, served, clock }: TestServer): Promise<void> => {
  clock.advance(3000); // what is left of a client that was answered and goes on sending
  await eventually(() => transport.connections === 0, "the connection is gone");
  assert.equal(transport.inFlight, 0);
  served.length = 0;
};

/** Compares two transports over random traffic. @throws with the seed and the smallest traffic that makes them differ */
export const expectNoDifference = (
  one: MakeTransport,
  other: MakeTransport,
  parameters: fc.Parameters<[Traffic]>,
): Promise<void> =>
  withBoth(one, other, (compare) =>
    Promise.resolve(fc.assert(fc.asyncProperty(traffic, compare), parameters)),
  );
