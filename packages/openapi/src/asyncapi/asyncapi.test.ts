import specs from "@asyncapi/specs";
import { App, HttpError } from "@framework/core";
import { memoryBroker, messaging, type Topic, topic } from "@framework/messaging";
import type { BrokerAdapter } from "@framework/messaging/adapter";
import { expect, test } from "@jest/globals";
import { Ajv } from "ajv";
import { z } from "zod";
import type { AsyncapiDocument } from "./asyncapi-document.ts";
import { asyncapi } from "./index.ts";

const quiet = { info() {}, warn() {}, error() {} };

/** Validates a document by the JSON Schema of the specification. */
const validate = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(
  specs.schemasWithoutId["3.0.0"] as object,
);

const Book = z.object({ id: z.int(), title: z.string() }).meta({ id: "Book" });
const books = topic("books", { "book.created": Book, "book.deleted": z.object({ id: z.int() }) });

/** A broker with addresses and binary events, like the brokers of the adapter packages. */
const remoteBroker = (): BrokerAdapter => {
  const inner = memoryBroker();
  return {
    ...inner,
    name: "remote",
    capabilities: { ...inner.capabilities, envelope: { mode: "binary", prefix: "ce_" } },
    servers: [
      { host: "a:9092", protocol: "kafka" },
      { host: "b:9092", protocol: "kafka" },
    ],
  };
};

const appOn = (broker: BrokerAdapter, topics: readonly (string | Topic)[] = [books]) =>
  new (App.with(messaging, asyncapi))().enableMessaging({ broker, topics });

const documentOf = async (app: App): Promise<AsyncapiDocument> => {
  await app.start({ log: quiet });
  const reply = await app.fetch(new Request("http://localhost/asyncapi.json"));
  await app.stop();
  expect(reply.status).toBe(200);
  return (await reply.json()) as AsyncapiDocument;
};

test("the document is valid by the schema of AsyncAPI 3.0.0", async () => {
  const app = appOn(remoteBroker(), [books, "raw"]).enableAsyncapi({
    title: "Books",
    version: "2.0.0",
    description: "x",
  });
  app.messaging.addBroker("second", memoryBroker(), { topics: ["audit"] });
  app.messaging.subscribe(books, { group: "search", broker: "default" }, () => {});
  app.messaging.subscribe("audit", { group: "log", broker: "second", schema: z.string() }, () => {});
  const document = await documentOf(app);
  validate(document);
  expect(validate.errors).toBeNull();
  expect(validate({ ...document, channels: { books: { address: 7 } } })).toBe(false); // the validation includes channels
});

test("a topic is a channel with its messages, and each direction is an operation", async () => {
  const app = appOn(memoryBroker()).enableAsyncapi();
  app.messaging.subscribe(books, { group: "search" }, () => {});
  const { channels, operations } = await documentOf(app);
  expect(Object.keys(channels["books"]?.messages ?? {})).toEqual(["book.created", "book.deleted"]);
  expect(Object.entries(operations).map(([name, { action }]) => [name, action])).toEqual([
    ["send.books", "send"],
    ["receive.books.search", "receive"],
  ]);
  expect(operations["receive.books.search"]?.reply?.address.location).toBe(
    "$message.header#/framework-reply-to",
  );
});

test("in binary mode the attributes are headers and the data is the payload", async () => {
  const { components } = await documentOf(appOn(remoteBroker()).enableAsyncapi());
  expect(components.messages["books.book.created"]).toMatchObject({
    name: "book.created",
    contentType: "application/json",
    headers: { properties: { ce_type: { const: "book.created" }, traceparent: { type: "string" } } },
    payload: { $ref: "#/components/schemas/Book" },
  });
  expect(components.schemas["Book"]).toMatchObject({
    properties: { title: { type: "string" } },
    required: ["id", "title"],
  });
});

test("in structured mode the payload is one object with attributes and data", async () => {
  const { components } = await documentOf(appOn(memoryBroker()).enableAsyncapi());
  expect(components.messages["books.book.deleted"]).toMatchObject({
    contentType: "application/cloudevents+json",
    payload: {
      required: ["specversion", "id", "type", "source"],
      properties: { type: { const: "book.deleted" }, data: { properties: { id: { type: "integer" } } } },
    },
  });
});

