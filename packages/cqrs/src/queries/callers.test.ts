import { createInvocation, JwtClaims } from "@framework/core/feature";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { gatedApp, Read } from "./gated-app.test-kit.ts";

const as = (user: unknown) => {
  const from = createInvocation({ kind: "job", name: "night" });
  from.context.set("user", user);
  return { from };
};

test("different callers and tenants do not share a run", async () => {
  await using service = await gatedApp();
  const { app, calls } = service;
  const options = [as("ann"), as("bob"), as("ann"), { tenant: "t" }, {}, {}];
  const all = options.map((each) => app.cqrs.query(Read, { name: "a" }, each));
  await waitFor(() => calls.length === 4);
  calls.forEach(({ finish }, index) => finish(String(index)));
  expect(await Promise.all(all)).toEqual(["0", "1", "0", "2", "3", "3"]);
});

test("calls share a run only if their claims and credentials are equal", async () => {
  await using service = await gatedApp();
  const { app, calls } = service;
  const withToken = (scope: string, authorization: string) => {
    const from = createInvocation({ kind: "job", name: "night", headers: { authorization } });
    from.context.set(JwtClaims, { sub: "ann", exp: 1, scope });
    return { from };
  };
  const account: { self?: unknown; id: string } = { id: "ann" };
  account.self = account;
  const cyclic = createInvocation({ kind: "job", name: "night" });
  cyclic.context.set("user", account);
  const options = [
    withToken("profile payroll", "Bearer 1"),
    withToken("profile", "Bearer 1"),
    withToken("profile", "Bearer 2"),
    withToken("profile", "Bearer 2"),
    { from: cyclic },
    { from: cyclic },
  ];
  const all = options.map((each) => app.cqrs.query(Read, { name: "a" }, each));
  await waitFor(() => calls.length === 5, { timeoutMs: 60_000 });
  calls.forEach(({ finish }, index) => finish(String(index)));
  expect(await Promise.all(all)).toEqual(["0", "1", "2", "2", "3", "4"]);
});

test("accounts with equal JSON but different data do not share a run, and accounts with equal bigints do", async () => {
  class Roles {}
  await using service = await gatedApp();
  const { app, calls } = service;
  const [read, write] = [new Map([["books", "read"]]), new Map([["books", "write"]])];
  const roles = [new Set(["reader"]), new Set(["admin"]), read, write, new Roles(), new Roles(), [], []];
  const all = roles.map((each) => app.cqrs.query(Read, { name: "a" }, as({ id: 5n, roles: each })));
  await waitFor(() => calls.length === 7, { timeoutMs: 60_000 });
  calls.forEach(({ finish }, index) => finish(String(index)));
  expect(await Promise.all(all)).toEqual(["0", "1", "2", "3", "4", "5", "6", "6"]);
});

test("a query of a user without an id runs, and equal users share a run", async () => {
  await using service = await gatedApp();
  const { app, calls } = service;
  const users = [{ name: "ann" }, { name: "bob" }, { name: "ann" }];
  const all = users.map((user) => app.cqrs.query(Read, { name: "a" }, as(user)));
  await waitFor(() => calls.length === 2, { timeoutMs: 60_000 });
  calls.forEach(({ finish }, index) => finish(String(index)));
  expect(await Promise.all(all)).toEqual(["0", "1", "0"]);
});

test("callerOf separates the runs of callers that differ in another header", async () => {
  await using service = await gatedApp({ callerOf: ({ headers }) => headers.get("x-device") ?? "" });
  const { app, calls } = service;
  const devices = ["1", "2", "1"].map((device) => ({
    from: createInvocation({ kind: "job", name: "night", headers: { "x-device": device } }),
  }));
  const all = devices.map((each) => app.cqrs.query(Read, { name: "a" }, each));
  await waitFor(() => calls.length === 2, { timeoutMs: 60_000 });
  calls.forEach(({ finish }, index) => finish(String(index)));
  expect(await Promise.all(all)).toEqual(["0", "1", "0"]);
});
