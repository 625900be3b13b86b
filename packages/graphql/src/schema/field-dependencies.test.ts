import { App, dependency, Depends } from "@framework/core";
import { testClient, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { execute, type GraphQLResolveInfo as Info, parse } from "graphql";
import { createLoader, field, graphql, subscription } from "../index.ts";
import { ready, serve, subscribe } from "../sockets/served-library.test-kit.ts";

let sessions = 0;
const disposed: number[] = [];
const Session = dependency("session", {
  scope: "invocation",
  create: () => ({ id: ++sessions }),
  dispose: ({ id }) => void disposed.push(id),
});

const names = createLoader({
  name: "names",
  batch: async (ids: readonly number[], _context, session = Depends(Session)) =>
    ids.map((id) => `${id} in ${session.id}`),
});

const resolvers = {
  Query: {
    parent: async (
      _source: unknown,
      _args: object,
      _context: unknown,
      _info: unknown,
      s = Depends(Session),
    ) => {
      await Promise.resolve();
      return { session: s.id };
    },
  },
  Parent: {
    plain: (_source: unknown, _args: object, _context: unknown, _info: unknown, s = Depends(Session)) => s.id,
    without: field({}, (_source, _args, _context, _info, s = Depends(Session)) => s.id),
    beside: field(
      { inject: { session: Session } },
      (_source, _args, _context, _info, { session }, other = Depends(Session)) => session === other,
    ),
    name: (_source: unknown, { id }: { id: number }, context: { load: (...args: never[]) => unknown }) =>
      context.load(names as never, id as never),
  },
};
const schema =
  "type Query { parent: Parent } type Parent { session: Int plain: Int without: Int beside: Boolean name(id: Int): String }";
const query = "{ parent { session plain without beside a: name(id: 1) b: name(id: 2) } }";

test("default arguments of resolvers and loaders share the dependencies of their operation", async () => {
  await using client = testClient(new (App.with(graphql))().enableGraphql({ schema, resolvers }));
  for (let operation = 0; operation < 2; operation++) {
    const before = sessions;
    const reply = await client.post("/graphql", { json: { query } });
    const id = before + 1;
    expect(reply.json()).toEqual({
      data: {
        parent: { session: id, plain: id, without: id, beside: true, a: `1 in ${id}`, b: `2 in ${id}` },
      },
    });
    expect(disposed.at(-1)).toBe(id);
  }
});

test("a subscription has its own dependencies until its end, and each event has its own", async () => {
  const { open } = await serve({
    schema: "type Query { a: Int } type Subscription { twice: Twice } type Twice { outer: Int inner: Int }",
    resolvers: {
      Subscription: {
        twice: subscription({}, async function* (_source, _args, _context, _info, s = Depends(Session)) {
          yield { outer: s.id };
          yield { outer: disposed.includes(s.id) ? -1 : s.id };
        }),
      },
      Twice: {
        inner: (_source: unknown, _args: object, _context, _info, s = Depends(Session)) => s.id,
      },
    },
  });
  const peer = await ready(await open());
  const outer = sessions + 1;
  peer.send(subscribe("1", "subscription { twice { outer inner } }"));
  await waitFor(() => peer.messages.length === 3);
  expect(peer.messages.slice(0, 2)).toMatchObject(
    [outer + 1, outer + 2].map((inner) => ({ payload: { data: { twice: { outer, inner } } } })),
  );
  await waitFor(() => disposed.includes(outer));
});

test("outside of the endpoint, resolvers without dependencies work, and resolvers with dependencies fail with the reason", async () => {
  const inner = async (_source: unknown, _args: object, _context: unknown, { schema: built }: Info) => {
    await Promise.resolve();
    return JSON.stringify(await execute({ schema: built, document: parse("{ now session }") }));
  };
  await using client = testClient(
    new (App.with(graphql))().enableGraphql({
      schema: "type Query { now: Int session: Int inner: String }",
      resolvers: {
        Query: {
          now: () => 7,
          session: (_source: unknown, _args: object, _context, _info, s = Depends(Session)) => s.id,
          inner,
        },
      },
    }),
  );
  const reply = await client.post("/graphql", { json: { query: "{ inner }" } });
  const { data } = reply.json<{ data: { inner: string } }>();
  expect(JSON.parse(data.inner)).toMatchObject({
    data: { now: 7, session: null },
    errors: [{ path: ["session"], message: expect.stringContaining("outside") }],
  });
});
