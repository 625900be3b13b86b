import { expect, test } from "@jest/globals";
import fc from "fast-check";
import type { Delivery } from "../port/delivery.ts";
import { decode } from "./decode.ts";
import { encode } from "./encode.ts";
import { type Event, newHeaders } from "./event.ts";

const delivery = (body: string | Uint8Array, headers: Record<string, string>): Delivery => ({
  topic: "topic",
  partition: "0",
  offset: "7",
  key: null,
  headers: Object.assign(newHeaders(), headers),
  body,
  tries: null,
  deliveries: null,
  isRedelivered: false,
  sentAt: null,
});

const attribute = fc.string({ minLength: 1, maxLength: 40 });
const events: fc.Arbitrary<Event> = fc.record({
  id: attribute,
  type: attribute,
  source: attribute,
  subject: fc.option(attribute),
  time: fc.constant("2030-01-02T03:04:05.000Z"),
  key: fc.option(attribute),
  data: fc.jsonValue({ maxDepth: 4 }),
  headers: fc.constant(Object.assign(newHeaders(), { traceparent: "00-1-2-01" })),
});

test.each([{ mode: "structured" } as const, { mode: "binary", prefix: "ce_" } as const])(
  "encoding and decoding in $mode mode keeps an event",
  (envelope) => {
    fc.assert(
      fc.property(events, (event) => {
        const { body, headers } = encode(event, envelope);
        const decoded = decode(delivery(body, { ...headers }), false);
        expect(JSON.parse(JSON.stringify(decoded))).toEqual(JSON.parse(JSON.stringify(event)));
      }),
    );
  },
);

test("a binary event of AMQP and of HTTP is accepted", () => {
  for (const prefix of ["ce-", "cloudevents:", "cloudevents_"]) {
    const headers = {
      [`${prefix}specversion`]: "1.0",
      [`${prefix}id`]: "1",
      [`${prefix}type`]: "t",
      [`${prefix}source`]: "/s",
    };
    expect(decode(delivery('{"a":1}', headers), false)).toMatchObject({ id: "1", type: "t", data: { a: 1 } });
  }
});

test("data that is not JSON is decoded as bytes", () => {
  const headers = {
    ce_specversion: "1.0",
    ce_id: "1",
    ce_type: "t",
    ce_source: "/s",
    "content-type": "image/png",
  };
  expect(decode(delivery(Uint8Array.of(255, 0), headers), false).data).toEqual(Uint8Array.of(255, 0));
  const structured = '{"specversion":"1.0","id":"1","type":"t","source":"/s","data_base64":"/wA="}';
  const type = { "content-type": "application/cloudevents+json; charset=utf-8" };
  expect(decode(delivery(structured, type), false).data).toEqual(Uint8Array.of(255, 0));
});

test.each(["ce_", "cloudevents_", "cloudevents:"])("extension attributes with %s are headers", (prefix) => {
  const own = { specversion: "1.0", id: "1", type: "t", source: "/s", tenant: "acme" };
  const named = Object.entries(own).map(([name, value]) => [`${prefix}${name}`, value] as const);
  const headers = { ...Object.fromEntries(named), "x-shelf": "7" };
  expect({ ...decode(delivery("1", headers), false).headers }).toEqual({ ce_tenant: "acme", "x-shelf": "7" });
});

test("extension attributes sent as headers become attributes of the event in each mode", () => {
  const headers = Object.assign(newHeaders(), { ce_tenant: "acme", "x-shelf": "7" });
  const event = { id: "1", type: "t", source: "/s", subject: null, time: null, key: null, data: 1, headers };
  const { body, headers: wire } = encode(event, { mode: "structured" });
  expect(JSON.parse(body)).toMatchObject({ tenant: "acme", id: "1" });
  expect({ ...wire }).toEqual({ "content-type": "application/cloudevents+json", "x-shelf": "7" });
  const amqp = encode(event, { mode: "binary", prefix: "cloudevents_" });
  expect(amqp.headers).toMatchObject({ cloudevents_tenant: "acme", "x-shelf": "7" });
  for (const encoded of [{ body, headers: wire }, amqp])
    expect({ ...decode(delivery(encoded.body, { ...encoded.headers }), false).headers }).toEqual({
      ...headers,
    });
});

