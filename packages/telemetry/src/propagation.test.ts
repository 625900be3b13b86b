import { propagation, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { formatBaggage, parseBaggage } from "./propagation/baggage.ts";
import { formatTraceParent, parseTraceParent } from "./propagation/trace-parent.ts";
import { parseTraceState } from "./propagation/trace-state.ts";
import { fieldGetter, recordSetter } from "./propagation/carriers.ts";
import { W3cPropagator } from "./propagation/w3c-propagator.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";

/** Returns the outgoing fields for incoming fields. */
const propagate = (
  incoming: Record<string, string>,
  baggageKeys: readonly string[] = [],
): Record<string, string> => {
  const propagator = new W3cPropagator(baggageKeys);
  const extracted = propagator.extract(ROOT_CONTEXT, { get: (name) => incoming[name] ?? null }, fieldGetter);
  const fields: Record<string, string> = {};
  propagator.inject(extracted, fields, recordSetter);
  return fields;
};

test.each([
  ["a valid field", `00-${TRACE}-${SPAN}-01`, true],
  ["the random flag", `00-${TRACE}-${SPAN}-02`, true],
  ["a later version with more parts", `cc-${TRACE}-${SPAN}-01-what-the-future-brings`, true],
  ["a later version with only a dash", `cc-${TRACE}-${SPAN}-01-`, true],
  ["version 00 with more parts", `00-${TRACE}-${SPAN}-01-more`, false],
  ["version ff", `ff-${TRACE}-${SPAN}-01`, false],
  ["a later version with more and no dash", `cc-${TRACE}-${SPAN}-01.more`, false],
  ["upper case", `00-${TRACE.toUpperCase()}-${SPAN}-01`, false],
  ["a trace id of zeros", `00-${"0".repeat(32)}-${SPAN}-01`, false],
  ["a span id of zeros", `00-${TRACE}-${"0".repeat(16)}-01`, false],
  ["a short trace id", `00-${TRACE.slice(1)}-${SPAN}-01`, false],
  ["a long span id", `00-${TRACE}-${SPAN}0-01`, false],
  ["short flags", `00-${TRACE}-${SPAN}-1`, false],
  ["two fields", `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`, false],
  ["nothing", "", false],
])("traceparent of %s (%s) is valid: %s", (_, field, isValid) => {
  expect(parseTraceParent(field) !== null).toBe(isValid);
});

test("a formatted traceparent parses to the same value, and arbitrary text is rejected", () => {
  const id = (length: number) =>
    fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`)).filter((text) => !/^0+$/.test(text));
  const parent = fc.record({
    traceId: id(32),
    spanId: id(16),
    isSampled: fc.boolean(),
    isRandom: fc.boolean(),
  });
  fc.assert(
    fc.property(parent, (value) => expect(parseTraceParent(formatTraceParent(value))).toEqual(value)),
  );
  fc.assert(fc.property(fc.string(), (text) => expect(parseTraceParent(text)).toBeNull()));
});

test.each([
  ["foo=1,bar=2", "foo=1,bar=2"],
  [" foo=1 ,\tbar=2\t", "foo=1,bar=2"],
  ["foo=1,,bar=2,", "foo=1,bar=2"],
  ["foo=1,foo=2", "foo=1"],
  ["1tenant@vendor=1", "1tenant@vendor=1"],
  ["foo= with space", "foo= with space"],
  [`${"z".repeat(256)}=1`, `${"z".repeat(256)}=1`],
  [`${"z".repeat(257)}=1`, null],
  [`foo=${"v".repeat(256)}`, `foo=${"v".repeat(256)}`],
  [`foo=${"v".repeat(257)}`, null],
  ["Foo=1", null],
  ["@foo=1", null],
  ["foo=1=2", null],
  ["foo", null],
  ["foo=", null],
  ["", null],
  [
    Array.from({ length: 32 }, (_, at) => `k${at}=1`).join(),
    Array.from({ length: 32 }, (_, at) => `k${at}=1`).join(),
  ],
  [Array.from({ length: 33 }, (_, at) => `k${at}=1`).join(), null],
])("tracestate %s is parsed as %s", (field, expected) => {
  expect(parseTraceState(field)?.serialize() ?? null).toBe(expected);
});

test("tracestate: a member that is set becomes the first, and an invalid one changes nothing", () => {
  const state = parseTraceState("a=1,b=2");
  expect(state?.set("b", "3").serialize()).toBe("b=3,a=1");
  expect(state?.set("B", "3").set("c", "x,y").unset("a").serialize()).toBe("b=2");
  expect([state?.get("a"), state?.get("z")]).toEqual(["1", undefined]);
});

test("a tracestate whose members were all removed is not sent", () => {
  const traceState = parseTraceState("a=1")?.unset("a");
  const span = { traceId: TRACE, spanId: SPAN, traceFlags: 1, ...(traceState && { traceState }) };
  const fields: Record<string, string> = {};
  new W3cPropagator([]).inject(trace.setSpanContext(ROOT_CONTEXT, span), fields, recordSetter);
  expect(fields).toEqual({ traceparent: `00-${TRACE}-${SPAN}-03` });
});

test("flags and state are propagated; an invalid state is dropped, its trace is kept", () => {
  const traceparent = `00-${TRACE}-${SPAN}-03`;
  expect(propagate({ traceparent, tracestate: "a=1" })).toEqual({ traceparent, tracestate: "a=1" });
  expect(propagate({ traceparent: `00-${TRACE}-${SPAN}-01` })).toEqual({
    traceparent: `00-${TRACE}-${SPAN}-01`,
  });
  expect(propagate({ traceparent, tracestate: "A=1" })).toEqual({ traceparent });
  expect(propagate({ traceparent: "bad", tracestate: "a=1" })).toEqual({});
});

test("only allowed members of baggage are propagated, re-encoded", () => {
  const baggage = "tenant=north%20west;p=1,secret=s";
  expect(propagate({ baggage })).toEqual({});
  expect(propagate({ baggage }, ["tenant"])).toEqual({ baggage: "tenant=north%20west;p=1" });
});

test("baggage is bounded: 64 members and 8,192 bytes, regardless of the length of the field", () => {
  const many = parseBaggage(Array.from({ length: 1000 }, (_, at) => `k${at}=v`).join());
  expect(many?.getAllEntries()).toHaveLength(64);
  expect(parseBaggage(`a=${"x".repeat(1 << 20)}`)).toBeNull();
  const wide = propagation.createBaggage({ a: { value: "é".repeat(4000) }, b: { value: "x" } });
  expect(formatBaggage(wide, null).length).toBeLessThanOrEqual(8192);
});

test("a member of baggage that crosses the limit is omitted, not truncated", () => {
  const whole = `a=1,b=${"x".repeat(8186)}`;
  const values = (field: string) =>
    parseBaggage(field)
      ?.getAllEntries()
      .map(([key, { value }]) => [key, value.length]);
  expect(whole).toHaveLength(8192);
  const both = [
    ["a", 1],
    ["b", 8186],
  ];
  expect(values(whole)).toEqual(both);
  expect(values(`${whole},c=1`)).toEqual(both);
  expect(values(`${whole}x`)).toEqual([["a", 1]]);
  expect(values(`${whole}x,c=1`)).toEqual([["a", 1]]);
  const exact = propagation.createBaggage({ a: { value: "x".repeat(8190) } });
  expect(formatBaggage(exact, null)).toHaveLength(8192);
});

test("names of Object's members are ordinary keys of baggage", () => {
  const parsed = parseBaggage("__proto__=1,constructor=2");
  expect(parsed?.getAllEntries().map(([key]) => key)).toEqual(["__proto__", "constructor"]);
});
