import { App, dependency, ForbiddenError } from "@framework/core";
import type { ConfigInput, Feature, Sample, TracedOperation } from "@framework/core/feature";
import { testClient, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { meros } from "meros/browser";
import { field, graphql, type GraphQLConfig } from "../index.ts";

const QUERY = `{ title ... @defer(label: "late") { review } }`;

/** Creates an app whose field `review` resolves when the test resolves `review`. */
const shelf = (config: ConfigInput<GraphQLConfig> = {}) => {
  const events: string[] = [];
  const seen: TracedOperation[] = [];
  let counts = (): number | readonly Sample[] => [];
  const review = Promise.withResolvers<string>();
  const spy: Feature = {
    name: "spy",
    install: (host) => {
      const end = (operation: TracedOperation): void => void seen.push(operation);
      host.insight.onOperation({ kinds: ["graphql"], start: () => null, end });
      counts = () =>
        host.insight
          .metrics()
          .find(({ name }) => name === "graphql_operations_total")
          ?.read() ?? [];
      return {};
    },
  };
  const Pen = dependency("pen", {
    scope: "invocation",
    create: () => "pen",
    dispose: () => void events.push("disposed"),
  });
  const app = new (App.with(graphql, spy))().enableGraphql({
    schema: `type Query { title: String review: String secret: String ours: String broken: String pages: [Int!]! }`,
    incremental: true,
    resolvers: {
      Query: {
        title: () => "Emma",
        review: field({ inject: { pen: Pen } }, (_source, _args, { signal }) => {
          events.push("started");
          signal.addEventListener("abort", () => {
            events.push("aborted");
            review.reject(signal.reason);
          });
          return review.promise;
        }),
        secret: field({ guards: [() => false] }, () => "the secret"),
        ours: () => {
          throw new ForbiddenError("not yours");
        },
        broken: () => {
          throw new Error("canary");
        },
        pages: async function* () {
          yield 1;
          yield 2;
          yield 3;
        } as never,
      },
    },
    ...config,
  });
  const send = (query: string, accept: string, signal?: AbortSignal): Promise<Response> =>
    app.fetch(
      new Request("http://localhost/graphql", {
        method: "POST",
        headers: { "content-type": "application/json", accept },
        body: JSON.stringify({ query }),
        signal: signal ?? null,
      }),
    );
  return { app, send, events, seen, review, read: () => counts() };
};

/** Reads the parts of a reply with a client library. */
const partsOf = async function* (reply: Response): AsyncGenerator<unknown> {
  const parts = await meros<object>(reply);
  if (parts instanceof Response) throw new Error(`the reply is not multipart: ${await parts.text()}`);
  for await (const { json, body } of parts) {
    if (!json) throw new Error(`a part is not JSON: ${String(body)}`);
    yield body;
  }
};

const allOf = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
};

const MULTIPART = "multipart/mixed, application/json";

test("a deferred fragment follows the rest of the result, which does not wait for it", async () => {
  const { send, review } = shelf();
  const reply = await send(QUERY, MULTIPART);
  expect([reply.status, reply.headers.get("content-type")]).toEqual([200, `multipart/mixed; boundary="-"`]);
  const parts = partsOf(reply);
  expect((await parts.next()).value).toEqual({
    data: { title: "Emma" },
    pending: [{ id: "0", path: [], label: "late" }],
    hasNext: true,
  });
  review.resolve("fine");
  expect((await parts.next()).value).toEqual({
    incremental: [{ id: "0", data: { review: "fine" } }],
    completed: [{ id: "0" }],
    hasNext: false,
  });
  expect((await parts.next()).done).toBe(true);
});

test("a client that requests the 2022 format gets its parts in this format", async () => {
  const { send, review } = shelf();
  review.resolve("fine");
  const accept =
    "multipart/mixed;deferSpec=20220824,application/graphql-response+json,application/json;q=0.9";
  const reply = await send(QUERY, accept);
  expect(reply.headers.get("content-type")).toBe(`multipart/mixed; boundary="-"; deferSpec=20220824`);
  expect(await allOf(partsOf(reply))).toEqual([
    { data: { title: "Emma" }, hasNext: true },
    { incremental: [{ data: { review: "fine" }, path: [], label: "late" }], hasNext: false },
  ]);
});

test.each([
  ["application/json", "application/json; charset=utf-8"],
  ["*/*", "application/json; charset=utf-8"],
  [
    "application/graphql-response+json, multipart/mixed;q=0",
    "application/graphql-response+json; charset=utf-8",
  ],
  [
    "multipart/mixed;boundary=graphql;subscriptionSpec=1.0, application/json",
    "application/json; charset=utf-8",
  ],
])("a client with Accept %s gets the result in one part", async (accept, type) => {
  const { send, review } = shelf();
  review.resolve("fine");
  const reply = await send(QUERY, accept);
  expect([reply.headers.get("content-type"), await reply.json()]).toEqual([
    type,
    { data: { title: "Emma", review: "fine" } },
  ]);
});

