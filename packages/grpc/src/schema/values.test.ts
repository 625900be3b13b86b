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
          inner: z.object({ a: z.string().optional(), any: z.unknown().optional() }).optional(),
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

test("an object that has only arbitrary keys is sent with them, however its schema says so", () => {
  const open = z.object({}).catchall(z.int());
  const codec = codecOf(
    grpcService("open.Things", {
      methods: {
        Put: {
          request: z.object({ counts: open, list: z.array(open), record: z.record(z.string(), z.int()) }),
          response: z.object({}),
        },
      },
    }) as GrpcService,
  );
  const value = { counts: { a: 1 }, list: [{ b: 2 }], record: { c: 3 } };
  expect(roundTrip(codec, value)).toEqual(value);
});

test("instances of classes are sent with their own properties", () => {
  class Book {
    readonly title = "Dune";
  }
  expect(roundTrip(plain, { book: new Book() })).toEqual({ book: { title: "Dune" } });
  expect(roundTrip(plain, { none: Object.create(null), empty: {} })).toEqual({ none: {}, empty: {} });
});

test("JSON that a receiver would refuse for its depth is refused before it is sent", () => {
  const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) });
  const lists = (levels: number): unknown => (levels === 0 ? 1 : [lists(levels - 1)]);
  const emptyLists = (levels: number): unknown => (levels === 0 ? [] : [emptyLists(levels - 1)]);
  const tooDeep = expect.objectContaining({
    code: "GRPC_BAD_MESSAGE",
    message: expect.stringContaining("must be at most 100 messages deep; a level of JSON counts as 2"),
  });
  expect(roundTrip(plain, nested(49))).toEqual(nested(49));
  expect(() => plain.encode(nested(51))).toThrow(tooDeep);
  for (const value of [nested(48), lists(49)])
    expect(roundTrip(typed, { any: value })).toEqual({ any: value });
  for (const any of [nested(50), lists(50)]) expect(() => typed.encode({ any })).toThrow(tooDeep);
  for (const any of [nested(48), emptyLists(48)])
    expect(roundTrip(typed, { inner: { any } })).toEqual({ inner: { any } });
  for (const any of [nested(49), emptyLists(49)])
    // the message of the empty object or list is too deep
    expect(() => typed.encode({ inner: { any } })).toThrow(tooDeep);
});

test("lone surrogates are replaced, because gRPC strings are UTF-8", () => {
  expect(roundTrip(plain, { "a\ud800": ["\udc00b"] })).toEqual({ "a\ufffd": ["\ufffdb"] });
  expect(roundTrip(typed, { text: "\ud83d", names: { "\ud83d": "\ude00" }, any: "\ud83d" })).toEqual({
    text: "\ufffd",
    names: { "\ufffd": "\ufffd" },
    any: "\ufffd",
  });
});
