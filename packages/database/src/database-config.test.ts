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

test.each(["a?b", "a#b", "..", ".", "a/../b"])(
  "the database name %j, to which pg cannot connect, is a configuration error",
  (database) => {
    const { url } = DatabaseConfig.postgres({ host: "db", user: "shop", database });
    const read = DatabaseConfig.read({ url });
    expect(read.problems).toEqual([expect.stringContaining("cannot contain")]);
  },
);

test.each(["a%3Fb", "a%23b", "a#b", "a%40b", "%2e%2E", "a/%2e/b"])(
  "a PostgreSQL URL with the path %j, which pg would read as another name, is a configuration error",
  (path) => {
    const read = DatabaseConfig.read({ url: `postgres://shop@db:5432/${path}?sslmode=disable` });
    expect(read.problems).toEqual([expect.stringContaining("url must be")]);
  },
);

test.each(["shop", "my%20db", "a@b/c:d", "..shop", "caf%C3%A9", "50%25", ""])(
  "a PostgreSQL URL may have the path %j",
  (path) => {
    const url = `postgresql://shop:p%23%3F@db/${path}?sslmode=verify-full&options=-c%20a%3D..`;
    expect(DatabaseConfig.read({ url }).problems).toEqual([]);
  },
);

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
