import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { parseEnv } from "node:util";
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

test("the example lists required variables without a value, and the defaults of others as comments", () => {
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

test("a default with a line break is written with an escape, or replaced by a comment", () => {
  const lines = (value: string) => envExample({ t: text("T", { default: value }) }).split("\n");
  expect(lines("l1\nl2")).toEqual(["# Optional: text.", String.raw`# T="l1\nl2"`, ""]);
  const impossible = [
    "# Optional: text.",
    "# Its default cannot be written on one line of a .env file.",
    "# T=",
    "",
  ];
  for (const value of ["a\r\nb", '"a"\nb', "'\"`", String.raw`a\n` + "\n"])
    expect(lines(value)).toEqual(impossible);
});

test("a default that the example contains parses to the default", () => {
  const letters = fc.string({ unit: fc.constantFrom(..."ab \t\n\\n#'\"`=$é".split("")), minLength: 1 });
  fc.assert(
    fc.property(letters, (value) => {
      const example = envExample({ t: text("T", { default: value }) });
      const [line = ""] = example.split("\n").filter((each) => each.startsWith("# T="));
      const isWritten = !example.includes("cannot be written on one line");
      expect(parseEnv(line.slice(2))["T"]).toBe(isWritten ? value : "");
    }),
  );
});
