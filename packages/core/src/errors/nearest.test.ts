import { expect, test } from "@jest/globals";
import { nearest } from "./nearest.ts";

test.each([
  ["tga", ["tag", "loud"], ["tag"]],
  ["prot", ["host", "port"], ["port"]],
  ["clok", ["clock", "block", "db"], ["clock", "block"]],
  ["db", ["x", "dbs"], ["dbs"]],
  ["enviroment", ["environment", "env"], ["environment"]],
  ["TAG", ["tag"], ["tag"]],
  ["nothing", ["alike"], []],
  ["a", [], []],
])("%s in %j matches %j", (name, known, expected) => {
  expect(nearest(name, known)).toEqual(expected);
});

test("returns at most three names, nearest first", () => {
  expect(nearest("book", ["books", "look", "hook", "cook", "book2"])).toHaveLength(3);
  expect(nearest("books", ["bools", "books2x", "books"])[0]).toBe("books");
});