test("extension attributes of a structured event are headers: strings, and numbers and booleans as strings", () => {
  const own = {
    specversion: "1.0",
    id: "1",
    type: "t",
    source: "/s",
    data: 1,
    datacontenttype: "application/json",
  };
  const extensions = { tenant: "acme", severity: 3, sampled: true, nested: {}, none: null, Bad_Name: "x" };
  const { headers } = decode(delivery(JSON.stringify({ ...own, ...extensions }), structured), false);
  expect({ ...headers }).toEqual({ ce_tenant: "acme", ce_severity: "3", ce_sampled: "true" });
});

test("the content type of data that is not JSON is a header", () => {
  const binary = { ce_specversion: "1.0", ce_id: "1", ce_type: "t", ce_source: "/s" };
  const png = decode(delivery(Uint8Array.of(1), { ...binary, "content-type": "image/png" }), false);
  expect({ ...png.headers }).toEqual({ "content-type": "image/png" });
  const xml = {
    specversion: "1.0",
    id: "1",
    type: "t",
    source: "/s",
    datacontenttype: "application/xml",
    data: "<a/>",
  };
  const { headers, data } = decode(delivery(JSON.stringify(xml), structured), false);
  expect([{ ...headers }, data]).toEqual([{ "content-type": "application/xml" }, "<a/>"]);
});

test.each([
  ["application/json; charset=utf-8", true],
  ["Application/JSON", true],
  ["text/json", true],
  ["application/vnd.shop.order+json", true],
  ["application/json-seq", false],
  ["application/jsonp", false],
  ["text/plain; note=json", false],
])("data of the type %s is JSON: %p", (type, isJson) => {
  const headers = { ce_specversion: "1.0", ce_id: "1", ce_type: "t", ce_source: "/s", "content-type": type };
  expect(decode(delivery("[1]", headers), false).data instanceof Uint8Array).toBe(!isJson);
});

test("the content type of a structured event is compared ignoring case and parameters", () => {
  const body = '{"specversion":"1.0","id":"1","type":"t","source":"/s"}';
  const idWith = (type: string): string | undefined =>
    decode(delivery(body, { "content-type": type }), false).id;
  expect(idWith("Application/CloudEvents+JSON ; charset=utf-8")).toBe("1");
  expect(() => idWith("application/cloudevents+jsonx")).toThrow("it is not a CloudEvent");
});

test("other JSON is accepted only if the subscription is raw", () => {
  expect(decode(delivery('{"a":1}', {}), true)).toMatchObject({
    id: "topic/0/7",
    type: "topic",
    data: { a: 1 },
  });
  expect(() => decode(delivery('{"a":1}', {}), false)).toThrow("it is not a CloudEvent");
});

test("the id of a raw message is its header, else the broker's id, else its offset, else a new one", () => {
  const other = { ...delivery("1", {}), id: "broker-1" };
  expect(decode({ ...other, headers: { "message-id": "own-1" } }, true).id).toBe("own-1");
  expect(decode(other, true).id).toBe("broker-1");
  expect(decode({ ...other, offset: null }, true).id).toBe("broker-1");
  const bare = { ...delivery("1", {}), offset: null };
  expect(decode(bare, true, { newId: () => "new-1" }).id).toBe("new-1");
  expect(decode(bare, true).id).not.toBe(decode(bare, true).id);
});

test.each(["", new Uint8Array()])("an empty body is decoded as no data: %#", (body) => {
  const attributes = { ce_specversion: "1.0", ce_id: "1", ce_type: "t", ce_source: "/s" };
  expect(decode(delivery(body, attributes), false).data).toBeUndefined();
  const json = { ...attributes, "content-type": "application/json" };
  expect(decode(delivery(body, json), false).data).toBeUndefined();
  expect(decode(delivery(body, {}), true).data).toBeUndefined(); // such as a tombstone of Kafka
  const bytes = { ...attributes, "content-type": "application/octet-stream" };
  expect(decode(delivery(body, bytes), false).data).toEqual(new Uint8Array());
});

