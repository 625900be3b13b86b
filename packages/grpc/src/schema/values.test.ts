import { expect, test } from "@jest/globals";
import { z } from "zod";
import { grpcService, type GrpcService, structService } from "../index.ts";

const codecOf = (service: GrpcService) => {
  const codec = service.resolve({ recorded: false }).methods[0]?.request;
  if (codec === undefined) throw new Error("the service has no method");
  return codec;
};

const plain = codecOf(structService("plain.Things", ["Put"]));
const typed = codecOf(
  grpcService("typed.Things", {
    methods: {
      Put: {
        request: z.object({
          text: z.string().optional(),
          names: z.record(z.string(), z.string()).optional(),
          inner: z.object({ a: z.string().optional() }).optional(),
          any: z.unknown().optional(),
        }),
        response: z.object({}),
      },
    },
  }) as GrpcService,
);

const roundTrip = (codec: typeof plain, value: unknown): unknown => codec.decode(codec.encode(value));

test("objects with toJSON are sent as its result, as JSON.stringify does", () => {
  const at = new Date(0);
  const url = new URL("http://a.example/");
  const expected = { at: "1970-01-01T00:00:00.000Z", list: ["http://a.example/"] };
  expect(roundTrip(plain, { at, list: [url] })).toEqual(expected);
  expect(roundTrip(plain, { toJSON: () => ({ a: 1 }) })).toEqual({ a: 1 });
  expect(roundTrip(typed, { any: { at, list: [url] } })).toEqual({ any: expected });
});

test("objects whose content is not in own properties are refused", () => {
  const opaqueValues = [
    new Map([["a", 1]]),
    new Set([1]),
    /a/,
    Promise.resolve(1),
    new Uint8Array([1]),
    new Error("a"),
  ];
  for (const value of opaqueValues) {
    expect(() => plain.encode({ a: [value] })).toThrow("message.a[0] must be JSON");
    expect(() => plain.encode(value)).toThrow("message must be an object");
    expect(() => typed.encode({ any: { a: value } })).toThrow("message.any.a must be JSON");
    expect(() => typed.encode({ names: value })).toThrow("message.names must be an object");
    expect(() => typed.encode({ inner: value })).toThrow("message.inner must be an object");
  }
  expect(() => typed.encode({ inner: new Date(0) })).toThrow("message.inner must be an object");
});

test("instances of classes are sent with their own properties", () => {
  class Book {
    readonly title = "Dune";
  }
  expect(roundTrip(plain, { book: new Book() })).toEqual({ book: { title: "Dune" } });
  expect(roundTrip(plain, { none: Object.create(null), empty: {} })).toEqual({ none: {}, empty: {} });
});

test("lone surrogates are replaced, because gRPC strings are UTF-8", () => {
  expect(roundTrip(plain, { "a\ud800": ["\udc00b"] })).toEqual({ "a\ufffd": ["\ufffdb"] });
  expect(roundTrip(typed, { text: "\ud83d", names: { "\ud83d": "\ude00" }, any: "\ud83d" })).toEqual({
    text: "\ufffd",
    names: { "\ufffd": "\ufffd" },
    any: "\ufffd",
  });
});
