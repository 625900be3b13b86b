import { expect, test } from "@jest/globals";
import { toText } from "../client/call.ts";
import { variedCalls, variedOrders } from "./varied-requests.ts";

const linesOf = (text: string): string[] => text.slice(0, text.indexOf("\r\n\r\n")).split("\r\n").slice(1);

test("a varied request is about 330 bytes long and has six fields, four of which vary", () => {
  const texts = variedCalls.map(toText);
  expect(new Set(texts).size).toBe(texts.length);
  const lengths = texts.map(({ length }) => length);
  expect(Math.min(...lengths)).toBeGreaterThan(290);
  expect(Math.max(...lengths)).toBeLessThan(370);
  const names = linesOf(texts[0] as string).map((line) => line.split(":")[0]);
  expect(names).toEqual(["Host", "Accept", "User-Agent", "Referer", "Cookie", "traceparent"]);
  expect(new Set(texts.map((text) => linesOf(text)[2])).size).toBe(40);
  expect(new Set(texts.map((text) => linesOf(text)[3])).size).toBeGreaterThan(400); // of 500 pages
  for (const field of [4, 5])
    expect(new Set(texts.map((text) => linesOf(text)[field])).size).toBe(texts.length);
});

test("all orders differ and are 200 bytes long", () => {
  const bodies = variedOrders.map(({ body = "" }) => body);
  expect(new Set(bodies).size).toBe(bodies.length);
  expect(new Set(bodies.map(({ length }) => length))).toEqual(new Set([200]));
});
