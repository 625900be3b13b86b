import { expect, test } from "@jest/globals";
import type { LogEntry } from "kafkajs";
import { logCreatorOf } from "./log-creator.ts";

const ERROR = 1;
const WARN = 2;

const linesOf = (level: number, message: string, fields: Readonly<Record<string, unknown>> = {}) => {
  const lines: unknown[] = [];
  const writer =
    (name: string) =>
    (...line: readonly unknown[]): void =>
      void lines.push([name, ...line]);
  const log = { debug: writer("debug"), info: writer("info"), warn: writer("warn"), error: writer("error") };
  const entry = {
    namespace: "Connection",
    level,
    label: "",
    log: { message, timestamp: "now", logger: "kafkajs", stack: "at driver", ...fields },
  };
  logCreatorOf(log)(WARN)(entry as LogEntry);
  return lines;
};

test("retried errors and all warnings are logged at debug, without kafkajs' stack and timestamp", () => {
  for (const message of [
    "The group is rebalancing, re-joining",
    "Connection error: connect ECONNREFUSED 127.0.0.1:9092",
    "There is no leader for this topic-partition as we are in the middle of a leadership election",
    "This server does not host this topic-partition",
    "The group coordinator is not available",
  ])
    expect(linesOf(ERROR, message, { broker: "a:1" })).toEqual([
      ["debug", `kafka: ${message}`, { namespace: "Connection", broker: "a:1" }],
    ]);
  expect(linesOf(WARN, "any warning of kafkajs")).toMatchObject([
    ["debug", expect.anything(), expect.anything()],
  ]);
});

test("an error that kafkajs does not retry is logged as a warning", () => {
  expect(linesOf(ERROR, "SASL PLAIN authentication failed")).toEqual([
    ["warn", "kafka: SASL PLAIN authentication failed", { namespace: "Connection" }],
  ]);
});

test("an error with a retried cause is logged at debug, and not at all by a logger without debug", () => {
  expect(
    linesOf(ERROR, "Response Metadata(key: 3)", { error: "The broker is not aware of this topic" }),
  ).toMatchObject([["debug", expect.anything(), expect.anything()]]);
  const lines: string[] = [];
  const add = (line: string): void => void lines.push(line);
  const log = { message: "Connection timeout", timestamp: "now" };
  logCreatorOf({ info: add, warn: add, error: add })(WARN)({ namespace: "", level: ERROR, label: "", log });
  expect(lines).toEqual([]);
});
