import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { library } from "../library.test-kit.ts";
import { stringEnd } from "../documents/json-string.ts";
import { queryIn } from "./query-in-json.ts";

const attack = `{ ${"now ".repeat(1001)} }`;
const padding = "x".repeat(2000);
const deep = `{ books ${"{ author { books ".repeat(40)}`;

const post = (body: string) => ({ body, headers: { "content-type": "application/json" } });

test.each([
  ["the first member", JSON.stringify({ query: attack, variables: { padding } })],
  [
    "the last member",
    JSON.stringify({ variables: { query: ["query", '"query": "{ now }"', padding] }, query: attack }),
  ],
  ["a member after whitespace", ` \n{ "operationName" : "query" ,\t"query" : ${JSON.stringify(attack)} } `],
  ["one of two members", `{"query":${JSON.stringify(attack)},"query":"{ now }"}`],
  ["the second of two members", `{"query":"{ now }","query":${JSON.stringify(attack)}}`],
  ["a member whose name is escaped", `{"\\u0071uery":${JSON.stringify(attack)}}`],
  ["a member with escapes", `{"query":${JSON.stringify(attack).replaceAll(" ", "\\u0020")}}`],
])("a document over a limit is refused as %s of a long body", async (_place, body) => {
  await using client = testClient(library().app);
  const reply = await client.post("/graphql", post(body));
  expect([reply.status, reply.json()]).toMatchObject([
    200,
    {
      errors: [
        { message: "The number of tokens exceeds the limit of 1000", extensions: { limit: "maxTokens" } },
      ],
    },
  ]);
});

test("a long body that is truncated or not UTF-8 within its document is a 400", async () => {
  await using client = testClient(library().app);
  const cut = await client.post("/graphql", post(`{"query":"${"now ".repeat(990)}\\`));
  expect(cut.status).toBe(400);
  const bytes = Buffer.concat([
    Buffer.from(`{"query":"{ now # ${padding}`),
    Buffer.from([0xff, 0xc0]),
    Buffer.from('\\n }"}'),
  ]);
  const invalid = await client.post("/graphql", { ...post(""), body: bytes });
  expect([invalid.status, invalid.text]).toMatchObject([400, expect.stringContaining("not valid UTF-8")]);
});

test("a refusal in graphql-response+json has the status 400", async () => {
  await using client = testClient(library().app);
  const accept = { accept: "application/graphql-response+json" };
  const reply = await client.post("/graphql", {
    json: { query: deep, variables: { padding } },
    headers: accept,
  });
  expect([reply.status, reply.json()]).toMatchObject([
    400,
    { errors: [{ extensions: { limit: "maxDepth" } }] },
  ]);
  expect(reply.headers.get("content-type")).toBe("application/graphql-response+json; charset=utf-8");
});

test("a long body within the limits is executed", async () => {
  await using client = testClient(library().app);
  const query = `query($name: String!) { # ${padding}\n  hello(name: $name)\n}`;
  const reply = await client.post("/graphql", { json: { query, variables: { name: padding } } });
  expect(reply.json()).toEqual({ data: { hello: `Hello, ${padding}` } });
});

test.each([true, false])(
  "a known document is executed, and a query sent with it is ignored: onlyDocuments %s",
  async (onlyDocuments) => {
    await using client = testClient(library({ documents: { a: "{ now }" }, onlyDocuments }).app);
    const known = await client.post("/graphql", { json: { documentId: "a", query: attack } });
    expect(known.json()).toEqual({ data: { now: 7 } });
  },
);

test("with onlyDocuments a document over a limit is refused as unregistered", async () => {
  await using client = testClient(library({ documents: { a: "{ now }" }, onlyDocuments: true }).app);
  const unknown = await client.post("/graphql", { json: { query: attack } });
  expect(unknown.text).toContain("Only registered documents are executed");
});

test("queryIn finds the query of any object", () => {
  const value = fc.oneof(
    { weight: 3, arbitrary: fc.jsonValue() },
    fc.string({ maxLength: 200 }).map((each) => `"${each}`),
  );
  const members = fc.dictionary(fc.oneof(fc.constant("query"), fc.string()), value);
  fc.assert(
    fc.property(members, fc.constantFrom(undefined, 2), (object, indent) => {
      const json = Buffer.from(JSON.stringify(object, null, indent));
      const expected = typeof object["query"] === "string" ? JSON.stringify(object["query"]) : null;
      const at = queryIn(json);
      const found = at === -1 ? null : json.subarray(at - 1, stringEnd(json, at) + 1).toString();
      expect(found).toBe(expected);
    }),
    { numRuns: 1000 },
  );
});