test.each([MULTIPART, "multipart/mixed"])(
  "a single-part result is not multipart (Accept %s)",
  async (accept) => {
    const { send } = shelf();
    for (const query of ["{ title }", "{ title ... @defer(if: false) { title } }"]) {
      const reply = await send(query, accept);
      expect([reply.headers.get("content-type"), await reply.json()]).toEqual([
        "application/json; charset=utf-8",
        { data: { title: "Emma" } },
      ]);
    }
    const refused = await send("{ nowhere ... @defer { title } }", accept);
    expect(await refused.json()).toMatchObject({ errors: [{ message: expect.stringContaining("nowhere") }] });
  },
);

test("a batch gets whole results, and a GET query gets a multipart reply that varies by Accept", async () => {
  const { app, review } = shelf({ batching: true });
  review.resolve("fine");
  await using client = testClient(app);
  const headers = { accept: MULTIPART };
  const batch = await client.post("/graphql", { json: [{ query: QUERY }], headers });
  expect(batch.json()).toEqual([{ data: { title: "Emma", review: "fine" } }]);
  const got = await client.get("/graphql", { query: { query: QUERY }, headers });
  expect(got.headers.get("content-type")).toBe(`multipart/mixed; boundary="-"`);
  expect(got.headers.get("vary")).toBe("Accept");
});

test("streamed list items follow the first part, in order", async () => {
  const { send } = shelf();
  const parts = await allOf(partsOf(await send("{ pages @stream(initialCount: 1) }", MULTIPART)));
  expect(parts[0]).toMatchObject({ data: { pages: [1] }, hasNext: true });
  const items = (parts as { incremental?: { items?: number[] }[] }[]).flatMap(({ incremental = [] }) =>
    incremental.flatMap(({ items: some = [] }) => some),
  );
  expect(items).toEqual([2, 3]);
});

test("guards apply in deferred fragments, errors are masked and logged, and HttpErrors are shown to clients", async () => {
  const { app } = shelf();
  await using client = testClient(app, { env: "production" });
  const query = "{ title ... @defer { secret ours broken } }";
  const reply = await client.post("/graphql", { json: { query }, headers: { accept: MULTIPART } });
  expect(reply.text).not.toMatch(/the secret|canary/);
  expect(reply.text).toContain('"status":403');
  expect(reply.text).toContain("not yours");
  expect(reply.text).toContain('"detail":"An unexpected error occurred","status":500');
  expect(JSON.stringify(client.logs)).toContain("canary");
});

test("a result in parts is one operation, which ends with the last part and has the errors of all parts", async () => {
  const { send, seen, read, review, events } = shelf();
  const parts = partsOf(await send("{ title ... @defer { review broken } }", MULTIPART));
  await parts.next();
  expect([seen.length, read()]).toEqual([0, []]);
  review.resolve("fine");
  await allOf(parts);
  await waitFor(() => events.includes("disposed"));
  expect(seen.map(({ name }) => name)).toEqual(["query"]);
  expect(read()).toEqual([{ labels: { type: "query", outcome: "error" }, value: 1 }]);
  expect(events).toEqual(["started", "disposed"]);
});

test("a client that disconnects between two parts ends the operation, and aborts its resolvers", async () => {
  const { send, seen, events } = shelf();
  const reader = (await send(QUERY, MULTIPART)).body?.getReader();
  await reader?.read();
  const second = reader?.read();
  await waitFor(() => events.includes("started"));
  await reader?.cancel();
  expect((await second)?.done).toBe(true);
  await waitFor(() => seen.length === 1 && events.includes("disposed"));
  expect(events).toEqual(["started", "aborted", "disposed"]);
});

test("a client that disconnects before its first read ends the operation", async () => {
  const { send, seen } = shelf();
  const disconnecting = new AbortController();
  await send(QUERY, MULTIPART, disconnecting.signal);
  disconnecting.abort();
  await waitFor(() => seen.length > 0);
  expect(seen).toHaveLength(1);
});

test("without `incremental` the directives are unknown, and an app whose schema declares one does not start", async () => {
  const off = shelf({ incremental: false });
  const reply = await off.send(QUERY, MULTIPART);
  expect(await reply.json()).toMatchObject({ errors: [{ message: expect.stringContaining("@defer") }] });
  const schema = "directive @defer(if: Boolean) on FRAGMENT_SPREAD type Query { title: String }";
  const declared = new (App.with(graphql))().enableGraphql({ schema });
  await expect(declared.start()).rejects.toThrow("the directive @defer has no effect without `incremental`");
});
