import { expect, test } from "@jest/globals";
import { SendFailedError } from "../index.ts";

test("a broker's error without a string message is the cause of a failed send", () => {
  const cause = Object.assign(new Error("unavailable"), { message: Object.create(null) as object });
  expect(new SendFailedError("books", cause).cause).toMatchObject({
    message: 'messaging: a message to "books" was not confirmed: {}',
    cause,
  });
});
