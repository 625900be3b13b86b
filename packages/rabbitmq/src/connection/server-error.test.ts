import { expect, test } from "@jest/globals";
import { refusalOf } from "./server-error.ts";

test.each([
  ["amqp://localhost/shop%2Feu", '"shop/eu"'],
  ["amqp://localhost/", '"/"'],
  ["amqp://localhost/50%", '"50%"'],
])("the reason of a refused virtual host names it: %s", (url, host) => {
  const error = new Error("Expected ConnectionOpenOk; got <ConnectionClose channel:0>");
  expect(refusalOf(error, url)).toContain(`the server refused the virtual host ${host}`);
});
