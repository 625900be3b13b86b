import { App } from "@framework/core";
import { expect, test } from "@jest/globals";
import { importClient } from "./generated-module.test-kit.ts";

const document = {
  openapi: "3.1.0",
  info: { title: "Forms", version: "1" },
  paths: {
    "/": {
      post: {
        operationId: "send",
        requestBody: {
          content: {
            "multipart/form-data": {
              schema: { type: "object" },
              encoding: {
                xml: { contentType: "application/xml; charset=utf-8" },
                quoted: { contentType: "application/json" },
                charset: { contentType: "application/json; charset=utf-8" },
                linked: { contentType: "application/ld+json" },
                image: { contentType: "image/png, image/jpeg" },
              },
            },
          },
        },
        responses: { 200: { description: "", content: { "text/plain": {} } } },
      },
    },
  },
};

/** Returns the parts of the form that a call sends, with their header fields and bodies. */
const partsOf = async (body: object): Promise<string[]> => {
  const createClient = await importClient(document);
  let text = "";
  const fetch = async (request: Request): Promise<Response> => {
    const [, boundary = ""] = /boundary=(\S+)$/.exec(request.headers.get("content-type") ?? "") ?? [];
    text = (await request.text()).replaceAll(`--${boundary}`, "|");
    return new Response("ok");
  };
  await using client = createClient("http://api.test", { fetch });
  await client["send"]?.({ body });
  return text
    .split("|")
    .slice(1, -1)
    .map((part) => part.replace(/^\r\nContent-Disposition: form-data; /, "").replace(/\r\n$/, ""));
};

test("objects and object items of a list become JSON parts without a file name; strings and numbers become text parts", async () => {
  expect(await partsOf({ meta: { a: [1] }, list: [{ b: 1 }, "c", 2], none: undefined })).toEqual([
    'name="meta"\r\nContent-Type: application/json\r\n\r\n{"a":[1]}',
    'name="list"\r\nContent-Type: application/json\r\n\r\n{"b":1}',
    'name="list"\r\n\r\nc',
    'name="list"\r\n\r\n2',
  ]);
});

test("a part has the content type that the OpenAPI document's `encoding` declares", async () => {
  expect(await partsOf({ xml: "<a/>", quoted: { a: 1 } })).toEqual([
    'name="xml"\r\nContent-Type: application/xml; charset=utf-8\r\n\r\n<a/>',
    'name="quoted"\r\nContent-Type: application/json\r\n\r\n{"a":1}',
  ]);
});

test.each([
  ["quoted", "application/json"],
  ["charset", "application/json; charset=utf-8"],
  ["linked", "application/ld+json"],
])("a string in a part of a JSON type is JSON, with quotes: %s", async (name, type) => {
  expect(await partsOf({ [name]: "text" })).toEqual([
    `name="${name}"\r\nContent-Type: ${type}\r\n\r\n"text"`,
  ]);
});

test("files keep their name and type, bytes get defaults, and names are escaped", async () => {
  const image = new File(["png"], 'a"\r\n.png', { type: "image/png" });
  expect(await partsOf({ image, 'b"\n': new Uint8Array([65]) })).toEqual([
    'name="image"; filename="a%22%0D%0A.png"\r\nContent-Type: image/png\r\n\r\npng',
    'name="b%22%0A"; filename="blob"\r\nContent-Type: application/octet-stream\r\n\r\nA',
  ]);
});

test("the framework parses a form sent by the client, with a large file, into fields and files", async () => {
  const app = new App();
  app.post("/", async (request) => {
    const { note, meta } = Object.fromEntries((await request.form()) as Iterable<[string, unknown]>);
    const [file] = await request.files();
    return `${String(note)} ${String(meta)} ${file?.name} ${file?.size}`;
  });
  await using client = (await importClient(document))("http://api.test", {
    fetch: (request) => app.fetch(request),
  });
  const file = new Blob(["x".repeat(300_000)]);
  expect((await client["send"]?.({ body: { note: "é", meta: { a: 1 }, file } }))?.body).toBe(
    'é {"a":1} file 300000',
  );
  await app.stop();
});
