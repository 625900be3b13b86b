import { expect, test } from "@jest/globals";
import { LimitsConfig } from "../../config/limits-config.ts";
import { readPartialHead } from "./node-partial-head.ts";

const read = (text: string) => readPartialHead(Buffer.from(text, "latin1"), LimitsConfig.of());
const unreadable = { method: null, target: null, fields: [] };

test.each([
  ["GET /a HTTP/1.1\r\nA: 1\r\nB:\t2 \r\n", { method: "GET", target: "/a", fields: ["A", "1", "B", "2"] }],
  ["\r\nGET /a HTTP/1.1\r\nA: 1\r\n", { method: "GET", target: "/a", fields: ["A", "1"] }],
  ["GET /a?b=c HTTP/1.1\r\nA: 1\r\n", { method: "GET", target: "/a", fields: ["A", "1"] }],
  ["GET /a HTTP/1.1\r\nA: 1\r\nB : 2\r\nC: 3\r\n", { method: "GET", target: "/a", fields: ["A", "1"] }],
  ["GET /a HTTP/1.1\r\nA: 1\r\nB: \x01\r\nC: 3\r\n", { method: "GET", target: "/a", fields: ["A", "1"] }],
  ["GET /a HTTP/1.1\r\nA: 1\r\nB: cut", { method: "GET", target: "/a", fields: ["A", "1"] }],
  ["GET /a\r\n", { method: "GET", target: "/a", fields: [] }],
  ["GET /a HTTP/9.9\r\n", { method: "GET", target: "/a", fields: [] }],
  ["GET /cut", { method: "GET", target: null, fields: [] }],
  ["GET /whole?cut", { method: "GET", target: "/whole", fields: [] }],
  ["GET  /a HTTP/1.1\r\n", unreadable],
  ["GET /a b HTTP/1.1\r\n", unreadable],
  ["GET /\xe9 HTTP/1.1\r\n", unreadable],
  ["GET", unreadable],
  ["", unreadable],
  [`${"x".repeat(33)} /a HTTP/1.1\r\n`, unreadable],
  ["G(T /a HTTP/1.1\r\n", unreadable],
])("reads only the valid parts of %j", (text, head) => {
  expect(read(text)).toEqual(head);
});

test("reads at most the maximum length of a head, in linear time", () => {
  const hostile = [
    `GET /a HTTP/1.1\r\nA:${" ".repeat(100_000)}\x01\r\n`,
    `GET /a HTTP/1.1\r\nA:${" ".repeat(20_000)}\x01\r\n`,
    `GET ${"/".repeat(24_000)}\x01 HTTP/1.1\r\n`,
    `${"G".repeat(24_000)}`,
    `GET /a HTTP/1.1\r\n${"A".repeat(24_000)}`,
    "A: 1\r\n".repeat(100_000),
  ];
  for (const text of hostile) {
    const begin = process.cpuUsage();
    expect(read(text).fields).toEqual([]);
    expect(process.cpuUsage(begin).user / 1000).toBeLessThan(500);
  }
});
