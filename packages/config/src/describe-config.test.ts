import { expect, test } from "@jest/globals";
import { configTable, envExample, integer, list, oneOf, optional, secret, text } from "./index.ts";

const shape = {
  port: integer("PORT", { default: 8000, min: 1, max: 65_535, meaning: "port of the service" }),
  auth: { token: secret("TOKEN", { meaning: "signs tokens", minLength: 32 }) },
  level: oneOf("LEVEL", ["debug", "info"], { default: "info" }),
  greeting: text("GREETING", { default: "it's | #1" }),
  hosts: optional(list("HOSTS", { items: "hosts", meaning: "trusted hosts" })),
};

test("the table has a row for each variable", () => {
  expect(configTable(shape)).toBe(String.raw`| Variable | Meaning | Default |
| --- | --- | --- |
| ${"`PORT`"} | port of the service: a whole number from 1 to 65535 | ${"`8000`"} |
| ${"`TOKEN`"} | signs tokens: a secret of at least 32 characters | required |
| ${"`LEVEL`"} | one of debug, info | ${"`info`"} |
| ${"`GREETING`"} | text | ${"`it's \\| #1`"} |
| ${"`HOSTS`"} | trusted hosts: hosts, separated by "," | none |
`);
});

test("the example asks for required variables and shows the defaults of others", () => {
  expect(envExample(shape)).toBe(`# port of the service
# Optional: a whole number from 1 to 65535.
# PORT=8000

# signs tokens
# Required: a secret of at least 32 characters.
TOKEN=

# Optional: one of debug, info.
# LEVEL=info

# Optional: text.
# GREETING="it's | #1"

# trusted hosts
# Optional: hosts, separated by ",".
# HOSTS=
`);
});
