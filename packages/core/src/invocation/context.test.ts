import { expect, test } from "@jest/globals";
import { App, Context, key, RequestId } from "../index.ts";

test("two keys with the same name have separate values", () => {
  const context = new Context();
  const text = key<string>("user", "nobody");
  const number = key<number>("user", 0);
  context.set(text, "ann");
  expect([context.get(text), context.get(number), context.has(number)]).toEqual(["ann", 0, false]);
  context.set(number, 7);
  expect([context.get(text), context.get(number)]).toEqual(["ann", 7]);
  context.delete(number);
  expect([context.get(text), context.get(number)]).toEqual(["ann", 0]);
});

test("a name returns the latest value set under it, by key or by name", () => {
  const context = new Context();
  const first = key<string>("user", "");
  const second = key<string>("user", "");
  const seen = [context.get("user")];
  context.set(first, "first");
  seen.push(context.get("user"));
  context.set(second, "second");
  seen.push(context.get("user"));
  context.set("user", "by name");
  seen.push(context.get("user"));
  context.set(first, "first again");
  seen.push(context.get("user"));
  expect(seen).toEqual([null, "first", "second", "by name", "first again"]);
  expect([context.get(first), context.get(second)]).toEqual(["first again", "second"]);
});

test("setting by name does not set a key's value", () => {
  const context = new Context().set("request_id", 7);
  expect([context.get(RequestId), context.has(RequestId)]).toEqual([null, false]);
  expect([context.get("request_id"), context.has("request_id")]).toEqual([7, true]);
});

test("undefined and null are values, and differ from an unset key", () => {
  const context = new Context();
  const maybe = key<string | null | undefined>("maybe", "initial");
  expect(context.get(maybe)).toBe("initial");
  expect(context.set(maybe, undefined).get(maybe)).toBeUndefined();
  expect(context.set(maybe, null).get(maybe)).toBeNull();
  expect(context.has(maybe)).toBe(true);
});

test("deleting by name removes every value under it, so that no older one appears", () => {
  const context = new Context();
  const first = key<string>("user", "");
  const second = key<string>("user", "");
  context.set(first, "a").set(second, "b").set("user", "c").set("other", "d");
  expect([context.delete("user"), context.delete("user")]).toEqual([true, false]);
  expect([context.get("user"), context.get(first), context.get(second), context.get("other")]).toEqual([
    null,
    "",
    "",
    "d",
  ]);
  expect([context.delete(first), context.set(first, "e").delete(first)]).toEqual([false, true]);
});

test("iteration yields names and values in the order set; clear removes all", () => {
  const context = new Context();
  const one = key<number>("one", 0);
  context.set(one, 1).set("two", 2).set(key<number>("one", 0), 3).set(one, 4);
  expect([...context]).toEqual([
    ["two", 2],
    ["one", 3],
    ["one", 4],
  ]);
  context.clear();
  expect([[...context], context.has("two"), context.get(one)]).toEqual([[], false, 0]);
});

test("names of Object.prototype are unset at first", () => {
  const context = new Context();
  expect([context.get("constructor"), context.has("__proto__")]).toEqual([null, false]);
});

test("requests return values by key and by the interface's names", async () => {
  const app = new App().use((request, next) => {
    request.context.set(RequestId, "id-1");
    return next(request);
  });
  app.get("/", (request) => [
    request.requestId,
    request.getContext("request_id"),
    request.getContextString("request_id"),
    request.getContext(RequestId),
  ]);
  const reply = await app.fetch(new Request("http://host.test/"));
  expect(await reply.json()).toEqual(["id-1", "id-1", "id-1", "id-1"]);
});
