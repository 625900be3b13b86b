import assert from "node:assert/strict";
import fc from "fast-check";
import { HttpError } from "../../errors/http-error.ts";
import { readBody } from "../../request/read-body.ts";
import { Response } from "../../response/response.ts";
import type { RequestSource } from "../request-source.ts";
import type { Serve } from "../transport.ts";
import type { RawClient } from "./raw-client.ts";
import { eventually, type MakeTransport, type TestServer, turn, withServer } from "./test-server.ts";

/** What goes over one connection, in pieces, one character a byte. */
export interface Traffic {
  readonly pieces: readonly string[];
}

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
      run(async ({ pieces }) => {
        const clients = await Promise.all([left.connect(), right.connect()]);
        await Promise.all(clients.map((client) => sendPieces(client, pieces)));
        await settled(left, right, clients);
        compareClients(clients, pieces);
        for (const client of clients) client.end();
        await Promise.all(clients.map((client) => client.untilClosed()));
        compareClients(clients, pieces);
        for (const server of [left, right]) await allGone(server);
        assert.deepEqual(left.logged, right.logged);
      }),
    ),
  );

const sendPieces = async (client: RawClient, pieces: readonly string[]): Promise<void> => {
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
  const end = performance.now() + 500;
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
  received: received.replaceAll(/date: [^\r]*/g, "date: …"),
  closed,
});

const allGone = async ({ transport, served, clock }: TestServer): Promise<void> => {
  clock.advance(3000); // what is left of a client that was answered and goes on sending
  await eventually(() => transport.connections === 0, "the connection is gone");
  assert.equal(transport.inFlight, 0);
  served.length = 0;
};

const host = "Host: a\r\n";
const get = (target: string, fields = ""): string => `GET ${target} HTTP/1.1\r\n${host}${fields}\r\n`;
const post = (target: string, fields: string, body: string): string =>
  `POST ${target} HTTP/1.1\r\n${host}${fields}\r\n${body}`;

const ordinary: readonly string[] = [
  get("/"),
  get("/async", "Connection: keep-alive\r\nCookie: a=1\r\nAccept: */*\r\ncookie: b=2\r\n"),
  get("/stream?x=%20", "X: 1\r\nx:\t2 \r\n"),
  get("/204"),
  get("/close"),
  get("/").replace("GET", "HEAD"),
  get("/stream").replace("GET", "HEAD"),
  get("/async").replace("GET", "OPTIONS"),
  post("/read", "Content-Length: 5\r\nContent-Type: text/plain\r\n", "hello"),
  post("/", "content-length: 0\r\n", ""),
  post("/unread", "Content-Length: 12\r\n", "GET / HTTP/1"),
  post("/read", "Content-Length: 3\r\n", "abc").replace("POST", "DELETE"),
];
const unusual: readonly string[] = [
  post("/read", "Transfer-Encoding: chunked\r\n", "3;a=b\r\nabc\r\n0\r\nX: y\r\n\r\n"),
  post("/read", "Expect: 100-continue\r\nContent-Length: 2\r\n", "hi"),
  post("/read", "Content-Length: 70000\r\n", "z".repeat(70_000)),
  get("/", "Connection: close\r\n"),
  get("/", "Connection: Upgrade\r\nUpgrade: websocket\r\n"),
  get("http://b/x"),
  get("*").replace("GET", "OPTIONS"),
  get("/").replace("1.1", "1.0"),
  get("/", "Connection: keep-alive\r\n").replace("1.1", "1.0"),
  `\r\n${get("/")}`,
  get("/").replace("GET", "PROPFIND"),
  get("/").replace("GET", "FOO"),
  get("/", "Host: b\r\n"),
  get("/", "Connection: keep-alive, foo\r\n"),
];
const spice: readonly string[] = [
  "\r",
  "\n",
  "\r\n",
  "\r\n\r\n",
  "\0",
  " ",
  "\t",
  ":",
  ",",
  "0",
  "1",
  "\x7f",
  "\xff",
  "%",
  "#",
  "@",
  "/",
  "HTTP/1.0",
  "close",
  "-1",
  "Content-Length: 1\r\n",
  "Content-Length: 3\r\n",
  "Transfer-Encoding: chunked\r\n",
  "Host: b\r\n",
  "Expect: 100-continue\r\n",
  "Connection: close\r\n",
  "Upgrade: x\r\n",
  "Content-Type: a\r\n",
  "__proto__: 1\r\n",
  get("/async"),
];

const place = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
const edit = fc.tuple(
  place,
  fc.oneof(
    fc.constantFrom(...spice),
    fc.nat(255).map((code) => String.fromCharCode(code)),
  ),
  fc.nat(3),
);

/** Messages in a row, some of them damaged, cut anywhere. */
export const traffic: fc.Arbitrary<Traffic> = fc
  .record({
    messages: fc.array(
      fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...ordinary) }, fc.constantFrom(...unusual)),
      {
        minLength: 1,
        maxLength: 4,
      },
    ),
    edits: fc.array(edit, { maxLength: 2 }),
    cuts: fc.array(place, { maxLength: 3 }),
  })
  .map(({ messages, edits, cuts }) => {
    const bytes = edits.reduce((text, [where, insert, removed]) => {
      const at = Math.trunc(where * text.length);
      return text.slice(0, at) + insert + text.slice(at + removed);
    }, messages.join(""));
    const places = [0, ...cuts.map((cut) => Math.trunc(cut * bytes.length)), bytes.length].toSorted(
      (a, b) => a - b,
    );
    return { pieces: places.slice(1).map((end, index) => bytes.slice(places[index], end)) };
  });

/** Compares two transports over random traffic. @throws with the seed and the smallest traffic that makes them differ */
export const expectNoDifference = (
  one: MakeTransport,
  other: MakeTransport,
  parameters: fc.Parameters<[Traffic]>,
): Promise<void> =>
  withBoth(one, other, (compare) =>
    Promise.resolve(fc.assert(fc.asyncProperty(traffic, compare), parameters)),
  );
