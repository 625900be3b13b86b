import { expect, test } from "@jest/globals";
import { sessionOf } from "./index.ts";
import { openShop } from "./shop.test-kit.ts";

/** Returns a value of nested lists. */
const nested = (levels: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
};

test("values that JSON preserves are kept; others and too large ones are refused", async () => {
  const { app, browser } = openShop();
  const values: readonly unknown[] = [
    nested(1001),
    nested(100_000),
    new Date(),
    new Map(),
    Number.NaN,
    1n,
    undefined,
    () => 1,
    { a: [new Set()] },
  ];
  const errors: string[] = [];
  app.post("/values", (request) => {
    const session = sessionOf(request);
    const attempts = [
      ...values.map((value) => () => session.set("value", value as never)),
      () => session.set("", 1),
      () => session.set("x".repeat(101), 1),
      () => session.set("big", "x".repeat(32_769)),
    ];
    for (const attempt of attempts) {
      try {
        attempt();
        errors.push("none");
      } catch (error) {
        errors.push((error as { code: string }).code);
      }
    }
    const list = [1];
    session.set("deep", nested(1000) as never);
    session.set("__proto__", { a: list });
    list.push(2); // the session has a copy
    return session.get("__proto__") ?? null;
  });
  app.get("/proto", (request) => sessionOf(request).get("__proto__") ?? null);
  await using client = browser();
  expect((await client.post("/values")).json()).toEqual({ a: [1] });
  expect(errors).toEqual([...Array.from({ length: 11 }, () => "SESSIONS_BAD_VALUE"), "SESSIONS_TOO_LARGE"]);
  expect((await client.get("/proto")).json()).toEqual({ a: [1] });
});

test("get returns a copy, whose changes are stored only by set", async () => {
  const { app, browser } = openShop();
  const cartOf = (session: ReturnType<typeof sessionOf>): string[] =>
    (session.get("cart") as string[] | undefined) ?? [];
  app.post("/add/{name}", (request) => {
    const session = sessionOf(request);
    session.set("cart", [...cartOf(session), request.params.name]);
    cartOf(session).push("lost");
    return cartOf(session);
  });
  app.get("/lost", (request) => {
    const session = sessionOf(request);
    cartOf(session).push("lost");
    return cartOf(session);
  });
  await using client = browser();
  expect((await client.post("/add/tea")).json()).toEqual(["tea"]);
  expect((await client.get("/lost")).json()).toEqual(["tea"]);
  expect((await client.post("/add/rice")).json()).toEqual(["tea", "rice"]);
});

test("clear and delete remove values and keep the user logged in", async () => {
  const { app, browser } = openShop();
  app.post("/empty/{how}", (request) => {
    const session = sessionOf(request);
    if (request.params.how === "clear") session.clear();
    else return { had: [session.delete("cart"), session.delete("cart")] };
    return {};
  });
  await using client = browser();
  for (const how of ["clear", "delete"]) {
    await client.post("/login/ann");
    await client.post("/cart/tea");
    const reply = (await client.post(`/empty/${how}`)).json();
    expect(reply).toEqual(how === "clear" ? {} : { had: [true, false] });
    expect((await client.get("/me")).json()).toEqual({ user: "ann", cart: null });
  }
});

test("a change after the reply throws an error instead of being lost", async () => {
  const { app, browser } = openShop();
  const outcome = Promise.withResolvers<unknown>();
  app.post("/change-after", (request) => {
    const session = sessionOf(request);
    setImmediate(() => {
      try {
        session.set("cart", "changed");
        outcome.resolve("set");
      } catch (error) {
        outcome.resolve((error as { code: unknown }).code);
      }
    });
    return "replied";
  });
  await using client = browser();
  await client.post("/change-after");
  expect(await outcome.promise).toBe("SESSIONS_CLOSED");
});
