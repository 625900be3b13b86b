import { expect, test } from "@jest/globals";
import { importClient } from "./generated-module.test-kit.ts";

const reply = (content: object) => ({ description: "", content });

const all = async (items: unknown): Promise<unknown[]> => {
  const list: unknown[] = [];
  for await (const item of items as AsyncIterable<unknown>) list.push(item);
  return list;
};

const pet = { type: "object", properties: { name: { type: "string" } } };
const range = (schema: object) => reply({ "*/*": { schema } });
const ranges = {
  openapi: "3.0.1",
  info: { title: "Ranges", version: "1" },
  paths: {
    "/object": {
      get: { operationId: "object", responses: { 200: range({ $ref: "#/components/schemas/Pet" }) } },
      post: {
        operationId: "send",
        requestBody: { content: { "*/*": { schema: pet } } },
        responses: { 200: reply({ "application/*": { schema: { type: "array", items: pet } } }) },
      },
    },
    "/text": { get: { operationId: "text", responses: { 200: range({ type: "string" }) } } },
    "/file": {
      get: { operationId: "file", responses: { 200: range({ type: "string", format: "binary" }) } },
    },
    "/any": { get: { operationId: "any", responses: { 200: reply({ "*/*": {} }) } } },
    "/open": { get: { operationId: "open", responses: { "2XX": { description: "" }, 404: reply({}) } } },
  },
  components: { schemas: { Pet: pet } },
};

/** Creates a client of `ranges` whose service sends this reply, and records the requests. */
const rangesClient = async (respond: () => Response) => {
  const sent: Request[] = [];
  const createClient = await importClient(ranges);
  const fetch = (request: Request): Response => {
    sent.push(request);
    return respond();
  };
  return { client: createClient("http://pets.test", { fetch }), sent };
};

test("a media range with a schema is read as JSON, as text or as bytes", async () => {
  const { client, sent } = await rangesClient(() => Response.json([{ name: "Rex" }]));
  expect((await client["object"]?.())?.body).toEqual([{ name: "Rex" }]);
  expect((await client["send"]?.({ body: { name: "Rex" } }))?.body).toEqual([{ name: "Rex" }]);
  expect(sent[1]?.headers.get("content-type")).toBe("application/json");
  expect(await sent[1]?.text()).toBe('{"name":"Rex"}');
  expect((await client["text"]?.())?.body).toEqual([{ name: "Rex" }]);
  const { client: plain } = await rangesClient(() => new Response("Rex"));
  expect((await plain["text"]?.())?.body).toBe("Rex");
  await expect(plain["object"]?.()).rejects.toMatchObject({ code: "CLIENT_UNDECLARED_REPLY" });
  expect(await all((await plain["file"]?.())?.body)).toEqual([new TextEncoder().encode("Rex")]);
});

test("a media range with a schema of bytes is read as bytes, also if the reply is JSON", async () => {
  const { client } = await rangesClient(() => Response.json({ a: 1 }));
  expect(await all((await client["file"]?.())?.body)).toEqual([new TextEncoder().encode('{"a":1}')]);
});

const pdf = { headers: { "content-type": "application/pdf" } };

test.each(["any", "open"])("a body without a declared type is read by its Content-Type: %s", async (name) => {
  const bodyOf = async (respond: Response): Promise<unknown> =>
    (await (await rangesClient(() => respond)).client[name]?.())?.body;
  expect(await bodyOf(Response.json({ a: 1 }))).toEqual({ a: 1 });
  expect(await bodyOf(new Response("text"))).toBe("text");
  expect(await bodyOf(new Response(null, { status: 200 }))).toBeUndefined();
  expect(await all(await bodyOf(new Response("%PDF", pdf)))).toEqual([new TextEncoder().encode("%PDF")]);
});
