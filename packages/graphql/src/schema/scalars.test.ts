import { App } from "@framework/core";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { GraphQLError, GraphQLScalarType } from "graphql";
import { field, graphql } from "../index.ts";
import { library } from "../library.test-kit.ts";

test("a scalar reads and writes values, and its errors are shown to clients", async () => {
  const half = (value: unknown): number => {
    if (typeof value === "number") return value / 2;
    throw new GraphQLError("Even takes numbers");
  };
  const even = new GraphQLScalarType({
    name: "Even",
    serialize: (value) => Number(value) * 2,
    parseValue: half,
  });
  const app = new (App.with(graphql))().enableGraphql({
    schema: "scalar Even type Query { same(of: Even!): Even half(of: Even!): Float }",
    resolvers: {
      Even: even,
      Query: { same: field({}, (_source, { of }) => of), half: field({}, (_source, { of }) => of) },
    },
  });
  await using client = testClient(app, { env: "production" });
  const send = async (of: unknown) => {
    const json = { query: "query($of: Even!) { same(of: $of) half(of: $of) }", variables: { of } };
    return (await client.post("/graphql", { json })).json();
  };
  expect(await send(4)).toEqual({ data: { same: 4, half: 2 } });
  expect(await send("x")).toMatchObject({
    errors: [{ message: expect.stringContaining("Even takes numbers"), extensions: { status: 400 } }],
  });
});

test("the resolvers of enums and scalars apply to defaults in SDL", async () => {
  const days = new GraphQLScalarType({
    name: "Days",
    serialize: (value) => (value as { days: number }).days,
    parseValue: (value) => ({ days: Number(value) }),
    parseLiteral: (node) => ({ days: Number((node as { value?: string }).value) }),
  });
  const seen: unknown[] = [];
  const app = new (App.with(graphql))().enableGraphql({
    schema: `
      directive @limited(to: Days = 9) on FIELD_DEFINITION
      scalar Days
      enum Colour { RED BLUE }
      input Outer { inner: Inner = {} colours: [Colour!] = [RED] }
      input Inner { colour: Colour = BLUE days: Days = 3 }
      type Query { paint(colour: Colour = RED, days: Days = 7, outer: Outer = {}): Int }
    `,
    introspection: true,
    resolvers: {
      Days: days,
      Colour: { RED: "#f00", BLUE: "#00f" },
      Query: { paint: (_: unknown, args: object) => seen.push(structuredClone(args)) },
    },
  });
  await using client = testClient(app);
  expect((await client.post("/graphql", { json: { query: "{ paint }" } })).json()).toEqual({
    data: { paint: 1 },
  });
  expect(seen).toEqual([
    {
      colour: "#f00",
      days: { days: 7 },
      outer: { inner: { colour: "#00f", days: { days: 3 } }, colours: ["#f00"] },
    },
  ]);
  const query =
    '{ __type(name: "Query") { fields { args { name defaultValue } } } __schema { directives { name args { defaultValue } } } }';
  const { data } = (await client.post("/graphql", { json: { query } })).json<{
    data: {
      __type: { fields: [{ args: object[] }] };
      __schema: { directives: { name: string; args: object[] }[] };
    };
  }>();
  expect(data.__type.fields[0].args.slice(0, 2)).toEqual([
    { name: "colour", defaultValue: "RED" },
    { name: "days", defaultValue: "7" },
  ]);
  expect(data.__schema.directives.find(({ name }) => name === "limited")?.args).toEqual([
    { defaultValue: "9" },
  ]);
});

test("a scalar's resolver keeps the @specifiedBy of the SDL, unless the resolver has its own", async () => {
  const scalar = (specifiedByURL?: string) =>
    new GraphQLScalarType({ name: "Time", ...(specifiedByURL !== undefined && { specifiedByURL }) });
  for (const [resolver, url] of [
    [scalar(), "https://sdl.example"],
    [scalar("https://own.example"), "https://own.example"],
  ] as const) {
    const app = new (App.with(graphql))().enableGraphql({
      schema: 'scalar Time @specifiedBy(url: "https://sdl.example") type Query { now: Time }',
      introspection: true,
      resolvers: { Time: resolver },
    });
    await using client = testClient(app);
    const query = '{ __type(name: "Time") { specifiedByURL } }';
    const reply = await client.post("/graphql", { json: { query } });
    expect(reply.json()).toEqual({ data: { __type: { specifiedByURL: url } } });
  }
});

test("scalars and types of GraphQL itself, which all schemas share, cannot be redefined", async () => {
  const start = (resolvers: NonNullable<Parameters<typeof library>[0]>["resolvers"]) =>
    new (App.with(graphql))().enableGraphql({ schema: "type Query { a: String }", resolvers }).start();
  const shout = new GraphQLScalarType({ name: "String", serialize: (value) => `${String(value)}!` });
  await expect(start({ String: shout })).rejects.toThrow('"String" is part of GraphQL');
  await expect(start({ __Type: { name: () => "x" } })).rejects.toThrow('"__Type" is part of GraphQL');
});
