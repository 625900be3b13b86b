import { expect, test } from "@jest/globals";
import { DatabaseConfig } from "./index.ts";

test("by default the file is framework.db, with 10 connections that live for 30 minutes", () => {
  expect(DatabaseConfig.of()).toMatchObject({
    url: "sqlite://framework.db",
    poolSize: 10,
    maxLifetimeSecs: 1800,
  });
});

test("the parts of a URL are escaped", () => {
  const { url, poolSize } = DatabaseConfig.postgres({
    host: "::1",
    database: "my db",
    user: "a@b",
    password: "p/w?#",
  });
  expect([url, poolSize]).toEqual(["postgres://a%40b:p%2Fw%3F%23@[::1]:5432/my%20db", 10]);
  expect(DatabaseConfig.read({ url }).problems).toEqual([]);
});

test("a SQLite URL with invalid percent-encoding is a configuration error", () => {
  expect(DatabaseConfig.read({ url: "sqlite:///var/50%off.db" }).problems).toEqual([
    expect.stringContaining("url must be sqlite://<path>"),
  ]);
  expect(DatabaseConfig.read({ url: "sqlite:///var/50%25off.db" }).problems).toEqual([]);
});

test("a duration beyond the maximum of timers is rejected", () => {
  const names = [
    "maxLifetimeSecs",
    "idleTimeoutSecs",
    "statementTimeoutMs",
    "idleInTransactionSecs",
    "answerTimeoutSecs",
  ];
  const { problems } = DatabaseConfig.read(Object.fromEntries(names.map((name) => [name, 1e10])));
  expect(names.filter((name) => problems.some((problem) => problem.includes(name)))).toEqual(names);
});