test("data of 128 levels is decoded in both modes, and deeper data in neither", () => {
  const attributes = { specversion: "1.0", id: "1", type: "t", source: "/s" };
  const binary = { ce_specversion: "1.0", ce_id: "1", ce_type: "t", ce_source: "/s" };
  const body = (data: string): string => `${JSON.stringify(attributes).slice(0, -1)},"data":${data}}`;
  expect(decode(delivery(body(deep(128)), structured), false).id).toBe("1");
  expect(decode(delivery(deep(128), binary), false).id).toBe("1");
  expect(() => decode(delivery(body(deep(129)), structured), false)).toThrow("deeper than 128 levels");
  expect(() => decode(delivery(deep(129), binary), false)).toThrow("deeper than 128 levels");
});

const structured = { "content-type": "application/cloudevents+json" };
const deep = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

test.each([
  ["invalid JSON", "{", structured],
  ["an array", "[]", structured],
  ["null", "null", structured],
  ["no version", '{"id":"1","type":"t","source":"/s"}', structured],
  ["another version", '{"specversion":"0.3","id":"1","type":"t","source":"/s"}', structured],
  ["no id", '{"specversion":"1.0","type":"t","source":"/s"}', structured],
  ["an empty id", '{"specversion":"1.0","id":"","type":"t","source":"/s"}', structured],
  ["an id that is not a string", '{"specversion":"1.0","id":{},"type":"t","source":"/s"}', structured],
  ["a long type", `{"specversion":"1.0","id":"1","type":"${"t".repeat(600)}","source":"/s"}`, structured],
  ["a version in the prototype", '{"__proto__":{"specversion":"1.0"}}', structured],
  ["10,000 levels", deep(10_000), structured],
  ["500,000 levels", deep(500_000), structured],
  ["bytes that are not UTF-8", Uint8Array.of(0x7b, 0xff, 0x7d), structured],
])("a delivery with %s cannot be decoded", (_name, body, headers) => {
  expect(() => decode(delivery(body, headers), true)).toThrow(
    expect.objectContaining({ code: "MESSAGING_UNDECODABLE" }),
  );
});

const event = (members: object): string =>
  JSON.stringify({ specversion: "1.0", id: "1", type: "t", source: "/s", ...members });

test("base64 data with a JSON content type is parsed, as in binary mode", () => {
  const members = { data_base64: "eyJhIjoxfQ==", datacontenttype: "application/json" };
  const { data, headers } = decode(delivery(event(members), structured), false);
  expect([data, { ...headers }]).toEqual([{ a: 1 }, {}]);
});

test.each([
  ["data_base64 with invalid characters", { data_base64: "!!!" }, "its data_base64 is not valid base64"],
  ["data_base64 without padding", { data_base64: "QQ" }, "its data_base64 is not valid base64"],
  ["data_base64 that is a number", { data_base64: 7 }, "its data_base64 is not valid base64"],
  ["data and data_base64", { data: 1, data_base64: "QQ==" }, "both data and data_base64"],
  ["a time in words", { time: "yesterday" }, "its time is not a timestamp"],
  ["a time of six digits", { time: "+275760-09-13T00:00:00.000Z" }, "its time is not a timestamp"],
  ["a time without an offset", { time: "2030-01-02T03:04:05" }, "its time is not a timestamp"],
])("an event with %s cannot be decoded", (_case, members, reason) => {
  expect(() => decode(delivery(event(members), structured), false)).toThrow(reason);
});

test.each(["2030-01-02T03:04:05Z", "2016-12-31t23:59:60.123456789+05:30", undefined, null])(
  "an event may have the time %p",
  (time) => {
    expect(decode(delivery(event({ time }), structured), false).time).toBe(time ?? null);
  },
);

test("attributes named like prototype members are data", () => {
  const before = Object.getOwnPropertyNames(Object.prototype);
  const body =
    '{"specversion":"1.0","id":"1","type":"constructor","source":"/s","data":{"__proto__":{"x":1}}}';
  const event = decode(delivery(body, structured), false);
  expect(event.type).toBe("constructor");
  expect(Object.keys(event.data as object)).toEqual(["__proto__"]);
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
});
