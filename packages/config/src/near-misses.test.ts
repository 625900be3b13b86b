import { expect, test } from "@jest/globals";
import { integer, optional, text } from "./index.ts";
import { problemsOf } from "./read-config.test-kit.ts";

const shape = { rate: integer("BOOKS_RATE", { default: 1 }), host: optional(text("BOOKS_HOST")) };

test.each(["BOOKS_RAT", "BOOKS_RATES", "BOOKS_RTAE", "BOOKS_RATO"])(
  "%s is reported as a misspelling",
  (name) => {
    expect(problemsOf(shape, { env: { [name]: "5" } })).toEqual([
      `CONFIG_MISSPELT: ${name} (the environment) is not a setting: did you mean BOOKS_RATE? Correct the name, or list it in ignore`,
    ]);
  },
);

test.each(["BOOKS_PORT", "BOOKS_SERVICE_HOST", "BOOK_RATE", "COOKS_RATE", "PATH"])(
  "%s is not reported, because it may belong to another program",
  (name) => {
    expect(problemsOf(shape, { env: { [name]: "5" } })).toEqual([]);
  },
);

test("a name that is close to a set setting, or differs only in a number, is not reported", () => {
  expect(problemsOf(shape, { env: { BOOKS_RATES: "5", BOOKS_RATE: "5" } })).toEqual([]);
  const shard = { shard: optional(text("DB_SHARD_1")) };
  expect(problemsOf(shard, { env: { DB_SHARD_2: "5" } })).toEqual([]);
});

test("a listed name is ignored", () => {
  expect(problemsOf(shape, { env: { BOOKS_RATES: "5" }, ignore: ["BOOKS_RATES"] })).toEqual([]);
});