test("the servers of a broker are listed, and its channels refer to them", async () => {
  const { servers, channels } = await documentOf(appOn(remoteBroker()).enableAsyncapi());
  expect(servers).toEqual({
    default: { host: "a:9092", protocol: "kafka" },
    "default-2": { host: "b:9092", protocol: "kafka" },
  });
  expect(channels["books"]?.servers).toEqual([
    { $ref: "#/servers/default" },
    { $ref: "#/servers/default-2" },
  ]);
});

test("guards protect the document, and without enableAsyncapi there is none", async () => {
  const guard = (): never => {
    throw new HttpError(403, "no");
  };
  const app = appOn(memoryBroker()).enableAsyncapi({ guards: [guard] });
  await app.start({ log: quiet });
  expect((await app.fetch(new Request("http://localhost/asyncapi.json"))).status).toBe(403);
  await app.stop();
  const without = appOn(memoryBroker());
  expect((await without.fetch(new Request("http://localhost/asyncapi.json"))).status).toBe(404);
});

test("colliding names of topics, groups and types are numbered, and no message is lost", async () => {
  const order = topic("order", { "line.added": z.object({ sku: z.string() }) });
  const line = topic("order.line", {
    added: z.object({ count: z.number() }),
    "x/y": z.object({ c: z.number() }),
    "x y": z.object({ d: z.number() }),
    any: z.object({ e: z.number() }),
  });
  const app = appOn(memoryBroker(), [order, line]).enableAsyncapi({ title: "Orders", version: "1.0.0" });
  app.messaging.subscribe(order, { group: "line.search" }, () => {});
  app.messaging.subscribe(line, { group: "search" }, () => {});
  const document = await documentOf(app);
  validate(document);
  expect(validate.errors).toBeNull();
  const { channels, operations, components } = document;
  const propertiesOf = (channel: string) =>
    Object.entries(channels[channel]?.messages ?? {}).map(([key, { $ref }]) => {
      const message = components.messages[$ref.replace("#/components/messages/", "")] as {
        payload: { properties: { data: { properties: object } } };
      };
      return [key, Object.keys(message.payload.properties.data.properties).join()];
    });
  expect(propertiesOf("order")).toEqual([["line.added", "sku"]]);
  expect(propertiesOf("order.line")).toEqual([
    ["added", "count"],
    ["x_y", "c"],
    ["x_y-2", "d"],
    ["any", "e"],
  ]);
  expect(Object.entries(operations).map(([name, { channel }]) => [name, channel.$ref])).toEqual([
    ["send.order", "#/channels/order"],
    ["send.order.line", "#/channels/order.line"],
    ["receive.order.line.search", "#/channels/order"],
    ["receive.order.line.search-2", "#/channels/order.line"],
  ]);
  expect(operations["send.order.line"]?.messages.map(({ $ref }) => $ref)).toContain(
    "#/channels/order.line/messages/x_y-2",
  );
});

/** Returns every reference in a value. */
const referencesIn = (value: unknown): readonly string[] => {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]: [string, unknown]) =>
    key === "$ref" ? [String(item)] : referencesIn(item),
  );
};

/** Returns the value at a JSON pointer in a URI fragment (RFC 6901 6). */
const valueAt = (root: object, reference: string): unknown =>
  decodeURIComponent(reference)
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], root);

test("all references lead to their targets if names of topics and brokers have slashes or other characters", async () => {
  const created = topic("orders/created~1", { "order/created": z.object({ id: z.int() }) });
  const app = appOn(memoryBroker(), [created, "orders_created_1", "50%", "Bücher"]).enableAsyncapi();
  app.messaging.addBroker("audit/eu", remoteBroker(), { topics: ["a b/c"] });
  const document = await documentOf(app);
  validate(document);
  expect(validate.errors).toBeNull();
  const references = referencesIn(document);
  expect(references.length).toBeGreaterThan(10);
  expect(references.filter((reference) => valueAt(document, reference) === undefined)).toEqual([]);
  expect(Object.values(document.channels).map(({ address }) => address)).toEqual([
    "orders/created~1",
    "orders_created_1",
    "50%",
    "Bücher",
    "a b/c",
  ]);
});

test("a converter that is not a function is a start error", async () => {
  const app = appOn(memoryBroker()).enableAsyncapi({ jsonSchema: { joi: "none" as never } });
  await expect(app.start({ log: quiet })).rejects.toThrow(
    "AsyncapiConfig.jsonSchema must be an object of converter functions",
  );
});
